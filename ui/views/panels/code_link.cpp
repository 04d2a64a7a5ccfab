// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/panels/code_link.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QTableView>

#include <utility>

namespace tidemark::ui {

CodeLink::CodeLink(QTableView& table, int column, PlaceOf place_of)
    : QObject(&table)
    , m_table(table)
    , m_column(column)
    , m_place_of(std::move(place_of))
{
    table.viewport()->installEventFilter(this);
    table.installEventFilter(this);
}

std::vector<KeyHelp> CodeLink::keyHelp()
{
    return {{Qt::CTRL | Qt::Key_Return, {}, tr("Open the selected line in the editor")},
            {{}, tr("Ctrl+click"), tr("Open the line in the editor")}};
}

bool CodeLink::open(const QModelIndex& index)
{
    const std::optional<FramePlace> place =
        index.isValid() ? m_place_of(index) : std::optional<FramePlace>();
    if (place && place->line > 0) {
        Q_EMIT opened(place->file, place->line);
    }
    return place.has_value();
}

bool CodeLink::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseButtonPress && watched == m_table.viewport()) {
        const auto* const mouse = static_cast<QMouseEvent*>(event);
        const QModelIndex index = m_table.indexAt(mouse->pos());
        if (mouse->button() == Qt::LeftButton && mouse->modifiers() == Qt::ControlModifier
            && index.column() == m_column) {
            return open(index);
        }
    }
    if (event->type() == QEvent::KeyPress && watched == &m_table) {
        const auto* const key = static_cast<QKeyEvent*>(event);
        if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter)
            && key->modifiers().testFlag(Qt::ControlModifier)) {
            return open(m_table.currentIndex());
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace tidemark::ui
