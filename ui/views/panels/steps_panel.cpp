// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/steps_panel.h"

#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/step_peaks_chart.h"

#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <utility>

namespace tidemark::ui {
namespace {

QVBoxLayout* makeStepsColumn(QWidget* widget)
{
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    return column;
}

} // namespace

StepsPanel::StepsPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_chart(new StepPeaksChart(this))
    , m_peaks_table(
          makeTable(this, QStringLiteral("phasePeaks"), tr("Peaks by step and phase"), m_peaks))
    , m_growth_table(makeTable(this, QStringLiteral("growth"),
                               tr("Memory change per step, by stack"), m_growth))
    , m_no_phases(makeSecondaryText(this, QStringLiteral("noPhases")))
    , m_growth_words(makeSecondaryText(this, QStringLiteral("growthWords")))
    , m_per_token(makeText(this, QStringLiteral("perToken")))
{
    setObjectName(QStringLiteral("stepsPanel"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(18);
    row->addWidget(makePeaks());
    row->addWidget(makeGrowth());
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        forget();
        refresh();
    });
    connect(&m_state, &ViewState::analysisChanged, this, &StepsPanel::refresh);
    refresh();
}

QWidget* StepsPanel::makePeaks()
{
    auto* part = new QWidget(this);
    QVBoxLayout* column = makeStepsColumn(part);
    auto* head = new QHBoxLayout;
    m_peaks_title = new ElidedLabel(part, Qt::ElideRight);
    m_peaks_title->setFont(headingFont(*this, 1.0));
    head->addWidget(m_peaks_title, 1);
    auto* measures = new QButtonGroup(this);
    const std::vector<std::pair<Measure, QString>> chips{{Measure::requested, tr("requested")},
                                                         {Measure::blocks, tr("in blocks")},
                                                         {Measure::reserved, tr("reserved")}};
    for (const auto& [measure, words] : chips) {
        QToolButton* chip = makeChip(part, words);
        chip->setCheckable(true);
        chip->setChecked(measure == Measure::requested);
        measures->addButton(chip, static_cast<int>(measure));
        head->addWidget(chip);
    }
    column->addLayout(head);
    m_no_phases->setText(tr("No phases found."));
    column->addWidget(m_no_phases);
    column->addWidget(m_per_token);
    column->addWidget(m_chart, 1);
    column->addWidget(m_peaks_table, 1);
    // What its rows leave belongs to the bars.
    connect(&m_peaks, &QAbstractItemModel::modelReset, m_peaks_table, [this] {
        constexpr int kAround = 14; // The header's paddings, and a scroll bar.
        const int row = m_peaks_table->verticalHeader()->defaultSectionSize();
        m_peaks_table->setMaximumHeight(m_peaks_table->horizontalHeader()->sizeHint().height()
                                        + m_peaks.rowCount() * row + kAround);
    });
    column->addStretch(0);
    m_peaks_table->setSelectionBehavior(QAbstractItemView::SelectItems);
    connect(measures, &QButtonGroup::idClicked, this, [this](int id) {
        m_peaks.setMeasure(static_cast<Measure>(id));
        fitColumns(*m_peaks_table, -1);
    });
    const auto jump = [this](const QModelIndex& index) {
        if (const std::optional<StateId> state = m_peaks.stateAt(index)) {
            m_state.setCursor(*state);
            m_state.reveal(*state);
        }
    };
    connect(m_chart, &StepPeaksChart::chosen, this, [this](StateId state) {
        m_state.setCursor(state);
        m_state.reveal(state);
    });
    connect(m_peaks_table, &QTableView::clicked, this, jump);
    connect(m_peaks_table, &QTableView::activated, this, jump);
    return part;
}

QWidget* StepsPanel::makeGrowth()
{
    auto* part = new QWidget(this);
    QVBoxLayout* column = makeStepsColumn(part);
    auto* title = new QLabel(tr("Growth per step"), part);
    title->setFont(headingFont(*this, 1.0));
    column->addWidget(title);
    column->addWidget(m_growth_words);
    column->addWidget(m_growth_table, 1);
    column->addStretch(0);
    connect(m_growth_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT stackRequested(
            tr("%1 per step")
                .arg(m_growth.index(index.row(), GrowthModel::PerStep).data().toString()),
            m_growth.stackAt(index.row()).value);
    });
    return part;
}

void StepsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void StepsPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    shareRoom();
}

/// All phases are to be seen; the rest is for what grows, of which the line says where. In a low
/// panel both have its height, and the bars give theirs to the figures.
void StepsPanel::shareRoom()
{
    constexpr int kBesideColumns = 12;
    constexpr int kLowPanel = 16; // Lines.
    auto* parts = static_cast<QHBoxLayout*>(layout());
    const int all = std::max(2, width() - parts->spacing());
    const int needed = m_peaks_width + kBesideColumns;
    const bool is_low = height() < fontMetrics().height() * kLowPanel;
    const bool is_beside = is_low || needed <= all * 7 / 10;
    const int peaks = !is_beside ? all : is_low ? all * 5 / 8 : std::max(needed, all / 2);
    m_chart->setVisible(!is_low);
    parts->setDirection(is_beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    parts->setStretch(0, is_beside ? peaks : 1);
    parts->setStretch(1, is_beside ? all - peaks : 1);
}

void StepsPanel::forget()
{
    m_job.cancel();
    m_shown.reset();
    fill({});
    m_no_phases->hide(); // That is not known yet.
    m_growth_words->clear();
    m_per_token->hide();
}

/// Off the window's thread: it looks at every state and every allocation.
void StepsPanel::refresh()
{
    if (!m_state.hasDevice()) {
        return;
    }
    const diagnose::Analysis& analysis = m_state.analysis();
    const bool is_current = m_shown == analysis.labels && m_shown_device == m_state.device();
    if (!isVisible() || is_current || analysis.block_sizes == nullptr) {
        return;
    }
    m_shown = analysis.labels;
    m_shown_device = m_state.device();
    m_job.start(
        this,
        [replay = analysis.replay, labels = analysis.labels, sizes = analysis.block_sizes,
         device = m_state.device()](const std::stop_token&) {
            const replay::DeviceReplay& run = replay->devices[device];
            const label::DeviceLabels& names = labels->devices[device];
            return Answer{
                curves::phasePeaks(run, replay::blockTotals(run, (*sizes)[device]), names),
                names.numbers, curves::growthPerStep(run, names, run.lastState())};
        },
        [this](const std::shared_ptr<const Answer>& answer) {
            if (m_state.hasDevice()) {
                fill(*answer);
                Q_EMIT stepsShown();
            }
        });
}

void StepsPanel::fill(const Answer& answer)
{
    m_peaks.setPeaks(answer.peaks, answer.numbers);
    m_chart->setPeaks(stepPeaks(answer.peaks, answer.numbers));
    const bool has_snapshot = m_state.hasDevice();
    m_growth.setGrowth(has_snapshot ? m_state.analysis().snapshot : nullptr, answer.growth.stacks);
    const bool has_phases = m_peaks.rowCount() > 0;
    m_no_phases->setVisible(!has_phases);
    m_peaks_table->setVisible(has_phases);
    m_growth_words->setText(QString::fromStdString(curves::growthWords(answer.growth)));
    m_growth_table->setVisible(m_growth.rowCount() > 0);
    m_per_token->setText(has_snapshot ? perTokenText(m_state.analysis(), m_state.device())
                                      : QString());
    m_per_token->setVisible(!m_per_token->text().isEmpty());
    m_peaks_title->setWords(m_peaks.rowCount() == 0
                                ? tr("Peak of each phase")
                                : tr("Peak of each phase, %1").arg(m_peaks.unit()));
    m_peaks_width = neededWidth(*m_peaks_table);
    shareRoom();
    fitColumns(*m_peaks_table, -1);
    // What has no column stands in a tool tip.
    fitColumns(*m_growth_table, GrowthModel::Line, {GrowthModel::Verdict},
               {.may_go = {GrowthModel::Chance, GrowthModel::Rises, GrowthModel::Now}});
}

} // namespace tidemark::ui
