// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/what_if_panel.h"

#include "core/base/format.h"
#include "core/diagnose/predict/change_words.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/copy_button.h"
#include "ui/views/look/fields_area.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/what_if_controls.h"

#include <QtCore/QEvent>
#include <QtCore/QRegularExpression>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {
namespace {

using diagnose::Change;
using diagnose::ChangeKind;

/// For a shell.
QString quoted(const QString& path)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z0-9_./+=:@%-]+$"));
    if (plain.match(path).hasMatch()) {
        return path;
    }
    return u'\'' % QString(path).replace(u'\'', QStringLiteral("'\\''")) % u'\'';
}

constexpr int kGroupWidth = 53; // letters
constexpr int kBarWidth = 3; ///< Of the controls' scroll bar.
constexpr int kOutcomeWidth = 33;
constexpr int kTableWidth = 68;
constexpr int kNarrowTable = 56;
constexpr int kPartsGap = 16; // pixels

QWidget* makeGroup(const QString& title)
{
    auto* group = new QWidget;
    auto* column = new QVBoxLayout(group);
    column->setContentsMargins(0, 0, 14, 6);
    column->setSpacing(4);
    auto* heading = new QLabel(title, group);
    heading->setFont(headingFont(*group, 1.0));
    column->addWidget(heading);
    group->setFixedWidth(group->fontMetrics().averageCharWidth() * kGroupWidth);
    return group;
}

QString capacityText(const diagnose::Prediction& p)
{
    return columnText(*p.capacity, p.mostCapacity(), largestOf(p));
}

} // namespace

QString fitSentence(const diagnose::Prediction& p)
{
    const OneUnit unit(largestOf(p));
    if (!p.capacity) {
        return WhatIfPanel::tr("Needs %1; set your GPU (top right) to see whether it fits")
            .arg(unit.text(p.after_reserved));
    }
    const std::int64_t spare = p.mostCapacity().value - p.after_reserved.value;
    if (!p.fits) {
        if (p.after_reserved_low <= p.mostCapacity() && p.after_reserved_high > *p.capacity) {
            return WhatIfPanel::tr("May not fit: needs %1 of %2")
                .arg(intervalText(p.after_reserved, p.after_reserved_low, p.after_reserved_high),
                     capacityText(p));
        }
        return spare < 0
            ? WhatIfPanel::tr("May not fit: %1 short by the best estimate").arg(unit.text({-spare}))
            : WhatIfPanel::tr("May not fit: the run may need more later");
    }
    const Bytes least = *p.capacity - p.after_reserved_high;
    return *p.fits ? WhatIfPanel::tr("Fits: at least %1 free").arg(unit.text(least))
                   : WhatIfPanel::tr("Does not fit: %1 short").arg(unit.text({-spare}));
}

