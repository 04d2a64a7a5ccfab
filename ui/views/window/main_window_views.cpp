// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/compare_page.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"

#include <QtWidgets/QStackedWidget>

namespace tidemark::ui {
namespace {

constexpr char kComparison[] = "compare-"; ///< Before the name of one of its tables.

/// The training step that holds a state, or the whole trace.
Interval<StateId> stepAround(const ViewState& view, StateId state)
{
    for (const label::Step& step : view.labels().stepsBegun()) {
        const Interval<StateId> states{StateId::before(step.first_event),
                                       StateId::after(step.last_event)};
        if (states.begin <= state && state <= states.end) {
            return states;
        }
    }
    return {StateId::start(), view.replay().lastState()};
}

} // namespace

QStringList MainWindow::viewNames()
{
    QStringList names{QStringLiteral("overview"), QStringLiteral("timeline"),
                      QStringLiteral("layers")};
    names << AnalysisPage::panelNames() << QStringLiteral("compare") << QStringLiteral("start")
          << QStringLiteral("run") << QStringLiteral("job");
    return names;
}

QStringList MainWindow::comparisonViewNames()
{
    QStringList names = CompareTables::tabNames();
    for (QString& name : names) {
        name.prepend(QLatin1String(kComparison));
    }
    return names;
}

bool MainWindow::showView(const QString& name, bool alone)
{
    if (name == QStringLiteral("start")) {
        m_pages->setCurrentWidget(m_start_page);
        return true;
    }
    if (name == QStringLiteral("job")) {
        if (m_job->job().isOpen()) {
            showJob();
        }
        return isJobShown();
    }
    if (name == QStringLiteral("compare")) {
        setComparing(true);
        return isComparing();
    }
    if (name.startsWith(QLatin1String(kComparison))) {
        setComparing(true);
        return isComparing()
            && m_compare_page->tables().showTab(name.mid(int(sizeof kComparison) - 1));
    }
    setComparing(false);
    if (name == QStringLiteral("overview")) {
        return current() != nullptr;
    }
    if (!m_state.hasDevice()) {
        return false;
    }
    if (name == QStringLiteral("layers")) {
        m_state.setTimelineMode(TimelineMode::allocations);
        return showView(QStringLiteral("timeline"), alone);
    }
    if (name == QStringLiteral("fixes") || name == QStringLiteral("whatif")) {
        m_analysis_page->panel<FixesPanel>().chooseRecommended();
    }
    if (name == QStringLiteral("run")) {
        m_analysis_page->panel<AllocationsPanel>().setScope(AllocationsPanel::Scope::run);
        return showView(QStringLiteral("allocations"), alone);
    }
    if (name == QStringLiteral("range") && !m_state.selectedRange()) {
        m_state.selectRange(stepAround(m_state, m_state.cursor()));
    }
    if (name == QStringLiteral("stack")) {
        selectAny();
    }
    if (alone) {
        return m_analysis_page->showOnly(name);
    }
    return name == QStringLiteral("timeline") || m_analysis_page->showPanel(name);
}

void MainWindow::selectAny()
{
    const auto live = replay::liveAt(m_state.replay(), m_state.shownState());
    if (m_state.selected().isNone() && !live.empty()) {
        m_state.select(live.front());
    }
}

AnalysisPage& MainWindow::analysisPage()
{
    return *m_analysis_page;
}

ComparePage& MainWindow::comparePage()
{
    return *m_compare_page;
}

JobActions& MainWindow::jobActions()
{
    return *m_job;
}

WatchActions& MainWindow::watchActions()
{
    return *m_watch;
}

RemoteActions& MainWindow::remoteActions()
{
    return *m_remote;
}

BookmarkActions& MainWindow::bookmarkActions()
{
    return *m_bookmarks;
}

RelabelActions& MainWindow::relabelActions()
{
    return *m_relabel;
}

} // namespace tidemark::ui
