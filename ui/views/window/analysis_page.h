// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/view_state.h"

#include <QtCore/QByteArray>
#include <QtWidgets/QWidget>

#include <vector>

class QDockWidget;
class QLabel;
class QMainWindow;

namespace tidemark::ui {

class AllocationsPanel;
class BookmarksPanel;
class CorrectionsPanel;
class FixCard;
class FixesPanel;
class ModelPanel;
class SimulatePanel;
class TimelineView;
class SourcePlaces;
class Trial;

/// One device of one file: the verdict and the change to make above, the timeline in the middle,
/// and around it panels that people can move, tear off and stack.
class AnalysisPage : public QWidget {
    Q_OBJECT
public:
    explicit AnalysisPage(ViewState& state, QWidget* parent = nullptr);

    [[nodiscard]] TimelineView& timeline()
    {
        return *m_timeline;
    }
    [[nodiscard]] FixesPanel& fixes()
    {
        return *m_fixes;
    }
    /// The changes that are tried.
    [[nodiscard]] Trial& trial()
    {
        return *m_trial;
    }
    /// Whether something that is looked at is still being computed.
    [[nodiscard]] bool isBusy() const;
    [[nodiscard]] CorrectionsPanel& corrections()
    {
        return *m_corrections;
    }
    [[nodiscard]] BookmarksPanel& bookmarks()
    {
        return *m_bookmarks;
    }
    /// Where source files lie here, and what opens them.
    [[nodiscard]] SourcePlaces& sourcePlaces()
    {
        return *m_sources;
    }
    [[nodiscard]] AllocationsPanel& allocations()
    {
        return *m_allocations;
    }
    [[nodiscard]] ModelPanel& model()
    {
        return *m_model;
    }
    /// Names for `showPanel` and `showOnly`: cursor, fixes, whatif, evidence, allocations, memory,
    /// stack, buckets, model, steps, range, simulate, corrections, bookmarks, file.
    [[nodiscard]] QStringList panelNames() const;
    /// The panels' own switches, for the menu.
    [[nodiscard]] std::vector<QAction*> panelActions() const;
    /// Brings a panel to the front. False for a name that does not exist.
    bool showPanel(const QString& name);
    /// Nothing but one panel ("timeline" for the middle), for pictures of it.
    bool showOnly(const QString& name);
    /// What was restored, as long as nothing was shown.
    [[nodiscard]] QByteArray saveLayout() const;
    /// Takes effect once the page has its size: panels that are laid out in a smaller one are
    /// squeezed, and stay so. No panel becomes smaller than its content needs.
    void restoreLayout(const QByteArray& layout);
    void resetLayout();

Q_SIGNALS:
    void failed(const QString& sentence); ///< Something that a person asked for.
    void copied(const QString& words);
    /// Of the selected allocation: a menu at a place of the screen.
    void menuRequested(const QPoint& place);
    /// Of an allocation, or of a stack where that is none.
    void relabelRequested(quint32 allocation, quint32 stack);
    void inputChanged(const tidemark::diagnose::UserInput& input);

protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    /// A few rows of each part is all that there is room for.
    [[nodiscard]] bool isSmall() const;

    struct Panel {
        QString name;
        QDockWidget* dock;
        QWidget* title; ///< Its upper part while it is no tab; also the handle it is dragged by.
        QWidget* no_title; ///< What stands there while it is one.
    };
    QWidget* makeVerdictRow();
    void makeTimeline();
    void makePanels();
    QDockWidget* addPanel(const QString& name, const QString& title, QWidget* content,
                          QLabel* title_label = nullptr);
    void hideWithTab(QDockWidget& dock, QWidget& content);
    void updateTitles();
    void layOut();
    void fitMinimum();
    [[nodiscard]] QDockWidget* dockOf(const QString& name) const;

    ViewState& m_state;
    QWidget* m_verdict_row = nullptr;
    FixCard* m_fix_card = nullptr;
    QMainWindow* m_docks;
    TimelineView* m_timeline = nullptr;
    Trial* m_trial;
    SourcePlaces* m_sources;
    FixesPanel* m_fixes = nullptr;
    AllocationsPanel* m_allocations = nullptr;
    CorrectionsPanel* m_corrections = nullptr;
    BookmarksPanel* m_bookmarks = nullptr;
    ModelPanel* m_model = nullptr;
    SimulatePanel* m_simulate = nullptr;
    std::vector<Panel> m_panels;
    QByteArray m_saved_layout;
    bool m_is_laid_out = false;
};

} // namespace tidemark::ui
