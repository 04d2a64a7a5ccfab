// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/drawer.h"

#include "ui/models/text.h"
#include "ui/views/look/pieces.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QEvent>
#include <QtCore/QSignalBlocker>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {
namespace {

constexpr int kFewestPaneLetters = 30;
constexpr int kFewestPanelLines = 4;

QToolButton* makeSwitchButton(QWidget* parent, const QString& words)
{
    auto* button = new QToolButton(parent);
    button->setText(words);
    button->setCheckable(true);
    button->setFocusPolicy(Qt::TabFocus);
    button->setProperty("segment", true);
    return button;
}

} // namespace

Drawer::Drawer(QWidget* parent)
    : QFrame(parent)
    , m_tabs(new QTabBar(this))
    , m_switch(new QWidget(this))
    , m_badges(new QHBoxLayout)
    , m_head(new QWidget(this))
    , m_split(new QSplitter(Qt::Horizontal, this))
    , m_pages(new QStackedWidget(m_split))
{
    setObjectName(QStringLiteral("drawer"));
    setProperty("card", true);
    m_tabs->setObjectName(QStringLiteral("drawerTabs"));
    m_tabs->setExpanding(false);
    m_tabs->setFocusPolicy(Qt::TabFocus);
    m_tabs->setAccessibleName(AnalysisPage::tr("Details"));
    for (const TabKind& tab : tabKinds()) {
        m_tabs->addTab(AnalysisPage::tr(tab.title));
        m_last.emplace_back();
    }
    for (int i = 0; i < m_tabs->count(); ++i) {
        m_tabs->setTabToolTip(i, QKeySequence(tabKey(i)).toString(QKeySequence::NativeText));
    }
    auto* switches = new QHBoxLayout(m_switch);
    switches->setContentsMargins(0, 0, 0, 0);
    switches->setSpacing(0);
    m_badges->setSpacing(6);
    auto* hide = makeQuietButton(m_head, QStringLiteral("✕"));
    hide->setObjectName(QStringLiteral("hideDrawer"));
    hide->setToolTip(AnalysisPage::tr("Hide the details"));
    hide->setProperty("keyOf", QStringLiteral("details"));
    hide->setAccessibleName(AnalysisPage::tr("Hide Details"));
    auto* head = new QHBoxLayout(m_head);
    head->setContentsMargins(0, 0, 0, 0);
    head->setSpacing(12);
    head->addWidget(m_tabs);
    head->addWidget(m_switch);
    head->addStretch(1);
    head->addLayout(m_badges);
    head->addWidget(hide);
    m_split->setObjectName(QStringLiteral("drawerSplit"));
    m_split->setChildrenCollapsible(false);
    m_split->setHandleWidth(14);
    m_split->addWidget(m_pages);
    m_split->setStretchFactor(0, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 2, 14, 10);
    column->setSpacing(6);
    column->addWidget(m_head);
    column->addWidget(m_split, 1);
    // A click on the tab in front leads back from a panel without one.
    connect(m_tabs, &QTabBar::tabBarClicked, this, &Drawer::showTab);
    connect(m_tabs, &QTabBar::currentChanged, this, &Drawer::showTab);
    connect(hide, &QToolButton::clicked, this, &Drawer::closeRequested);
}

void Drawer::addPanel(const PanelKind& kind, const QString& title, QWidget* panel)
{
    const QString id = QString::fromLatin1(kind.id);
    if (kind.place == PanelPlace::pane) {
        m_entries.push_back({id, title, kind.place, -1, panel, nullptr});
        makePane(title, panel);
        return;
    }
    const auto tabs = tabKinds();
    const auto tab = std::ranges::find_if(tabs, [&](const TabKind& each) {
        return QLatin1String(each.id) == QLatin1String(kind.tab);
    });
    const int index = tab == tabs.end() ? -1 : static_cast<int>(tab - tabs.begin());
    QToolButton* button =
        index >= 0 ? makeSwitchButton(m_switch, title) : makeQuietButton(m_head, title);
    button->setObjectName(id + QStringLiteral("Switch"));
    if (index >= 0) {
        m_switch->layout()->addWidget(button);
        if (m_last[static_cast<std::size_t>(index)].isEmpty()) {
            m_last[static_cast<std::size_t>(index)] = id;
        }
    } else {
        button->setCheckable(true);
        button->setFont(smallFont(*this));
        m_badges->addWidget(button);
    }
    connect(button, &QToolButton::clicked, this, [this, id] { showPanel(id); });
    // Of the pages only the one in front asks for room, and none makes the window higher.
    panel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    panel->setMinimumHeight(fontMetrics().height() * kFewestPanelLines);
    m_pages->addWidget(panel);
    m_entries.push_back({id, title, kind.place, index, panel, button});
    if (m_shown.isEmpty()) {
        showEntry(m_entries.back());
    }
    refreshSwitch();
}

