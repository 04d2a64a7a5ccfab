// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/cursor_panel.h"

#include "core/base/format.h"
#include "ui/models/language.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/views/look/copy_key.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QListView>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kCursorInterval = 30; ///< Milliseconds.

} // namespace

QString stateTitle(const ViewState& view, StateId state)
{
    const replay::DeviceReplay& replay = view.replay();
    if (std::ranges::any_of(replay.ooms, [state](EventId event) {
            return StateId::before(event) == state || StateId::after(event) == state;
        })) {
        return CursorPanel::tr("At the OOM");
    }
    if (view.traceDevice().events.count() == 0) {
        return CursorPanel::tr("At the dump");
    }
    return state.value == 0    ? CursorPanel::tr("At the start")
        : state == replay.peak ? CursorPanel::tr("At the peak")
                               : CursorPanel::tr("At event %1").arg(countText(state.eventNumber()));
}

QString phaseText(const label::DeviceLabels& labels, StateId state)
{
    const label::PhaseSpan* span =
        labels.phaseAt(EventId(state.value == 0 ? std::uint32_t{0} : state.value - 1));
    if (span == nullptr) {
        return {};
    }
    const QString phase = inSentence(text(label::phaseName(span->phase)));
    return span->step == 0
        ? phase
        : CursorPanel::tr("step %1 · %2").arg(labels.numbers.of(span->step)).arg(phase);
}

CursorPanel::CursorPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_title(new QLabel(this))
    , m_table(new QTableView(this))
    , m_list(new QListView(this))
{
    setObjectName(QStringLiteral("cursorPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_title->setObjectName(QStringLiteral("cursorTitle"));
    m_title->setTextFormat(Qt::RichText);
    column->addWidget(m_title);

    m_table->setObjectName(QStringLiteral("cursorBuckets"));
    styleTable(*m_table);
    m_table->setModel(&m_buckets);
    m_table->setItemDelegate(new ItemDelegate(m_table));
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setFocusPolicy(Qt::NoFocus);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->horizontalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 5);
    column->addWidget(m_table, 1000); // First of all its rows; the list takes what is left.

    auto* heading = new QLabel(tr("Largest allocations"), this);
    heading->setFont(headingFont(*this, 1.0));
    column->addSpacing(4);
    column->addWidget(heading);
    m_list->setObjectName(QStringLiteral("largestAlive"));
    m_list->setAccessibleName(tr("Largest allocations"));
    m_list->setModel(&m_largest);
    m_list->setItemDelegate(new AllocationDelegate(m_list));
    copyOnKey(*m_list, [this] { return m_list->currentIndex().data().toString(); });
    m_list->setUniformItemSizes(true);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setMouseTracking(true);
    m_list->setMinimumHeight(2 * fontMetrics().height() + 6); // One of them, in a small window.
    column->addWidget(m_list, 1);

    m_soon.setSingleShot(true);
    m_soon.setInterval(kCursorInterval);
    connect(&m_soon, &QTimer::timeout, this, &CursorPanel::refresh);
    connect(&m_state, &ViewState::deviceChanged, this, &CursorPanel::rebuild);
    connect(&m_state, &ViewState::labelsChanged, this, &CursorPanel::rebuild);
    connect(&m_state, &ViewState::bandsChanged, this, &CursorPanel::rebuild);
    connect(&m_state, &ViewState::cursorChanged, this, [this] {
        refreshTitle();
        if (!m_soon.isActive()) {
            m_soon.start();
        }
    });
    const auto choose = [this](const QModelIndex& index) {
        m_state.select(AllocationId(index.data(AllocationRole).toUInt()));
        Q_EMIT stackRequested();
    };
    connect(m_list, &QListView::clicked, this, choose);
    connect(m_list, &QListView::activated, this, choose);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QListView::customContextMenuRequested, this, [this](const QPoint& position) {
        const QModelIndex index = m_list->indexAt(position);
        if (index.isValid()) {
            m_state.select(AllocationId(index.data(AllocationRole).toUInt()));
            Q_EMIT menuRequested(m_list->viewport()->mapToGlobal(position));
        }
    });
    rebuild();
}

void CursorPanel::rebuild()
{
    m_largest.setDevice(m_state);
    if (!m_state.hasDevice()) {
        m_buckets.setMoments(nullptr, {});
        m_title->clear();
        return;
    }
    m_buckets.setMoments(&m_state.curves(), {{QString(), m_state.shownState()}},
                         m_state.bandGrouping(), HostMemory(m_state.analysis(), m_state.device()));
    fitTable();
    refreshTitle();
    refresh();
}

void CursorPanel::fitTable()
{
    fitColumns(*m_table, 0);
    // Wide enough for any figure, so that nothing moves while the cursor does.
    const QHeaderView* header = m_table->horizontalHeader();
    const int share = fontMetrics().horizontalAdvance(QStringLiteral("100 %")) + 14;
    const int bytes = fontMetrics().horizontalAdvance(QStringLiteral("00.00 GiB")) + 14;
    m_table->setColumnWidth(1, std::max(header->sectionSize(1), bytes));
    m_table->setColumnWidth(2, std::max(header->sectionSize(2), share));
    // Names and figures: without these the panel says nothing.
    const QAbstractItemView& view = *m_table; // Its size hints are public there.
    const int names = std::min(view.sizeHintForColumn(0), fontMetrics().averageCharWidth() * 28);
    m_table->setMinimumWidth(names + header->sectionSize(1) + header->sectionSize(2)
                             + 2 * m_table->frameWidth());
    // All rows where there is room for them.
    const int row = m_table->verticalHeader()->defaultSectionSize();
    m_table->setMinimumHeight(std::min(4, m_buckets.rowCount()) * row);
    m_table->setMaximumHeight(m_buckets.rowCount() * row + 2);
}

void CursorPanel::refreshTitle()
{
    if (!m_state.hasDevice()) {
        return;
    }
    const StateId state = m_state.shownState();
    m_title->setText(QStringLiteral("<b>%1</b>&nbsp; <span style='color:%2'>%3</span>")
                         .arg(stateTitle(m_state, state).toHtmlEscaped(),
                              currentColours().secondary.name(),
                              phaseText(m_state.labels(), state).toHtmlEscaped()));
}

void CursorPanel::refresh()
{
    if (!m_state.hasDevice()) {
        return;
    }
    const StateId state = m_state.shownState();
    m_buckets.moveTo(state);
    m_largest.moveTo(state);
}

void CursorPanel::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refreshTitle();
    }
}

} // namespace tidemark::ui
