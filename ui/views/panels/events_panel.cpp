// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/events_panel.h"

#include "ui/models/text.h"
#include "ui/views/look/column_room.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/code_link.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {

EventsPanel::EventsPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_search(new QLineEdit(this))
    , m_words(makeSecondaryText(this, QStringLiteral("eventsWords")))
    , m_table(makeTable(this, QStringLiteral("events"), tr("Trace events"), m_model))
{
    setObjectName(QStringLiteral("eventsPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    m_search->setObjectName(QStringLiteral("eventsSearch"));
    m_search->setAccessibleName(tr("Find events"));
    m_search->setPlaceholderText(tr("Find action, bucket, line or address"));
    m_search->setClearButtonEnabled(true);
    m_search->setAcceptDrops(false);
    m_search->setMaximumWidth(320);
    auto* previous = makeQuietButton(this, tr("Previous"));
    auto* next = makeQuietButton(this, tr("Next"));
    previous->setObjectName(QStringLiteral("eventsPrevious"));
    next->setObjectName(QStringLiteral("eventsNext"));
    head->addWidget(m_search, 2);
    head->addWidget(previous);
    head->addWidget(next);
    head->addWidget(m_words, 3);
    column->addLayout(head);
    column->addWidget(m_table, 1);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(previous, &QToolButton::clicked, this, [this] { findNext(-1); });
    connect(next, &QToolButton::clicked, this, [this] { findNext(1); });
    connect(m_search, &QLineEdit::returnPressed, this, [this] { findNext(1); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid() && !m_follows) {
                    chooseRow(row.row());
                }
            });
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (!m_model.allocationOf(index.row()).isNone()) {
            Q_EMIT stackRequested();
        }
    });
    auto* link = new CodeLink(*m_table, EventsModel::Line, [this](const QModelIndex& index) {
        const FrameId frame = m_model.shownFrame(index.row());
        return frame.isNone() ? std::nullopt
                              : std::optional(placeOf(*m_state.analysis().snapshot, frame));
    });
    connect(link, &CodeLink::opened, this, &EventsPanel::editorRequested);
    connect(&m_state, &ViewState::deviceChanged, this, [this] {
        m_is_stale = true;
        m_model.clear(); // Its rows are events of the device before.
        reset();
    });
    connect(&m_state, &ViewState::labelsChanged, this, [this] {
        if (!m_is_stale && m_state.hasDevice()) {
            m_model.setLabels(m_state.analysis());
        }
    });
    connect(&m_state, &ViewState::cursorChanged, this, &EventsPanel::followCursor);
    reset();
}

void EventsPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    reset();
    followCursor();
}

void EventsPanel::reset()
{
    if (!m_state.hasDevice()) {
        m_words->clear();
        return;
    }
    if (!m_is_stale || !isVisible()) {
        return;
    }
    m_is_stale = false;
    m_model.setDevice(m_state.analysis(), m_state.device());
    m_table->setColumnHidden(EventsModel::Time, !m_model.hasTimes());
    m_table->setColumnHidden(EventsModel::Stream, !m_model.hasStreams());
    m_words->setText(m_model.rowCount() == 0 ? tr("No history recorded, so no events.")
                                             : tr("%Ln event|"
                                                  "%Ln events",
                                                  nullptr, m_model.rowCount()));
    followCursor();
    fitColumns(*m_table, EventsModel::Line, {EventsModel::Bucket});
}

/// The event that led to the cursor's state.
void EventsPanel::followCursor()
{
    if (m_is_stale || !isVisible() || m_model.rowCount() == 0) {
        return;
    }
    const int row =
        std::clamp(static_cast<int>(m_state.cursor().value) - 1, 0, m_model.rowCount() - 1);
    if (row != m_table->currentIndex().row()) {
        m_follows = true;
        m_table->setCurrentIndex(m_model.index(row, EventsModel::Number));
        m_table->scrollTo(m_table->currentIndex(), QAbstractItemView::PositionAtCenter);
        m_follows = false;
    }
}

void EventsPanel::chooseRow(int row)
{
    const StateId state = StateId::after(EventId(static_cast<std::size_t>(row)));
    m_state.setCursor(state);
    m_state.reveal(state);
    if (const AllocationId id = m_model.allocationOf(row); !id.isNone()) {
        m_state.select(id);
    }
}

void EventsPanel::findNext(int step)
{
    const QString words = m_search->text().trimmed();
    if (words.isEmpty() || m_model.rowCount() == 0) {
        return;
    }
    const auto row = m_model.find(words, m_table->currentIndex().row(), step);
    m_words->setText(row            ? tr("%Ln event|"
                                                    "%Ln events",
                                         nullptr, m_model.rowCount())
                         : step > 0 ? tr("No later event matches “%1”.").arg(words)
                                    : tr("No earlier event matches “%1”.").arg(words));
    if (row) {
        m_table->setCurrentIndex(m_model.index(*row, EventsModel::Number));
        m_table->scrollTo(m_table->currentIndex(), QAbstractItemView::PositionAtCenter);
    }
}

} // namespace tidemark::ui
