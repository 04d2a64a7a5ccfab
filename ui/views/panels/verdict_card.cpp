// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/verdict_card.h"

#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "core/label/corrections/corrections.h"
#include "core/report/fix_words.h"
#include "ui/models/fixes_model.h"
#include "ui/models/text.h"
#include "ui/views/look/lines_menu.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/line_links.h"

#include <QtCore/QEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace tidemark::ui {
namespace {

constexpr double kHeadingFactor = 1.25;
constexpr double kLeastHeading = 0.75; ///< Of it, rather than that a figure is cut off.
constexpr int kLines = 2; ///< Of the explanation.

ElidedLabel* makeLine(QWidget* parent, const char* name, int lines)
{
    auto* label = new ElidedLabel(parent, Qt::ElideRight);
    label->setObjectName(QString::fromLatin1(name));
    label->setTextFormat(Qt::PlainText);
    label->setLines(lines);
    return label;
}

QVBoxLayout* answerColumn(QWidget* half)
{
    auto* column = new QVBoxLayout(half);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    return column;
}

/// Whether a person relabelled anything that lives at the moment that the verdict is about, or said
/// a dimension.
bool restsOnCorrection(const ViewState& state)
{
    const diagnose::Analysis& analysis = state.analysis();
    if (analysis.corrections == nullptr || analysis.inferred == nullptr) {
        return false;
    }
    const label::DeviceLabels& before = analysis.inferred->devices[state.device()];
    const label::DeviceLabels& now = state.labels();
    const auto is_other = [&](AllocationId id) {
        const std::size_t i = id.index();
        return before.bucket[i] != now.bucket[i] || before.role[i] != now.role[i];
    };
    return std::ranges::any_of(
               analysis.corrections->rules,
               [](const label::Correction& rule) { return rule.dimension.has_value(); })
        || std::ranges::any_of(
               replay::livingAt(state.replay(), tellingState(analysis, state.device())), is_other);
}

} // namespace

VerdictCard::VerdictCard(ViewState& state, SourcePlaces& places, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_headline(makeLine(this, "headline", 1))
    , m_explanation(makeLine(this, "explanation", kLines))
    , m_lines(new LineLinks(state, places, this))
    , m_checks(makeLine(this, "checks", 1))
    , m_corrected(makeChip(this, tr("✎ corrected")))
    , m_evidence(makeQuietButton(this, tr("Why?")))
{
    setObjectName(QStringLiteral("verdictCard"));
    QVBoxLayout* column = answerColumn(this);
    m_headline->setFont(headingFont(*this, kHeadingFactor));
    m_headline->setShrinks(kLeastHeading);
    column->addWidget(m_headline);
    column->addWidget(m_explanation);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    m_checks->setFont(smallFont(*this));
    m_checks->setProperty("kind", QStringLiteral("secondary"));
    row->addWidget(m_lines);
    row->addWidget(m_corrected);
    row->addWidget(m_checks);
    row->addWidget(m_evidence);
    row->addStretch(1);
    m_evidence->setFont(smallFont(*this));
    m_evidence->setProperty("link", true);
    column->addLayout(row);
    column->addStretch(1);
    m_corrected->setObjectName(QStringLiteral("verdictCorrected"));
    m_corrected->setFont(smallFont(*this));
    m_corrected->setToolTip(tr("Rests on your corrections; click to see them"));
    connect(m_corrected, &QToolButton::clicked, this, &VerdictCard::correctionsRequested);
    connect(m_lines, &LineLinks::stackRequested, this, &VerdictCard::stackRequested);
    connect(m_lines, &LineLinks::failed, this, &VerdictCard::failed);
    connect(m_evidence, &QToolButton::clicked, this, &VerdictCard::evidenceRequested);
    connect(&m_state, &ViewState::deviceChanged, this, &VerdictCard::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &VerdictCard::refresh);
    refresh();
}

void VerdictCard::refresh()
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    m_evidence->setVisible(diagnosis != nullptr);
    m_checks->setVisible(diagnosis != nullptr);
    m_corrected->setVisible(diagnosis != nullptr && restsOnCorrection(m_state));
    m_lines->setWords(diagnosis != nullptr
                          ? text(diagnosis->headline) % u' ' % text(diagnosis->explanation)
                          : QString());
    if (diagnosis != nullptr) {
        m_headline->setWords(text(diagnosis->headline));
        m_explanation->setWords(text(diagnosis->explanation));
        QStringList checks;
        checks << (diagnosis->recipe.text.empty() ? tr("recipe unknown")
                                                  : text(diagnosis->recipe.text));
        const bool is_main = m_state.analysis().mainDevice() == m_state.device();
        if (is_main && !m_state.analysis().diagnosis->sum_check.empty()) {
            checks << text(m_state.analysis().diagnosis->sum_check);
        }
        m_checks->setToolTip({});
        if (const auto& causes = diagnosis->causes;
            !causes.empty() && isInferred(causes.front().score)) {
            checks << tr("≈ inferred");
            m_checks->setToolTip(
                causes.front().to_be_sure.empty()
                    ? tr("Inferred from the evidence.")
                    : tr("Inferred. To confirm: %1").arg(text(causes.front().to_be_sure)));
        }
        m_checks->setWords(checks.join(QStringLiteral("  ·  ")));
        return;
    }
    if (m_state.hasDevice()) {
        const replay::DeviceReplay& replay = m_state.replay();
        m_headline->setWords(tr("Peak %1 at %2")
                                 .arg(bytesText(replay.activeAt(replay.peak)),
                                      text(formatEventNumber(replay.peak.eventNumber()))));
        m_explanation->setWords(tr("Looking for the cause and fixes…"));
    }
}

