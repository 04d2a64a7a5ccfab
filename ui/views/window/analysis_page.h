// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"

#include <QtCore/QByteArray>
#include <QtCore/QHash>
#include <QtWidgets/QWidget>

#include <array>
#include <cstdint>

class QSplitter;

namespace tidemark::ui {

class Drawer;
class SourcePlaces;
class TimelineView;
class WhatIfTrial;

/// One device of one file. The plot gets what nobody else claims:
///
///     | verdict                                  | fix                    |   at most 96 px
///     | plot                                                | at the     |   at least 45 % of
///     |                                                     | cursor     |   the window's height
///     | Fix | Why | Allocations | Stacks | Memory | Steps                 |   the drawer
class AnalysisPage : public QWidget {
    Q_OBJECT
public:
    explicit AnalysisPage(ViewState& state, QWidget* parent = nullptr);

    [[nodiscard]] ViewState& state()
    {
        return m_state;
    }
    [[nodiscard]] TimelineView& timeline()
    {
        return *m_timeline;
    }
    /// The changes that are tried.
    [[nodiscard]] WhatIfTrial& trial()
    {
        return *m_trial;
    }
    /// Where source files are here, and what opens them.
    [[nodiscard]] SourcePlaces& sourcePlaces()
    {
        return *m_sources;
    }
    /// The panel of a class of the table in panel_table.cpp, which has one of each.
    template <class P>
    [[nodiscard]] P& panel() const
    {
        return *findChild<P*>();
    }

    /// Whether something that is looked at is still being computed.
    [[nodiscard]] bool isBusy() const;
    /// The ids of `panelKinds`.
    [[nodiscard]] static QStringList panelNames();
    /// Brings a panel to the front. False for a name that does not exist.
    bool showPanel(const QString& name);
    /// Nothing but one panel ("timeline" for the plot), for pictures of it.
    bool showOnly(const QString& name);
    /// Brings the panel of a tab to the front that was there last.
    void showTab(int index);
    void stepTab(int by); ///< Round and round.
    /// Gives the focus to the plot, the list at its right, the panel, the stack, the answer, and so
    /// on.
    void stepPart(int by);
    /// What is beside the plot can be hidden, or all of it at once.
    enum class Part : std::uint8_t { drawer, cursor, plot_alone };
    [[nodiscard]] bool has(Part part) const
    {
        return m_parts[static_cast<std::size_t>(part)];
    }
    void setPart(Part part, bool on);
    /// How high the drawer is per tab, how wide the panel at the right, what is in front.
    [[nodiscard]] QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);
    void resetLayout();
    /// How many a panel with a badge has.
    void setBadgeCount(const QWidget* panel, int count);

Q_SIGNALS:
    void failed(const QString& sentence); ///< Something that a person asked for.
    void copied(const QString& words);
    /// Of the selected allocation: a menu at a place of the screen.
    void menuRequested(const QPoint& place);
    /// Of an allocation, or of a stack where that is none.
    void relabelRequested(quint32 allocation, quint32 stack);
    void messageGiven(const QString& message);
    void partsChanged();

protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeAnswer();
    QWidget* makeTimeline();
    void makePanels();
    void keepShare();
    void shareHeight();
    void shareWidth();
    void refreshVisible();
    [[nodiscard]] QString tabName() const;
    [[nodiscard]] int plotFloor() const;

    ViewState& m_state;
    WhatIfTrial* m_trial;
    SourcePlaces* m_sources;
    QWidget* m_answer;
    QSplitter* m_rows; ///< The plot with what is beside it, and the drawer.
    QSplitter* m_columns; ///< The plot and the panel at its right.
    TimelineView* m_timeline = nullptr;
    Drawer* m_drawer;
    QWidget* m_beside = nullptr;
    std::array<bool, 3> m_parts{true, true, false};
    QHash<QString, double> m_shares; ///< Of the height that plot and drawer have, per tab.
    int m_beside_width = 0; ///< As a person dragged it; 0: by the width of the page.
    bool m_is_sharing = false;
    bool m_was_shown = false;
};

} // namespace tidemark::ui
