// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/menu_row.h"

#include "ui/models/text.h"

#include <QtGui/QActionGroup>
#include <QtWidgets/QMenu>

#include <utility>

namespace tidemark::ui {

MenuActions::MenuActions(QMenuBar& bar, std::vector<MenuRow> rows)
    : QObject(&bar)
    , m_bar(bar)
    , m_rows(std::move(rows))
{
    for (const MenuRow& row : m_rows) {
        addRow(row);
    }
}

QMenu& MenuActions::menu(std::string_view id) const
{
    return *m_bar.findChild<QMenu*>(text(id));
}

void MenuActions::addRow(const MenuRow& row)
{
    const auto add_to = [&](auto& bar_or_menu) -> QAction* {
        if (row.id.empty()) {
            bar_or_menu.addSeparator();
            return nullptr;
        }
        if (row.action == nullptr && !row.call) {
            bar_or_menu.addMenu(row.words)->setObjectName(text(row.id));
            return nullptr;
        }
        QAction* const action =
            row.action != nullptr ? row.action : new QAction(row.words, &bar_or_menu);
        bar_or_menu.addAction(action);
        return action;
    };
    QAction* const action = row.menu.empty() ? add_to(m_bar) : add_to(menu(row.menu));
    m_actions.push_back(action);
    if (action == nullptr) {
        return;
    }
    if (action->objectName().isEmpty()) {
        action->setObjectName(text(row.id));
    }
    if (!row.keys.isEmpty()) {
        action->setShortcuts(row.keys);
    }
    action->setCheckable(row.is_on || action->isCheckable());
    if (row.is_choice) {
        auto* group = menu(row.menu).findChild<QActionGroup*>();
        (group != nullptr ? group : new QActionGroup(&menu(row.menu)))->addAction(action);
    }
    if (row.call) {
        connect(action, &QAction::triggered, this, [this, call = row.call] {
            call();
            refresh(); // A click ticks it, whatever came of it.
        });
    }
}

void MenuActions::refresh()
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_rows[i].is_enabled) {
            m_actions[i]->setEnabled(m_rows[i].is_enabled());
        }
        if (m_rows[i].is_on) {
            m_actions[i]->setChecked(m_rows[i].is_on());
        }
    }
}

QString keyText(const QWidget& widget, const char* id)
{
    const auto* const action = widget.window()->findChild<QAction*>(QString::fromLatin1(id));
    return action == nullptr ? QString() : action->shortcut().toString(QKeySequence::NativeText);
}

} // namespace tidemark::ui