FixCard::FixCard(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_headline(makeLine(this, "fixHeadline", 1))
    , m_explanation(makeLine(this, "fixExplanation", kLines))
    , m_menu(new LinesMenu(this))
    , m_copy(m_menu->button())
    , m_try(makeQuietButton(this, tr("What If…")))
    , m_all(makeQuietButton(this, tr("All Fixes")))
{
    setObjectName(QStringLiteral("fixCard"));
    QVBoxLayout* column = answerColumn(this);
    m_headline->setFont(headingFont(*this, kHeadingFactor));
    m_headline->setShrinks(kLeastHeading);
    column->addWidget(m_headline);
    column->addWidget(m_explanation);
    column->addStretch(1);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_copy);
    row->addWidget(m_try);
    row->addWidget(m_all);
    row->addStretch(1);
    column->addLayout(row);
    m_copy->setObjectName(QStringLiteral("copyLines"));
    m_try->setObjectName(QStringLiteral("tryFix"));
    m_try->setToolTip(tr("Try this fix: curve and budget"));
    for (QToolButton* button : {m_try, m_all}) {
        button->setFont(smallFont(*this));
        button->setProperty("link", true);
    }
    connect(m_try, &QToolButton::clicked, this, [this] {
        const auto fixes = proposed();
        if (!fixes.empty()) { // Each of a set bears the changes of all.
            Q_EMIT tryRequested(m_headline->words(), text(fixes.front()->apply));
        }
    });
    connect(m_all, &QToolButton::clicked, this, &FixCard::allFixesRequested);
    connect(&m_state, &ViewState::deviceChanged, this, &FixCard::refresh);
    connect(&m_state, &ViewState::analysisChanged, this, &FixCard::refresh);
    refresh();
}

std::vector<const diagnose::Fix*> FixCard::proposed() const
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    if (diagnosis == nullptr) {
        return {};
    }
    std::vector<const diagnose::Fix*> set;
    for (const diagnose::Fix& fix : diagnosis->fixes) {
        if (fix.status == diagnose::FixStatus::recommended) {
            set.push_back(&fix);
        }
    }
    const auto helpful = std::ranges::find(diagnosis->fixes, diagnose::FixStatus::would_help,
                                           &diagnose::Fix::status);
    if (set.empty() && helpful != diagnosis->fixes.end()) {
        set.push_back(&*helpful);
    }
    // Lines are offered for what the card speaks of.
    const auto is_named = [&](const diagnose::Fix* fix) {
        return diagnosis->fix_headline.find(fix->title) != std::string::npos;
    };
    return std::ranges::all_of(set, is_named) ? set : std::vector<const diagnose::Fix*>();
}

void FixCard::refresh()
{
    const diagnose::DeviceDiagnosis* diagnosis =
        m_state.hasDevice() ? m_state.diagnosis() : nullptr;
    const std::vector<const diagnose::Fix*> fixes = proposed();
    m_headline->setWords(diagnosis != nullptr ? text(diagnosis->fix_headline) : QString());
    const QString reasons = diagnosis != nullptr ? text(diagnosis->fix_explanation) : QString();
    const QString facts = diagnosis != nullptr ? answerFacts(*diagnosis) : QString();
    QStringList words{facts.isEmpty() ? reasons : facts};
    if (diagnosis != nullptr) {
        words << text(report::nextPeakText(m_state.analysis(), m_state.device()));
        words.removeAll(QString());
    }
    m_explanation->setWords(words.join(u' '));
    m_explanation->setToolTip(reasons);
    const bool fits = !fixes.empty() && fixes.front()->status == diagnose::FixStatus::recommended;
    setStyleProperty(*m_headline, "kind", fits ? QStringLiteral("good") : QString());
    m_all->setVisible(diagnosis != nullptr && !diagnosis->fixes.empty());
    m_menu->setFixes(fixes);
    m_copy->setVisible(!m_menu->isEmpty());
    QStringList titles;
    std::ranges::transform(fixes, std::back_inserter(titles),
                           [](const diagnose::Fix* fix) { return text(fix->title); });
    m_copy->setToolTip(tr("Copy the code of %1").arg(titles.join(QStringLiteral(" + "))));
    m_try->setVisible(!fixes.empty() && hasPrediction(*fixes.front()));
}

} // namespace tidemark::ui
