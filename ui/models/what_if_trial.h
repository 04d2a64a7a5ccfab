// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/change.h"
#include "ui/models/newest_job.h"
#include "ui/models/view_state.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <memory>
#include <optional>
#include <vector>

namespace tidemark::ui {

/// The changes that a person tries on the device that is shown, one list for all views. Computes
/// what they lead to off the window's thread, the newest list only, and makes it the view state's
/// ghost. Another device begins without changes; a newer analysis of the same keeps them.
class WhatIfTrial : public QObject {
    Q_OBJECT
public:
    /// The state outlives it.
    explicit WhatIfTrial(ViewState& state, QObject* parent = nullptr);
    ~WhatIfTrial() override;

    /// Empty: the run as it was recorded, for which there is no ghost.
    [[nodiscard]] const std::vector<diagnose::Change>& changes() const
    {
        return m_changes;
    }
    /// In the words of `tidemark-cli predict --apply`; empty without changes.
    [[nodiscard]] QString applyText() const;
    /// One spelling for texts that name the same changes; empty for one that names none.
    [[nodiscard]] static QString canonical(const QString& apply);
    void setChanges(const QString& title, std::vector<diagnose::Change> changes);
    /// Text that names no changes takes them back.
    void setApplyText(const QString& title, const QString& apply);
    void clear()
    {
        setChanges({}, {});
    }
    /// Selects the allocations that the changes act on, in all views; nothing without changes.
    void selectChanged();

    /// What the changes lead to, or the recorded run without any; null while it is computed and
    /// where nobody wants to know.
    [[nodiscard]] const std::shared_ptr<const Ghost>& answer() const
    {
        return m_answer;
    }
    /// Whether the answer is under way.
    [[nodiscard]] bool isComputing() const
    {
        return m_base != nullptr && !m_answer && (m_is_watched || !m_changes.empty());
    }
    /// While somebody looks: also computes the answer without any changes, and which of the samples
    /// would alter anything in the run that is shown, for every analysis anew.
    void setWatched(bool watched);
    void setSamples(std::vector<std::vector<diagnose::Change>> samples);
    [[nodiscard]] static bool isPossible(const ViewState& state)
    {
        return state.hasDevice() && state.diagnosis() != nullptr;
    }

Q_SIGNALS:
    void changesChanged();
    void answered(); ///< Or taken away: see `answer`.
    /// One per sample.
    void effectsFound(const std::vector<bool>& has_effect);

private:
    struct Base;
    void start();
    void compute();
    void findEffects();
    void forgetBase();

    ViewState& m_state;
    std::vector<diagnose::Change> m_changes;
    QString m_title;
    bool m_is_watched = false;
    bool m_has_effects = false; ///< They were found for this analysis.
    std::vector<std::vector<diagnose::Change>> m_samples;
    std::shared_ptr<const Ghost> m_answer;
    std::shared_ptr<Base> m_base; ///< What all predictions of the analysis share.
    NewestJob m_prediction_job;
    NewestJob m_effects_job;
};

} // namespace tidemark::ui