void Drawer::makePane(const QString& title, QWidget* panel)
{
    m_pane = new QWidget(m_split);
    m_pane->setMinimumWidth(fontMetrics().averageCharWidth() * kFewestPaneLetters);
    m_pane->setMinimumHeight(fontMetrics().height() * kFewestPanelLines);
    auto* words = new QLabel(title, m_pane);
    words->setFont(headingFont(*this, 1.0));
    auto* hide = makeQuietButton(m_pane, QStringLiteral("✕"));
    hide->setAccessibleName(AnalysisPage::tr("Hide %1").arg(title));
    auto* head = new QHBoxLayout;
    head->addWidget(words, 1);
    head->addWidget(hide);
    auto* column = new QVBoxLayout(m_pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(panel, 1);
    m_split->addWidget(m_pane);
    m_split->setStretchFactor(1, 0);
    m_pane->hide();
    connect(hide, &QToolButton::clicked, this, [this] { setPaneVisible(false); });
}

const Drawer::Entry* Drawer::find(const QString& id) const
{
    const auto found = std::ranges::find(m_entries, id, &Entry::id);
    return found == m_entries.end() ? nullptr : &*found;
}

bool Drawer::showPanel(const QString& id)
{
    const Entry* entry = find(id);
    if (entry == nullptr) {
        return false;
    }
    if (entry->place == PanelPlace::pane) {
        setPaneVisible(true);
    } else {
        showEntry(*entry);
    }
    return true;
}

void Drawer::showEntry(const Entry& entry)
{
    const bool is_new = m_shown != entry.id;
    m_shown = entry.id;
    if (entry.tab >= 0) {
        m_last[static_cast<std::size_t>(entry.tab)] = entry.id;
        const QSignalBlocker blocker(m_tabs);
        m_tabs->setCurrentIndex(entry.tab);
    }
    setStyleProperty(*m_tabs, "away", entry.tab < 0);
    if (QWidget* const before = m_pages->currentWidget(); before != nullptr) {
        before->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    }
    entry.panel->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
    m_pages->setCurrentWidget(entry.panel);
    m_prefers_pane = false;
    shareRoom();
    refreshSwitch();
    if (is_new) {
        Q_EMIT shownChanged(m_shown);
    }
}

void Drawer::refreshSwitch()
{
    const Entry* shown = find(m_shown);
    const int tab = shown == nullptr ? -1 : shown->tab;
    std::vector<QToolButton*> buttons;
    for (const Entry& entry : m_entries) {
        if (entry.button == nullptr) {
            continue;
        }
        entry.button->setChecked(entry.id == m_shown);
        if (entry.tab < 0) {
            entry.button->setVisible(!entry.is_empty || entry.id == m_shown);
        } else {
            entry.button->setVisible(entry.tab == tab);
            if (entry.tab == tab) {
                buttons.push_back(entry.button);
            }
        }
    }
    m_switch->setVisible(buttons.size() > 1);
    for (QToolButton* button : buttons) {
        setStyleProperty(*button, "place",
                         button == buttons.front()      ? QStringLiteral("first")
                             : button == buttons.back() ? QStringLiteral("last")
                                                        : QStringLiteral("middle"));
    }
}

void Drawer::showTab(int index)
{
    if (index >= 0 && index < tabCount()) {
        showPanel(m_last[static_cast<std::size_t>(index)]);
    }
}

void Drawer::stepTab(int by)
{
    showTab((m_tabs->currentIndex() + by + tabCount()) % tabCount());
}

int Drawer::tabCount() const
{
    return m_tabs->count();
}

int Drawer::currentTab() const
{
    const Entry* shown = find(m_shown);
    return shown == nullptr ? -1 : shown->tab;
}

QString Drawer::tabTitle(int index) const
{
    return m_tabs->tabText(index);
}

QString Drawer::shownPanel() const
{
    return m_shown;
}

QWidget* Drawer::panel(const QString& id) const
{
    const Entry* entry = find(id);
    return entry == nullptr ? nullptr : entry->panel;
}

std::vector<QWidget*> Drawer::parts() const
{
    return {m_pages, m_pane};
}

void Drawer::setBadgeCount(const QWidget* panel, int count)
{
    const auto entry = std::ranges::find(m_entries, panel, &Entry::panel);
    if (entry != m_entries.end() && entry->button != nullptr) {
        entry->is_empty = count == 0;
        entry->button->setText(count > 0 ? entry->title % u' ' % countText(count) : entry->title);
        refreshSwitch();
    }
}

void Drawer::setHeadVisible(bool visible)
{
    m_head->setVisible(visible);
}

void Drawer::setPagesVisible(bool visible)
{
    m_shows_pages = visible;
    m_pages->setVisible(visible);
}

bool Drawer::hasRoomForBoth() const
{
    return m_pages->minimumSizeHint().width() + m_split->handleWidth() + m_pane->minimumWidth()
        <= m_split->width();
}

/// The panel and the pane beside each other, or what was asked for last.
void Drawer::shareRoom()
{
    if (m_pane == nullptr || !m_shows_pages) {
        return;
    }
    m_split->setMinimumWidth(m_pages->minimumSizeHint().width()); // Not that of both.
    const bool has_room = hasRoomForBoth();
    m_pane->setVisible(m_wants_pane && (m_prefers_pane || has_room));
    m_pages->setVisible(m_pane->isHidden() || has_room);
}

bool Drawer::event(QEvent* event)
{
    const bool is_done = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest) {
        shareRoom();
    }
    return is_done;
}

void Drawer::resizeEvent(QResizeEvent* event)
{
    QFrame::resizeEvent(event);
    shareRoom();
}

void Drawer::setPaneVisible(bool visible)
{
    m_wants_pane = visible;
    m_prefers_pane = visible;
    m_pane->setVisible(visible);
    shareRoom();
    if (visible && m_split->sizes().value(1) < width() / 4) {
        m_split->setSizes({width() * 60 / 100, width() * 40 / 100});
    }
}

} // namespace tidemark::ui
