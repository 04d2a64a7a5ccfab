// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/allocations_panel.h"

#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/cursor_panel.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QVBoxLayout>

namespace tidemark::ui {
namespace {

constexpr int kRefreshInterval = 120; ///< Milliseconds.

} // namespace

AllocationsPanel::AllocationsPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_filter(new QLineEdit(this))
    , m_summary(new QLabel(this))
    , m_table(new QTableView(this))
{
    setObjectName(QStringLiteral("allocationsPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    m_filter->setObjectName(QStringLiteral("allocationFilter"));
    m_filter->setPlaceholderText(tr("Filter by bucket, role, function or file"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setAcceptDrops(false);
    m_filter->setMaximumWidth(360);
    m_summary->setObjectName(QStringLiteral("allocationSummary"));
    m_summary->setProperty("kind", QStringLiteral("secondary"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_filter, 1);
    row->addSpacing(8);
    row->addWidget(m_summary, 1);
    column->addLayout(row);

    m_table->setObjectName(QStringLiteral("allocations"));
    styleTable(*m_table);
    m_table->setModel(&m_model);
    m_table->setItemDelegate(new ItemDelegate(m_table));
    QHeaderView* header = m_table->horizontalHeader();
    header->setSortIndicatorShown(true);
    header->setSortIndicator(AllocationsModel::Size, Qt::DescendingOrder);
    header->setSectionsClickable(true);
    header->setStretchLastSection(false);
    const std::array<const char*, AllocationsModel::ColumnCount> widest{
        "1023.99 MiB",
        "Temporaries, activation gradient",
        "scaled_dot_product_attention",
        "",
        "before the trace",
        "freed at event",
        "confidence"};
    for (int i = 0; i < AllocationsModel::ColumnCount; ++i) {
        const QString words = QString::fromLatin1(widest[static_cast<std::size_t>(i)]);
        m_table->setColumnWidth(i, fontMetrics().horizontalAdvance(words) + 36);
    }
    header->setSectionResizeMode(AllocationsModel::Line, QHeaderView::Stretch);
    column->addWidget(m_table, 1);

    m_soon.setSingleShot(true);
    m_soon.setInterval(kRefreshInterval);
    connect(&m_soon, &QTimer::timeout, this, &AllocationsPanel::refresh);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &AllocationsPanel::refresh);
    connect(m_filter, &QLineEdit::textChanged, this, &AllocationsPanel::refreshSoon);
    connect(&m_state, &ViewState::cursorChanged, this, &AllocationsPanel::refreshSoon);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        if (m_state.hasDevice()) {
            m_model.setDevice(m_state.analysis(), m_state.device());
        } else {
            m_model.clear();
        }
        refreshSoon();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (index.isValid()) {
                    m_state.select(AllocationId(index.data(AllocationRole).toUInt()));
                }
            });
    connect(m_table, &QTableView::activated, this, &AllocationsPanel::stackRequested);
    connect(&m_state, &ViewState::selectionChanged, this, [this] {
        if (isVisible()) {
            chooseSelected();
        }
    });
    connect(&m_state, &ViewState::labelsChanged, this, &AllocationsPanel::refreshLabels);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &AllocationsPanel::showMenu);
    if (m_state.hasDevice()) {
        m_model.setDevice(m_state.analysis(), m_state.device());
    }
}

/// Follows a selection that was made elsewhere, where the list has it.
void AllocationsPanel::chooseSelected()
{
    const int row = m_state.selected().isNone() ? -1 : m_model.rowOf(m_state.selected());
    if (row >= 0 && m_table->currentIndex().row() != row) {
        m_table->setCurrentIndex(m_model.index(row, 0));
        m_table->scrollTo(m_table->currentIndex());
    }
}

void AllocationsPanel::refreshSoon()
{
    m_is_stale = true;
    if (isVisible() && !m_soon.isActive()) {
        m_soon.start();
    }
}

/// The list keeps its place: only what it says, and perhaps its order, is another.
void AllocationsPanel::refreshLabels()
{
    m_model.setLabels(m_state.analysis());
    m_is_stale = true;
    if (!isVisible()) {
        return;
    }
    const int place = m_table->verticalScrollBar()->value();
    refresh();
    m_table->verticalScrollBar()->setValue(place);
}

void AllocationsPanel::setFilter(const QString& words)
{
    m_filter->setText(words);
}

void AllocationsPanel::showMenu(const QPoint& position)
{
    const QModelIndex index = m_table->indexAt(position);
    if (index.isValid()) {
        m_state.select(AllocationId(index.data(AllocationRole).toUInt()));
        Q_EMIT menuRequested(m_table->viewport()->mapToGlobal(position));
    }
}

void AllocationsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_is_stale) {
        refresh();
    }
}

void AllocationsPanel::refresh()
{
    m_is_stale = false;
    if (!m_state.hasDevice()) {
        m_summary->clear();
        return;
    }
    const StateId state = m_state.shownState();
    std::vector<AllocationId> ids =
        filteredAllocations(m_state.analysis(), m_state.device(), m_model.texts(),
                            replay::liveAt(m_state.replay(), state), m_filter->text());
    const QHeaderView* header = m_table->horizontalHeader();
    ids = sortedAllocations(m_state.analysis(), m_state.device(), m_model.texts(), std::move(ids),
                            AllocationsModel::keyOf(header->sortIndicatorSection()),
                            header->sortIndicatorOrder() == Qt::DescendingOrder);
    Bytes total;
    for (const AllocationId id : ids) {
        total += m_state.replay().allocations.requested[id.index()];
    }
    const QString filter = m_filter->text().trimmed();
    m_summary->setText(ids.empty() && !filter.isEmpty()
                           ? tr("%1: no allocation matches “%2”").arg(stateTitle(state), filter)
                           : tr("%1: %2 allocations, %3")
                                 .arg(stateTitle(state),
                                      countText(static_cast<std::int64_t>(ids.size())),
                                      gibText(total)));
    m_summary->setToolTip(exactBytesText(total));
    if (ids != m_model.order()) {
        m_model.setOrder(std::move(ids));
        m_table->scrollToTop(); // Another list is read from its beginning.
    }
    chooseSelected();
}

} // namespace tidemark::ui
