// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QList>
#include <QtCore/QString>
#include <QtGui/QAction>
#include <QtGui/QKeySequence>
#include <QtWidgets/QMenuBar>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::ui {

/// A row of the window's menus. `MainWindow::menuRows` has all of them in their order; the sheet of
/// keys, the search's commands and the keys in docs/window.md are what stands there.
struct MenuRow {
    std::string_view menu{}; ///< Id of the menu that it is in; empty: the bar.
    std::string id{}; ///< Its object's name; empty: a line between others.
    QString words{}; ///< Empty: those of `action`.
    QList<QKeySequence> keys{}; ///< The first is shown.
    std::function<void()> call{}; ///< With neither this nor `action` it is a menu.
    std::function<bool()> is_enabled{}; ///< None: always, or as `action` has it.
    std::function<bool()> is_on{}; ///< None: nothing to tick.
    bool is_choice = false; ///< Of those in its menu one is ticked.
    QAction* action = nullptr; ///< Made elsewhere.
};

/// The actions of a window's menus.
class MenuActions : public QObject {
    Q_OBJECT
public:
    /// Fills the bar.
    MenuActions(QMenuBar& bar, std::vector<MenuRow> rows);

    /// Ticks and enables them as things are now.
    void refresh();
    [[nodiscard]] QMenu& menu(std::string_view id) const;

private:
    void addRow(const MenuRow& row);

    QMenuBar& m_bar;
    std::vector<MenuRow> m_rows;
    std::vector<QAction*> m_actions; ///< Of each row; null for a line or a menu.
};

/// The key of an action by its object's name, in the window of a widget, as people write it; empty
/// without one.
[[nodiscard]] QString keyText(const QWidget& widget, const char* id);

} // namespace tidemark::ui
