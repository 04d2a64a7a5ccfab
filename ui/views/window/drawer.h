// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/window/panel_table.h"

#include <QtCore/QStringList>
#include <QtWidgets/QFrame>

#include <vector>

class QHBoxLayout;
class QSplitter;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace tidemark::ui {

/// The details under the plot:
///
///     | Fix | Why | Allocations | …    (List|Buckets|Events)      Bookmarks 2 · File |
///     | the panel of the tab                                      | the stack      ✕ |
///
/// Where both find no room, the stack is shown in place of the panel until another is asked for.
///
/// Only what is shown has a visible widget, so nothing out of sight takes focus, keys or mnemonics.
class Drawer : public QFrame {
    Q_OBJECT
public:
    explicit Drawer(QWidget* parent = nullptr);

    /// Takes the panel over. Titles are translated.
    void addPanel(const PanelKind& kind, const QString& title, QWidget* panel);
    /// Brings a panel to the front. False for an id that it does not have.
    bool showPanel(const QString& id);
    void showTab(int index);
    void stepTab(int by); ///< Round and round.
    [[nodiscard]] int tabCount() const;
    [[nodiscard]] int currentTab() const; ///< -1 while a panel without a tab is shown.
    [[nodiscard]] QString tabTitle(int index) const;
    /// The panel in front, without the one at the right.
    [[nodiscard]] QString shownPanel() const;
    [[nodiscard]] QWidget* panel(const QString& id) const;
    [[nodiscard]] std::vector<QWidget*> parts() const; ///< The panels, and the one at the right.
    void setBadgeCount(const QWidget* panel, int count);
    /// Nothing but one panel, for pictures of it.
    void setHeadVisible(bool visible);
    void setPagesVisible(bool visible);
    void setPaneVisible(bool visible);

Q_SIGNALS:
    void shownChanged(const QString& id);
    void closeRequested();

protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Entry {
        QString id;
        QString title;
        PanelPlace place;
        int tab; ///< −1: none.
        QWidget* panel;
        QToolButton* button; ///< Of the tab's switch, or a badge; may be none.
        bool is_empty = false; ///< Its badge is hidden until it is shown.
    };
    [[nodiscard]] const Entry* find(const QString& id) const;
    void showEntry(const Entry& entry);
    void makePane(const QString& title, QWidget* panel);
    void refreshSwitch();
    [[nodiscard]] bool hasRoomForBoth() const;
    void shareRoom();

    QTabBar* m_tabs;
    QWidget* m_switch; ///< The buttons of the tabs that have several panels.
    QHBoxLayout* m_badges;
    QWidget* m_head;
    QSplitter* m_split;
    QStackedWidget* m_pages;
    QWidget* m_pane = nullptr;
    std::vector<Entry> m_entries;
    std::vector<QString> m_last; ///< Per tab the panel shown last.
    QString m_shown;
    bool m_shows_pages = true;
    bool m_prefers_pane = false; ///< What was asked for last.
    bool m_wants_pane = false; ///< Hidden or not, it comes where there is room.
};

} // namespace tidemark::ui
