// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/what_if_trial.h"

#include "core/diagnose/what_if.h"
#include "ui/models/selection.h"
#include "ui/models/text.h"

#include <mutex>
#include <stop_token>
#include <utility>

namespace tidemark::ui {
namespace {

QStringList textOf(const std::vector<diagnose::Change>& changes)
{
    QStringList parts;
    for (const diagnose::Change& change : changes) {
        parts << text(diagnose::changeText(change));
    }
    return parts;
}

} // namespace

/// Made by the first of the threads that needs it. Another request must not stop that, or somebody
/// who types would never see an answer; another analysis does.
struct WhatIfTrial::Base {
    Base(const diagnose::Analysis& its_analysis, std::size_t its_device)
        : analysis(its_analysis)
        , device(its_device)
    {
    }

    /// Null where it was stopped.
    const diagnose::WhatIf* get()
    {
        const std::scoped_lock lock(mutex);
        if (!what_if) {
            what_if = std::make_unique<diagnose::WhatIf>(analysis, device, stop.get_token());
        }
        return stop.stop_requested() ? nullptr : what_if.get();
    }

    diagnose::Analysis analysis;
    std::size_t device;
    std::stop_source stop;
    std::mutex mutex;
    std::unique_ptr<const diagnose::WhatIf> what_if;
};

WhatIfTrial::WhatIfTrial(ViewState& state, QObject* parent)
    : QObject(parent)
    , m_state(state)
{
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        m_changes.clear();
        m_title.clear();
        start();
        Q_EMIT changesChanged();
    });
    connect(&m_state, &ViewState::analysisChanged, this, &WhatIfTrial::start);
    connect(&m_state, &ViewState::ghostChanged, this, [this] {
        if (m_state.ghost() == nullptr && m_answer != nullptr) { // Removed elsewhere.
            clear();
        }
    });
    start();
}

WhatIfTrial::~WhatIfTrial()
{
    forgetBase();
}

void WhatIfTrial::forgetBase()
{
    m_prediction_job.cancel();
    m_effects_job.cancel();
    if (m_base) {
        m_base->stop.request_stop();
        m_base.reset();
    }
    m_has_effects = false;
}

/// Begins anew with the analysis that is shown.
void WhatIfTrial::start()
{
    forgetBase();
    if (isPossible(m_state)) {
        m_base = std::make_shared<Base>(m_state.analysis(), m_state.device());
    }
    compute();
    findEffects();
}

QString WhatIfTrial::applyText() const
{
    return textOf(m_changes).join(u',');
}

QString WhatIfTrial::canonical(const QString& apply)
{
    const auto changes = diagnose::parseChanges(utf8(apply));
    QStringList parts = changes.has_value() ? textOf(changes.value()) : QStringList();
    parts.sort();
    return parts.join(u',');
}

void WhatIfTrial::setChanges(const QString& title, std::vector<diagnose::Change> changes)
{
    m_title = title;
    if (textOf(changes) == textOf(m_changes)) {
        return;
    }
    m_changes = std::move(changes);
    compute();
    Q_EMIT changesChanged();
}

void WhatIfTrial::setApplyText(const QString& title, const QString& apply)
{
    const auto changes = diagnose::parseChanges(utf8(apply));
    setChanges(title, changes.has_value() ? changes.value() : std::vector<diagnose::Change>());
}

void WhatIfTrial::selectChanged()
{
    if (m_changes.empty() || !m_base) {
        m_state.selector().clear(Selection::From::fix);
        return;
    }
    m_state.selector().find(Selection::From::fix, m_title,
                            [base = m_base, changes = m_changes](const std::stop_token&) {
                                const diagnose::WhatIf* what_if = base->get();
                                return what_if == nullptr ? Selector::Ids()
                                                          : what_if->changed(changes);
                            });
}

void WhatIfTrial::setWatched(bool watched)
{
    m_is_watched = watched;
    if (watched) {
        if (!m_answer) {
            compute();
        }
        findEffects();
    }
}

void WhatIfTrial::compute()
{
    m_prediction_job.cancel();
    m_answer.reset();
    if (m_changes.empty() || !m_base) {
        m_state.setGhost(nullptr); // Else the old curve stays until the new one is there.
    }
    if (m_base && (!m_changes.empty() || m_is_watched)) {
        m_prediction_job.start(
            this,
            [base = m_base, title = m_title,
             changes = m_changes](const std::stop_token&) -> std::shared_ptr<const Ghost> {
                const diagnose::WhatIf* what_if = base->get();
                if (what_if == nullptr) {
                    return nullptr;
                }
                auto ghost = std::make_shared<Ghost>();
                ghost->title = title;
                ghost->prediction = what_if->predict(changes);
                ghost->pyramid = MaxPyramid(ghost->prediction.after_active);
                return ghost;
            },
            [this](const std::shared_ptr<std::shared_ptr<const Ghost>>& ghost) {
                m_answer = *ghost;
                m_state.setGhost(m_changes.empty() ? nullptr : m_answer);
                Q_EMIT answered();
            });
    }
    Q_EMIT answered();
}

void WhatIfTrial::setSamples(std::vector<std::vector<diagnose::Change>> samples)
{
    m_samples = std::move(samples);
    m_has_effects = false;
    findEffects();
}

void WhatIfTrial::findEffects()
{
    if (!m_base || m_has_effects || !m_is_watched) {
        return;
    }
    m_effects_job.start(
        this,
        [base = m_base, samples = m_samples](const std::stop_token& stop) {
            std::vector<bool> has_effect;
            const diagnose::WhatIf* what_if = base->get();
            for (const std::vector<diagnose::Change>& sample : samples) {
                if (what_if == nullptr || stop.stop_requested()) {
                    break; // Nobody wants to know any more.
                }
                has_effect.push_back(what_if->hasEffect(sample));
            }
            return has_effect;
        },
        [this](const std::shared_ptr<std::vector<bool>>& has_effect) {
            if (has_effect->size() == m_samples.size()) {
                m_has_effects = true;
                Q_EMIT effectsFound(*has_effect);
            }
        });
}

} // namespace tidemark::ui
