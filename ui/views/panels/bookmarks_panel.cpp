// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/bookmarks_panel.h"

#include "core/base/format.h"
#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/panels/list_layout.h"

#include <QtGui/QShortcut>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

enum Column { Event, Time, Active, Note };

} // namespace

BookmarksPanel::BookmarksPanel(ViewState& state, QWidget* parent)
    : QWidget(parent)
    , m_state(state)
    , m_words(makeSecondaryText(this, QStringLiteral("bookmarksWords")))
    , m_add(makeQuietButton(this, tr("Add Bookmark…")))
    , m_edit(makeQuietButton(this, tr("Edit Note…")))
    , m_remove(makeQuietButton(this, tr("Remove")))
    , m_table(makeTable(this, QStringLiteral("bookmarks"), tr("Bookmarks"), m_model))
{
    setObjectName(QStringLiteral("bookmarksPanel"));
    m_add->setObjectName(QStringLiteral("addBookmark"));
    m_edit->setObjectName(QStringLiteral("editBookmark"));
    m_remove->setObjectName(QStringLiteral("removeBookmark"));
    layOutList(*this, *m_words, {m_add, m_edit, m_remove}, *m_table);
    const auto ask = [this](auto signal) {
        return [this, signal] {
            if (const pipeline::Bookmark* mark = chosen()) {
                Q_EMIT(this->*signal)(mark->state);
            }
        };
    };
    connect(m_add, &QToolButton::clicked, this, &BookmarksPanel::markRequested);
    connect(m_edit, &QToolButton::clicked, this, ask(&BookmarksPanel::editRequested));
    connect(m_remove, &QToolButton::clicked, this, ask(&BookmarksPanel::removeRequested));
    auto* by_key = new QShortcut(QKeySequence::Delete, m_table);
    by_key->setContext(Qt::WidgetShortcut);
    by_key->setWhatsThis(tr("Remove the selected bookmark"));
    connect(by_key, &QShortcut::activated, this, ask(&BookmarksPanel::removeRequested));
    connect(m_table, &QTableView::activated, this, &BookmarksPanel::goToChosen);
    connect(m_table, &QTableView::clicked, this, &BookmarksPanel::goToChosen);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &BookmarksPanel::refreshButtons);
    connect(&m_state, &ViewState::deviceChanged, this, &BookmarksPanel::refresh);
    connect(&m_state, &ViewState::bookmarksChanged, this, &BookmarksPanel::refresh);
    refresh();
}

const pipeline::Bookmark* BookmarksPanel::chosen() const
{
    const int row = m_table->currentIndex().row();
    const auto& marks = m_state.bookmarks();
    return row < 0 || static_cast<std::size_t>(row) >= marks.size()
        ? nullptr
        : &marks[static_cast<std::size_t>(row)];
}

void BookmarksPanel::goToChosen()
{
    if (const pipeline::Bookmark* mark = chosen()) {
        m_state.setCursor(mark->state);
        m_state.reveal(m_state.cursor());
    }
}

void BookmarksPanel::refresh()
{
    TextTable table;
    table.columns = {{tr("Moment")}, {tr("Time"), true}, {tr("Active"), true}, {tr("Note")}};
    if (m_state.hasDevice()) {
        const projection::AxisMap times(m_state.traceDevice(),
                                        m_state.canShowTime() ? projection::Axis::time
                                                              : projection::Axis::event);
        for (const pipeline::Bookmark& mark : m_state.bookmarks()) {
            const Bytes active = m_state.replay().activeAt(mark.state);
            TextRow row;
            row.cells = {
                {text(formatEventNumber(mark.state.eventNumber()))},
                {m_state.canShowTime() ? durationText(Duration(std::llround(times.toX(mark.state))))
                                       : QStringLiteral("–")},
                {columnText(active, m_state.replay().activeAt(m_state.replay().peak)), active},
                {text(mark.note).simplified(), {}, text(mark.note)}};
            table.rows.push_back(std::move(row));
        }
    }
    const int current = m_table->currentIndex().row();
    const int count = static_cast<int>(table.rows.size());
    m_model.setTable(std::move(table));
    Q_EMIT countChanged(count);
    m_table->setVisible(count > 0);
    m_words->setText(
        count == 0 ? tr("No bookmarks yet. Press B to add one at the cursor.")
                   : tr("Click to go there. Saved beside the snapshot; included in the report."));
    fitColumns(*m_table, Note);
    if (count > 0 && current >= 0) {
        m_table->selectRow(std::min(current, count - 1));
    }
    refreshButtons();
}

void BookmarksPanel::refreshButtons()
{
    const bool any = chosen() != nullptr;
    m_add->setEnabled(m_state.hasDevice());
    m_edit->setEnabled(any);
    m_remove->setEnabled(any);
    m_edit->setVisible(m_table->isVisibleTo(this));
    m_remove->setVisible(m_table->isVisibleTo(this));
}

} // namespace tidemark::ui