WhatIfPanel::WhatIfPanel(ViewState& state, WhatIfTrial& trial, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_trial(trial)
    , m_verdict(makeText(this, QStringLiteral("whatIfVerdict")))
    , m_figures(makeSecondaryText(this, QStringLiteral("whatIfFigures")))
    , m_assumptions(makeSecondaryText(this, QStringLiteral("whatIfAssumptions")))
    , m_command(makeSecondaryText(this, QStringLiteral("whatIfCommand")))
    , m_copy(makeCopyButton(this, tr("Copy Command"), [this] { return command(); }))
    , m_reset(makeQuietButton(this, tr("Reset")))
    , m_table(makeTable(this, QStringLiteral("budget"), tr("Budget before and after"), m_budget))
{
    setObjectName(QStringLiteral("whatIfPanel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(kPartsGap);
    row->addWidget(makeControls(), 8); // Two groups beside each other in a usual window.
    m_answer = new QBoxLayout(QBoxLayout::LeftToRight);
    m_answer->setSpacing(kPartsGap);
    m_answer->addWidget(makeOutcome(), 3);
    m_answer->addWidget(m_table, 4);
    row->addLayout(m_answer, 7);
    setMinimumWidth(fontMetrics().averageCharWidth() * (kGroupWidth + kBarWidth + kNarrowTable)
                    + kPartsGap);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 4);
    connect(&m_trial, &WhatIfTrial::changesChanged, this, &WhatIfPanel::showChanges);
    connect(&m_trial, &WhatIfTrial::answered, this, &WhatIfPanel::showAnswer);
    connect(&m_trial, &WhatIfTrial::effectsFound, this, &WhatIfPanel::showEffects);
    std::vector<std::vector<Change>> samples;
    for (const ChangeControl* control : m_controls) {
        for (std::vector<Change>& sample : control->samples()) {
            samples.push_back(std::move(sample));
        }
    }
    m_trial.setSamples(std::move(samples));
    connect(&m_state, &ViewState::deviceChanged, this, &WhatIfPanel::showRecorded);
    connect(&m_state, &ViewState::analysisChanged, this, &WhatIfPanel::showRecorded);
    showRecorded();
    showChanges();
    showAnswer();
}

/// In a narrow panel the table stands below what it is about.
void WhatIfPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int letter = fontMetrics().averageCharWidth();
    const bool is_narrow =
        width() < letter * (kGroupWidth + kBarWidth + kOutcomeWidth + kTableWidth) + 2 * kPartsGap;
    m_answer->setDirection(is_narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    static_cast<QHBoxLayout*>(layout())->setStretch(0, is_narrow ? 4 : 8);
    m_table->setMinimumWidth(letter * (is_narrow ? kNarrowTable : kTableWidth));
}

/// A micro-batch has whole sequences.
void WhatIfPanel::showRecorded()
{
    std::optional<std::int64_t> batch;
    if (m_state.hasDevice()) {
        const program::Dimension* const found =
            m_state.analysis().program(m_state.device()).find(program::DimensionName::batch);
        static constexpr double kLikely = 0.5;
        batch = found == nullptr || found->confidence < kLikely ? std::nullopt
                                                                : std::optional(found->value);
    }
    if (auto* ratio = qobject_cast<RatioControl*>(control(QStringLiteral("microBatch")))) {
        ratio->setRecorded(batch);
    }
}

QWidget* WhatIfPanel::makeControls()
{
    auto* content = new QWidget;
    auto* flow = new FlowLayout(content, 12);
    for (const ControlGroup& each : makeControlGroups(content)) {
        QWidget* group = makeGroup(each.title);
        for (ChangeControl* control : each.controls) {
            group->layout()->addWidget(control);
            m_controls.push_back(control);
            connect(control, &ChangeControl::changed, this,
                    [this, control] { onChanged(control); });
        }
        static_cast<QVBoxLayout*>(group->layout())->addStretch(1);
        flow->addWidget(group);
    }
    return new FieldsArea(content, this);
}

QWidget* WhatIfPanel::makeOutcome()
{
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(fontMetrics().averageCharWidth() * kOutcomeWidth);
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 6, 0);
    column->setSpacing(4);
    m_verdict->setFont(headingFont(*this, 1.12));
    column->addWidget(m_verdict);
    column->addWidget(m_figures);
    auto* row = new FlowLayout(nullptr, 6);
    row->addWidget(m_copy);
    row->addWidget(m_reset);
    column->addLayout(row);
    column->addWidget(m_command);
    column->addWidget(m_assumptions);
    column->addStretch(1);
    m_copy->setObjectName(QStringLiteral("whatIfCopy"));
    m_reset->setObjectName(QStringLiteral("whatIfReset"));
    for (QToolButton* button : {m_copy, m_reset}) {
        button->setFont(smallFont(*this));
        button->setProperty("link", true);
    }
    connect(m_reset, &QToolButton::clicked, &m_trial, &WhatIfTrial::clear);
    scroll->setWidget(part);
    return scroll;
}

ChangeControl* WhatIfPanel::control(const QString& id) const
{
    const auto found = std::ranges::find(m_controls, id, &ChangeControl::id);
    return found == m_controls.end() ? nullptr : *found;
}

void WhatIfPanel::onChanged(ChangeControl* control)
{
    if (const auto change = control->change()) {
        const auto excluded = diagnose::changeWord(change->kind).excludes;
        for (ChangeControl* other : m_controls) {
            const auto beside = other->change();
            if (excluded && beside && beside->kind == *excluded) {
                other->setChanges({});
            }
        }
    }
    // Shares want to know of how many.
    ChangeControl* gpus = this->control(QStringLiteral("gpus"));
    if (control->id() == QStringLiteral("zero") && control->change() && !gpus->change()
        && m_state.hasDevice() && m_state.analysis().input.gpusThere() < 2) {
        const Change usual = usualGpus();
        gpus->setChanges(std::span(&usual, 1));
    }
    std::vector<Change> changes;
    for (const ChangeControl* each : m_controls) {
        if (const auto change = each->change()) {
            changes.push_back(*change);
        }
    }
    m_trial.setChanges(tr("These fixes"), std::move(changes));
}

void WhatIfPanel::showChanges()
{
    for (ChangeControl* control : m_controls) {
        control->setChanges(m_trial.changes());
    }
    refreshGpus();
    const bool any = !m_trial.changes().empty();
    m_reset->setVisible(any);
    m_copy->setVisible(any);
    m_command->setVisible(any);
    m_command->setText(any ? QStringLiteral("--apply ") % m_trial.applyText() : QString());
}

/// More GPUs say nothing until they share.
void WhatIfPanel::refreshGpus()
{
    const ChangeControl* zero = control(QStringLiteral("zero"));
    control(QStringLiteral("gpus"))
        ->setUsable(zero->change().has_value(), whyNoEffect(ChangeKind::gpus));
}

QString WhatIfPanel::command() const
{
    if (!m_state.hasDevice() || m_trial.changes().empty()) {
        return {};
    }
    const diagnose::Analysis& analysis = m_state.analysis();
    QString words = QStringLiteral("tidemark-cli predict ") % quoted(pathText(analysis.file))
        % QStringLiteral(" --apply ") % m_trial.applyText();
    if (const diagnose::UserInput& given = analysis.input; given.capacity) {
        // As it was said: a GPU's memory is a range.
        words += QStringLiteral(" --capacity ")
            % (given.capacity_words.empty() ? QString::number(given.capacity->value)
                                            : quoted(text(given.capacity_words)));
    }
    if (analysis.input.gpusThere() > 1) {
        words += QStringLiteral(" --gpus %1").arg(analysis.input.gpusThere());
    }
    return words;
}

void WhatIfPanel::showAnswer()
{
    const auto& answer = m_trial.answer();
    if (!answer) {
        // What is shown stays until the new answer is there.
        if (!WhatIfTrial::isPossible(m_state)) {
            m_budget.clear();
            m_verdict->setText(m_state.hasDevice() ? tr("Diagnosing…") : QString());
            m_figures->clear();
            m_assumptions->clear();
        }
        return;
    }
    const diagnose::Prediction& p = answer->prediction;
    const bool any = !m_trial.changes().empty();
    m_verdict->setText(any ? fitSentence(p) : tr("As recorded: %1").arg(fitSentence(p)));
    setStyleProperty(*m_verdict, "kind",
                     !p.fits       ? QString()
                         : *p.fits ? QStringLiteral("good")
                                   : QStringLiteral("danger"));
    QStringList figures;
    figures << tr("Needs %1")
                   .arg(
                       intervalText(p.after_reserved, p.after_reserved_low, p.after_reserved_high));
    if (p.capacity) {
        figures << tr("capacity %1").arg(capacityText(p));
    }
    figures << tr("curve peak %1, %2")
                   .arg(intervalText(p.after_peak, p.after_low, p.after_high),
                        text(formatEventNumber(p.after_peak_state.eventNumber())));
    m_figures->setText(figures.join(QStringLiteral(" · ")));
    QStringList assumptions;
    for (const std::string& sentence : p.assumptions) {
        assumptions << QStringLiteral("• ") % text(sentence);
    }
    m_assumptions->setText(assumptions.join(u'\n'));
    m_assumptions->setVisible(!assumptions.isEmpty());
    m_budget.setPrediction(p);
    fitColumns(*m_table, BudgetModel::Part);
}

void WhatIfPanel::showEffects(const std::vector<bool>& has_effect)
{
    auto next = has_effect.begin();
    for (ChangeControl* control : m_controls) {
        const std::vector<std::vector<Change>> samples = control->samples();
        const auto end = next + static_cast<std::ptrdiff_t>(samples.size());
        if (control->id() != QStringLiteral("gpus")) {
            control->setEffects({next, end}, whyNoEffect(samples.front().front().kind));
        }
        next = end;
    }
    refreshGpus();
}

void WhatIfPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    // Panels are shown for a moment when tabs are made of them.
    QMetaObject::invokeMethod(
        this, [this] { m_trial.setWatched(isVisible()); }, Qt::QueuedConnection);
}

void WhatIfPanel::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_trial.setWatched(false);
}

} // namespace tidemark::ui
