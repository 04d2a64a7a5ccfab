// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window's menus, dialogs and exports.
#include "core/diagnose/diagnosis.h"
#include "core/replay/peaks.h"
#include "core/report/capture_facts.h"
#include "ui/models/output_file.h"
#include "ui/models/place_text.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/dialogs/explain_dialog.h"
#include "ui/views/dialogs/plan_dialog.h"
#include "ui/views/dialogs/states_dialog.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/strips.h"
#include "ui/views/look/theme.h"
#include "ui/views/look/widget_picture.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/help_actions.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/menu_row.h"
#include "ui/views/window/mnemonics.h"
#include "ui/views/window/search_actions.h"
#include "ui/views/window/session_keeper.h"
#include "ui/views/window/start_page.h"
#include "ui/views/window/top_bar.h"
#include "ui/views/window/watch_actions.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QApplication>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMenuBar>

#include <algorithm>
#include <array>

namespace tidemark::ui {
namespace {

/// The one dialog of its kind, in front.
template <class Dialog>
Dialog& showOne(QWidget& window)
{
    auto* dialog = window.findChild<Dialog*>();
    if (dialog == nullptr) {
        dialog = new Dialog(&window);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
    }
    dialog->show();
    dialog->raise();
    return *dialog;
}

} // namespace

void MainWindow::makeMenus()
{
    m_search = new SearchActions(
        *this, m_state, *m_analysis_page, [this](const QString& words) { goTo(words); },
        [this] { setComparing(false); });
    m_help = new HelpActions(*this);
    connect(m_help, &HelpActions::failed, m_notices, &NoticeStrip::showFailure);
    auto* const bar = m_top_bar->findChild<QMenuBar*>();
    m_menus = new MenuActions(*bar, menuRows());
    connect(&m_preferences, &Preferences::recentFilesChanged, this, &MainWindow::refreshRecentMenu);
    connect(&m_preferences, &Preferences::themeChanged, m_menus, &MenuActions::refresh);
    connect(&m_preferences, &Preferences::restoresSessionChanged, this, [this] {
        m_menus->refresh();
        m_keeper->setOn(m_preferences.restoresSession());
    });
    connect(&m_watch->watcher(), &FolderWatcher::watchingChanged, m_menus, &MenuActions::refresh);
    connect(m_analysis_page, &AnalysisPage::partsChanged, m_menus, &MenuActions::refresh);
    refreshRecentMenu();
    keepMnemonicsApart(*bar);
    for (QWidget* const widget : findChildren<QWidget*>()) {
        if (const QVariant id = widget->property("keyOf"); id.isValid()) {
            widget->setToolTip(QStringLiteral("%1 (%2)").arg(
                widget->toolTip(), keyText(*this, id.toString().toLatin1().constData())));
        }
    }
    qApp->installEventFilter(this);
}

void MainWindow::chooseLanguage(const QString& code)
{
    if (code != m_preferences.language()) {
        m_preferences.setLanguage(code);
        m_notices->showNotice(tr("The language changes after a restart."));
    }
}

bool MainWindow::canShowTrace() const
{
    return !isJobShown() && (m_state.hasDevice() || isComparing());
}

bool MainWindow::canShowRun() const
{
    return canShowTrace() && !isComparing();
}

void MainWindow::leaveComparison()
{
    if (isComparing()) {
        setComparing(false);
    }
}

void MainWindow::refreshRecentMenu()
{
    QMenu& menu = m_menus->menu("recent");
    menu.clear();
    for (const QString& path : m_preferences.recentFiles()) {
        QAction* action = menu.addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        action->setEnabled(QFileInfo::exists(path));
        connect(action, &QAction::triggered, this, [this, path] { openFiles({path}); });
    }
    menu.setToolTipsVisible(true);
    menu.setEnabled(!m_preferences.recentFiles().isEmpty());
}

void MainWindow::chooseFiles(Opened how)
{
    // Where the last one was: runs lie beside each other.
    const QStringList recent = m_preferences.recentFiles();
    const QString last = current() != nullptr ? current()->path
        : recent.isEmpty()                    ? QString()
                                              : recent.front();
    const QStringList paths = QFileDialog::getOpenFileNames(
        this, tr("Open memory snapshots"), last.isEmpty() ? last : QFileInfo(last).path(),
        tr("Memory snapshots (*.pickle *.pkl *.json *.html *.gz *.xz *.zst *.bz2 *.lz4 *.zip "
           "*.tar *.tgz);;All files (*)"));
    if (!paths.isEmpty()) {
        openFiles(paths, how);
    }
}

ExplainDialog& MainWindow::openExplanation()
{
    auto* former = findChild<ExplainDialog*>();
    ExplainDialog& dialog = showOne<ExplainDialog>(*this);
    if (&dialog != former) {
        connect(&dialog, &ExplainDialog::useRequested, this, [this](const QString& message) {
            if (const OpenFile* file = current()) {
                m_notices->showNotice(
                    tr("Diagnosing %1 again with the message.").arg(fileName(file->analysis.file)));
                diagnoseWith(message);
            }
        });
        // The window behind it can be used: what it names is what is there now.
        const auto name_file = [this, &dialog] {
            const OpenFile* file = current();
            const bool can_use = file != nullptr && file->analysis.diagnosis != nullptr;
            dialog.setSnapshot(can_use ? fileName(file->analysis.file) : QString());
        };
        connect(&m_state, &ViewState::deviceChanged, &dialog, name_file);
        connect(&m_state, &ViewState::analysisChanged, &dialog, name_file);
        name_file();
    }
    return dialog;
}

void MainWindow::diagnoseWith(const QString& message)
{
    if (const OpenFile* file = current()) {
        diagnose::UserInput input = file->input;
        input.message = utf8(message);
        m_session.setUserInput(m_current, input);
    }
}

void MainWindow::openPlan()
{
    const PlanDialog* const former = findChild<PlanDialog*>();
    PlanDialog& dialog = showOne<PlanDialog>(*this);
    if (&dialog != former) {
        connect(&dialog, &PlanDialog::timelineRequested, this, &MainWindow::showPlanned);
    }
    if (const OpenFile* file = current(); file != nullptr && file->canDraw()) {
        dialog.setRecording(fileName(file->analysis.file), file->analysis);
    }
}

void MainWindow::openStates()
{
    showOne<StatesDialog>(*this);
}

void MainWindow::toggleTheme()
{
    const bool is_dark = resolveTheme(m_preferences.theme()) == Theme::dark;
    m_preferences.setTheme(is_dark ? ThemeChoice::light : ThemeChoice::dark);
}

/// Around the cursor, or what is shown that is next to it.
void MainWindow::zoom(double factor)
{
    ViewState& state = activeState();
    const Interval<double> range = state.range();
    const double x = state.axisMap().toX(state.cursor());
    state.zoomAround(std::clamp(x, range.begin, range.end), factor);
}

void MainWindow::goToPeak()
{
    constexpr std::size_t kPeaks = 3;
    ViewState& state = activeState();
    const std::vector<replay::Peak> peaks = replay::highestPeaks(state.replay().active, kPeaks);
    const auto at = std::ranges::find(peaks, state.cursor(), &replay::Peak::state);
    const bool is_last = at == peaks.end() || std::next(at) == peaks.end();
    state.setCursor(is_last ? peaks.front().state : std::next(at)->state);
    state.reveal(state.cursor());
}

void MainWindow::askWhereToGo()
{
    ViewState& state = activeState();
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("goTo"));
    dialog->setWindowTitle(tr("Go to event or time"));
    dialog->setLabelText(state.canShowTime()
                             ? tr("Event (5000) or time since the first event (1.25 s, 350 ms):")
                             : tr("Event, such as 5000 (this file has no timestamps):"));
    dialog->setInputMode(QInputDialog::TextInput);
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& words) {
        if (!goTo(words)) {
            m_notices->showNotice(tr("“%1” is not an event (5000) or a time (1.25 s).").arg(words));
        }
    });
    dialog->open();
}

