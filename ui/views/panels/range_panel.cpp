// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/range_panel.h"

#include "core/base/format.h"
#include "ui/models/numbers.h"
#include "ui/models/one_unit.h"
#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/pieces.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <utility>

namespace tidemark::ui {
namespace {

constexpr std::size_t kMostStacks = 200;
constexpr int kScrollBar = 14; ///< Pixels beside the columns.
constexpr int kNarrowRange = 1150;

} // namespace

RangePanel::RangePanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_title(makeText(this, QStringLiteral("rangeTitle")))
    , m_hint(makeSecondaryText(this, QStringLiteral("rangeHint")))
    , m_zoom(new QPushButton(tr("Zoom to Range"), this))
    , m_clear(new QPushButton(tr("Clear"), this))
    , m_bucket_table(makeTable(this, QStringLiteral("rangeBuckets"),
                               tr("Changes in the range, by bucket"), m_buckets))
    , m_stack_table(makeTable(this, QStringLiteral("rangeStacks"),
                              tr("Changes in the range, by stack"), m_stacks))
{
    setObjectName(QStringLiteral("rangePanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    head->addWidget(m_title, 1);
    head->addWidget(m_zoom);
    head->addWidget(m_clear);
    column->addLayout(head);
    m_hint->setText(tr("Shift-drag on the timeline to see what a range allocated and freed."));
    column->addWidget(m_hint);
    auto* tables = new QHBoxLayout;
    tables->setSpacing(18);
    tables->addWidget(m_bucket_table, 5); // At most what its columns take.
    tables->addWidget(m_stack_table, 4);
    column->addLayout(tables, 1);
    column->addStretch(0);
    m_bucket_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_zoom->setObjectName(QStringLiteral("zoomToRange"));
    m_clear->setObjectName(QStringLiteral("clearRange"));
    connect(m_zoom, &QPushButton::clicked, &m_state, &ViewState::zoomToSelection);
    connect(m_clear, &QPushButton::clicked, &m_state, [this] { m_state.selectRange({}); });
    connect(m_stack_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        const StackId stack = m_stacks.stackAt(index.row());
        Q_EMIT stackRequested(
            tr("%1 in the range")
                .arg(m_stacks.index(index.row(), StackFlowModel::Operation).data().toString()),
            stack.value);
    });
    const auto changed = [this] {
        m_is_current = false;
        refresh();
    };
    connect(&m_state, &ViewState::deviceChanged, this, changed);
    connect(&m_state, &ViewState::labelsChanged, this, changed);
    connect(&m_state, &ViewState::selectedRangeChanged, this, changed);
    refresh();
}

void RangePanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void RangePanel::refresh()
{
    const bool has_range = m_state.hasDevice() && m_state.selectedRange();
    m_hint->setVisible(!has_range);
    for (QWidget* widget : {static_cast<QWidget*>(m_title), static_cast<QWidget*>(m_zoom),
                            static_cast<QWidget*>(m_clear), static_cast<QWidget*>(m_bucket_table),
                            static_cast<QWidget*>(m_stack_table)}) {
        widget->setVisible(has_range);
    }
    if (!has_range) {
        m_job.cancel();
        m_buckets.clear();
        m_stacks.clear();
        return;
    }
    if (!m_is_current && isVisible()) {
        m_is_current = true;
        count(*m_state.selectedRange());
    }
}

/// Off the window's thread: a range may hold ten million events.
void RangePanel::count(Interval<StateId> between)
{
    m_job.start(
        this,
        [between, replay = m_state.analysis().replay, labels = m_state.analysis().labels,
         device = m_state.device()](const std::stop_token&) {
            return curves::changesBetween(replay->devices[device], labels->devices[device], between,
                                          kMostStacks);
        },
        [this](const std::shared_ptr<const curves::RangeChanges>& changes) {
            if (m_state.hasDevice()) {
                showChanges(*changes);
            }
        });
}

QString RangePanel::titleOf(const curves::RangeChanges& changes) const
{
    const auto number = [](StateId state) { return text(formatEventNumber(state.eventNumber())); };
    const std::int64_t events =
        std::int64_t{changes.between.end.value} - std::int64_t{changes.between.begin.value};
    QString stretch =
        tr("After %1 to %2: %Ln event|After %1 to %2: %Ln events", nullptr, plural(events))
            .arg(number(changes.between.begin), number(changes.between.end));
    if (m_state.canShowTime()) {
        const auto& times = m_state.traceDevice().events.time;
        const auto timeOf = [&](StateId state) {
            return times[state.value == 0 ? 0 : state.index() - 1];
        };
        stretch += QStringLiteral(", ")
            % durationText(timeOf(changes.between.end) - timeOf(changes.between.begin));
    }
    return tr("%1; peak %2, change %3")
        .arg(stretch, columnText({changes.largest}, {changes.largest}),
             signedColumnText({changes.total.netBytes()}, {changes.largest}));
}

void RangePanel::showChanges(const curves::RangeChanges& changes)
{
    m_title->setText(titleOf(changes));
    m_buckets.setChanges(changes);
    m_stacks.setChanges(m_state.analysis().snapshot, changes.stacks, {changes.largest});
    fitColumns(*m_bucket_table, -1, {BucketFlowModel::Bucket});
    fitTables();
    fitColumns(*m_stack_table, StackFlowModel::Line, {StackFlowModel::Operation},
               {.may_go = {StackFlowModel::CameCount}});
    Q_EMIT changesShown();
}

void RangePanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitTables();
}

/// Where there is little room, lines of code need it more than how often a bucket was allocated.
void RangePanel::fitTables()
{
    const bool is_narrow = width() < kNarrowRange;
    for (const int count : {BucketFlowModel::CameCount, BucketFlowModel::WentCount}) {
        m_bucket_table->setColumnHidden(count, is_narrow);
    }
    m_bucket_table->setMaximumWidth(neededWidth(*m_bucket_table) + kScrollBar);
}

} // namespace tidemark::ui
