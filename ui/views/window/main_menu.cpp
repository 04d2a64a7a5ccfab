// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The window's menus, dialogs and exports.
#include "core/diagnose/diagnosis.h"
#include "core/replay/peaks.h"
#include "core/report/capture_facts.h"
#include "ui/models/language.h"
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
#include "ui/views/panels/config_strip.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/bookmark_actions.h"
#include "ui/views/window/help_actions.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/main_window.h"
#include "ui/views/window/mnemonics.h"
#include "ui/views/window/relabel_actions.h"
#include "ui/views/window/search_actions.h"
#include "ui/views/window/session_keeper.h"
#include "ui/views/window/start_page.h"
#include "ui/views/window/top_bar.h"
#include "ui/views/window/watch_actions.h"

#include <QtCore/QFileInfo>
#include <QtGui/QActionGroup>
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

QAction* add(QMenu& menu, const QString& words, const QKeySequence& key, QObject* context,
             std::function<void()> call)
{
    QAction* action = menu.addAction(words);
    action->setShortcut(key);
    QObject::connect(action, &QAction::triggered, context, std::move(call));
    return action;
}

} // namespace

void MainWindow::makeMenus()
{
    auto* bar = m_top_bar->findChild<QMenuBar*>();
    makeFileMenu(*bar->addMenu(tr("&File")));
    QMenu* const edit = bar->addMenu(tr("&Edit"));
    for (QAction* action : m_relabel->fillMenu(*edit)) {
        m_trace_actions.push_back(action);
    }
    m_search = new SearchActions(
        *this, m_state, *m_analysis_page, [this](const QString& words) { goTo(words); },
        [this] { setComparing(false); });
    m_search->fillMenu(*edit);
    edit->addSeparator();
    QAction* finding =
        add(*edit, tr("Copy Finding as Mar&kdown"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
            this, [this] { copyFinding(); });
    finding->setObjectName(QStringLiteral("copyFinding"));
    QAction* link =
        add(*edit, tr("Copy &Link to This View"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L),
            this, [this] { copyLink(); });
    link->setObjectName(QStringLiteral("copyLink"));
    m_trace_actions.insert(m_trace_actions.end(), {finding, link});
    makeViewMenu(*bar->addMenu(tr("&View")));
    m_help = new HelpActions(*this);
    m_help->fillMenu(*bar->addMenu(tr("&Help")));
    connect(m_help, &HelpActions::failed, this,
            [this](const QString& sentence) { m_notices->showFailure(sentence); });
    connect(&m_preferences, &Preferences::recentFilesChanged, this, &MainWindow::refreshRecentMenu);
    refreshRecentMenu();
    keepMnemonicsApart(*bar);
}

void MainWindow::makeFileMenu(QMenu& menu)
{
    add(menu, tr("&Open…"), QKeySequence::Open, this, [this] { chooseFiles(Opened::alone); });
    menu.addAction(m_job->openFolderAction());
    m_recent_menu = menu.addMenu(tr("Open &Recent"));
    add(menu, tr("Open Re&mote…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), this,
        [this] { openRemote(); });
    add(menu, tr("Open from Clipboar&d"), QKeySequence::Paste, this, [this] { openCopied(); });
    menu.addAction(m_watch->action());
    QAction* example = add(menu, tr("Open E&xample"), {}, this, [this] { openExample(); });
    example->setEnabled(!m_services.example_path.isEmpty());
    add(menu, tr("Load Confi&guration…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), this,
        [this] { m_config->choose(); });
    add(menu, tr("Explain &Message…"), QKeySequence(Qt::CTRL | Qt::Key_M), this,
        [this] { explainMessage(); });
    add(menu, tr("Model &States…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M), this,
        [this] { openStates(); });
    add(menu, tr("P&lan Run…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), this,
        [this] { openPlan(); });
    add(menu, tr("&Close File"), QKeySequence::Close, this,
        [this] { isJobShown() ? m_job->close() : m_session.remove(m_current); });
    menu.addSeparator();
    m_report_action = add(menu, tr("Export Re&port…"), QKeySequence(Qt::CTRL | Qt::Key_E), this,
                          [this] { chooseReportPath(); });
    m_trace_actions.push_back(add(menu, tr("Export P&icture…"),
                                  QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), this,
                                  [this] { choosePicturePath(); }));
    QAction* redacts = menu.addAction(tr("Replace &Names in Reports"));
    redacts->setObjectName(QStringLiteral("redacts"));
    redacts->setCheckable(true);
    connect(redacts, &QAction::toggled, &m_preferences, &Preferences::setRedacts);
    menu.addSeparator();
    QAction* restore = menu.addAction(tr("Reopen Files at Star&t"));
    restore->setObjectName(QStringLiteral("restoreSession"));
    restore->setCheckable(true);
    restore->setChecked(m_preferences.restoresSession());
    connect(restore, &QAction::triggered, &m_preferences, &Preferences::setRestoresSession);
    connect(&m_preferences, &Preferences::restoresSessionChanged, restore, [this, restore] {
        restore->setChecked(m_preferences.restoresSession());
        m_keeper->setOn(m_preferences.restoresSession());
    });
    add(menu, tr("&Quit"), quitKey(), this, [this] { quit(); });
    qApp->installEventFilter(this);
}

void MainWindow::makeViewMenu(QMenu& menu)
{
    const auto trace = [&](const QString& words, const QKeySequence& key,
                           std::function<void()> call) {
        QAction* action = add(menu, words, key, this, std::move(call));
        m_trace_actions.push_back(action);
        return action;
    };
    const auto zoom = [this](double factor) {
        ViewState& state = activeState();
        const Interval<double> range = state.range();
        const double x = state.axisMap().toX(state.cursor());
        state.zoomAround(std::clamp(x, range.begin, range.end), factor);
    };
    trace(tr("&Whole Trace"), QKeySequence(Qt::CTRL | Qt::Key_0), [this] { activeState().fit(); });
    trace(tr("Zoom &In"), QKeySequence::ZoomIn, [zoom] { zoom(0.5); });
    trace(tr("Zoom &Out"), QKeySequence::ZoomOut, [zoom] { zoom(2.0); });
    trace(tr("Zoom to &Selected Range"), QKeySequence(Qt::Key_Z),
          [this] { activeState().zoomToSelection(); });
    trace(tr("&Back"), QKeySequence::Back, [this] { activePlot().history().goBack(); });
    trace(tr("&Forward"), QKeySequence::Forward, [this] { activePlot().history().goForward(); });
    menu.addSeparator();
    trace(tr("Next &Peak"), QKeySequence(Qt::Key_P), [this] { goToPeak(); });
    trace(tr("Go to E&vent or Time…"), QKeySequence(Qt::CTRL | Qt::Key_G),
          [this] { askWhereToGo(); });
    trace(tr("Next OO&M"), QKeySequence(Qt::Key_O), [this] { goToNextOom(); });
    menu.addAction(m_bookmarks->action());
    m_trace_actions.push_back(m_bookmarks->action());
    menu.addSeparator();
    trace(tr("&Event or Time Axis"), QKeySequence(Qt::Key_T), [this] {
        setAxis(activeState().axis() == projection::Axis::time ? projection::Axis::event
                                                               : projection::Axis::time);
    });
    trace(tr("Bands or &Allocations"), QKeySequence(Qt::Key_A), [this] {
        ViewState& state = activeState();
        state.setTimelineMode(state.timelineMode() == TimelineMode::bands
                                  ? TimelineMode::allocations
                                  : TimelineMode::bands);
    });
    trace(tr("Fit &Vertically"), QKeySequence(Qt::Key_H),
          [this] { activeState().setFitsHeight(!activeState().fitsHeight()); });
    trace(tr("Show All &Bands"), QKeySequence(Qt::SHIFT | Qt::Key_B),
          [this] { activeState().showAllBuckets(); });
    trace(tr("&Compare"), QKeySequence(Qt::Key_C), [this] { setComparing(!isComparing()); });
    QMenu* comparison = menu.addMenu(tr("Compa&rison"));
    for (QAction* action : m_compare_page->pageActions()) {
        comparison->addAction(action);
    }
    trace(tr("What &If…"), QKeySequence(Qt::Key_W), [this] {
        setComparing(false);
        m_analysis_page->showPanel(QStringLiteral("whatif"));
    });
    menu.addSeparator();
    QMenu* panels = menu.addMenu(tr("Pa&nels"));
    for (QAction* action : m_analysis_page->actions()) {
        panels->addAction(action);
    }
    QMenu* themes = menu.addMenu(tr("&Theme"));
    auto* group = new QActionGroup(themes);
    const std::vector<std::pair<QString, ThemeChoice>> choices{
        {tr("&System"), ThemeChoice::system},
        {tr("&Light"), ThemeChoice::light},
        {tr("&Dark"), ThemeChoice::dark},
    };
    for (const auto& [words, choice] : choices) {
        QAction* action = themes->addAction(words);
        action->setCheckable(true);
        group->addAction(action);
        const auto refresh_check = [this, action, value = choice] {
            action->setChecked(m_preferences.theme() == value);
        };
        connect(action, &QAction::triggered, this,
                [this, value = choice] { m_preferences.setTheme(value); });
        connect(&m_preferences, &Preferences::themeChanged, action, refresh_check);
        refresh_check();
    }
    makeLanguageMenu(*menu.addMenu(tr("Lan&guage")));
}

void MainWindow::makeLanguageMenu(QMenu& menu)
{
    auto* group = new QActionGroup(&menu);
    const auto add_choice = [&](const QString& words, const QString& code) {
        QAction* action = menu.addAction(words);
        action->setCheckable(true);
        action->setData(code);
        action->setChecked(m_preferences.language() == code);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, code] {
            if (code != m_preferences.language()) {
                m_preferences.setLanguage(code);
                m_notices->showNotice(tr("The language changes after a restart."));
            }
        });
    };
    add_choice(tr("&System"), {});
    for (const Language& language : languages()) {
        add_choice(QString::fromUtf8(language.name), QLatin1String(language.code));
    }
}

void MainWindow::refreshRecentMenu()
{
    m_recent_menu->clear();
    for (const QString& path : m_preferences.recentFiles()) {
        QAction* action = m_recent_menu->addAction(QFileInfo(path).fileName());
        action->setToolTip(path);
        action->setEnabled(QFileInfo::exists(path));
        connect(action, &QAction::triggered, this, [this, path] { openFiles({path}); });
    }
    m_recent_menu->setToolTipsVisible(true);
    m_recent_menu->setEnabled(!m_preferences.recentFiles().isEmpty());
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
                diagnose::UserInput input = file->input;
                input.message = utf8(message);
                m_session.setUserInput(m_current, input);
                m_notices->showNotice(
                    tr("Diagnosing %1 again with the message.").arg(fileName(file->analysis.file)));
            }
        });
    }
    const OpenFile* file = current();
    const bool can_use = file != nullptr && file->analysis.diagnosis != nullptr;
    dialog.setSnapshot(can_use ? fileName(file->analysis.file) : QString());
    return dialog;
}

void MainWindow::explainMessage()
{
    openExplanation().explainClipboard();
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
        return tellOfOutput(exportWidget(m_compare_page->lanes(), path, inputs),
                            tr("Picture saved to %1").arg(path));
    }
    if (!m_state.hasDevice()) {
        return false;
    }
    const std::array inputs{m_state.analysis().file};
    const Result<Done> written = m_analysis_page->timeline().plot().exportTo(path, inputs);
    return tellOfOutput(written, tr("Picture saved to %1").arg(path));
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
    return tellOfOutput(written, tr("Capture module saved to %1").arg(path));
}

bool MainWindow::tellOfOutput(const Result<Done>& written, const QString& words)
{
    if (written.has_value()) {
        m_notices->showNotice(words);
    } else {
        m_notices->showFailure(text(written.error().message));
    }
    return written.has_value();
}

} // namespace tidemark::ui