bool MainWindow::goTo(const QString& words)
{
    ViewState& state = activeState();
    const std::optional<StateId> place =
        state.hasDevice() ? stateFromText(words, state.traceDevice()) : std::nullopt;
    if (place) {
        state.setCursor(*place);
        state.reveal(state.cursor());
    }
    return place.has_value();
}

void MainWindow::goToNextOom()
{
    ViewState& state = activeState();
    const std::vector<EventId>& ooms = state.replay().ooms;
    if (ooms.empty()) {
        m_notices->showNotice(tr("No OOM recorded on this device."));
        return;
    }
    const auto next = std::ranges::find_if(
        ooms, [&](EventId oom) { return StateId::before(oom) > state.cursor(); });
    state.setCursor(StateId::before(next == ooms.end() ? ooms.front() : *next));
    state.reveal(state.cursor());
}

void MainWindow::choosePicturePath()
{
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export picture"), proposedPath(QStringLiteral("-timeline.png")),
        tr("Picture (*.png);;Vector picture (*.svg);;PDF (*.pdf)"));
    if (!path.isEmpty()) {
        exportPicture(path);
    }
}

bool MainWindow::exportPicture(const QString& path)
{
    if (isComparing()) {
        const std::array inputs{base()->analysis.file, against()->analysis.file};
        return m_notices->showResult(exportWidget(m_compare_page->lanes(), path, inputs),
                                     tr("Picture saved to %1").arg(path));
    }
    if (!m_state.hasDevice()) {
        return false;
    }
    const std::array inputs{m_state.analysis().file};
    const Result<Done> written = m_analysis_page->timeline().plot().exportTo(path, inputs);
    return m_notices->showResult(written, tr("Picture saved to %1").arg(path));
}

void MainWindow::chooseModulePath()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save capture module"),
                                     QStringLiteral("tidemark_capture.py"), tr("Python (*.py)"));
    if (!path.isEmpty()) {
        saveModule(path);
    }
}

bool MainWindow::saveModule(const QString& path)
{
    const std::string_view module = report::captureModule();
    const Result<Done> written = writeOutput(
        path, QByteArray(module.data(), static_cast<qsizetype>(module.size())), OutputKind::module);
    return m_notices->showResult(written, tr("Capture module saved to %1").arg(path));
}

} // namespace tidemark::ui
