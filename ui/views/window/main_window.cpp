// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/window/main_window.h"

#include "core/diagnose/diagnosis.h"
#include "core/plan/capacity_text.h"
#include "ui/models/facts_model.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/job/job_page.h"
#include "ui/views/look/arrival_strip.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/plain_texts.h"
#include "ui/views/look/strips.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/bookmarks_panel.h"
#include "ui/views/panels/config_strip.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/bookmark_actions.h"
#include "ui/views/window/capacity_field.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/menu_row.h"
#include "ui/views/window/relabel_actions.h"
#include "ui/views/window/search_actions.h"
#include "ui/views/window/session_keeper.h"
#include "ui/views/window/start_page.h"
#include "ui/views/window/top_bar.h"
#include "ui/views/window/watch_actions.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenuBar>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace tidemark::ui {

MainWindow::MainWindow(Session& session, Preferences& preferences, WindowServices services,
                       QWidget* parent)
    : QMainWindow(parent)
    , m_session(session)
    , m_preferences(preferences)
    , m_services(std::move(services))
    , m_report_job(std::make_unique<Job>())
{
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    makePages();
    makeMenus();
    wireTopBar();
    wireSession();
    refresh();
}

MainWindow::~MainWindow()
{
    m_report_job.reset();
}

void MainWindow::makePages()
{
    new PlainTexts(this);
    auto* page = new QWidget(this);
    page->setObjectName(QStringLiteral("centralPage"));
    page->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_top_bar = new TopBar(new QMenuBar, page);
    m_notices = new NoticeStrip(m_session, page);
    m_config = new ConfigStrip(m_session, *m_notices, page);
    m_pages = new QStackedWidget(page);
    column->addWidget(m_top_bar);
    column->addWidget(new LoadingStrip(m_session, page));
    auto* arrival = new ArrivalStrip(page);
    column->addWidget(arrival);
    column->addWidget(m_config);
    column->addWidget(m_pages, 1);
    setCentralWidget(page);

    auto* start = new StartPage(m_preferences, !m_services.example_path.isEmpty(), m_pages);
    m_start_page = start;
    connect(start, &StartPage::actionRequested, this,
            [this](const QString& id) { findChild<QAction*>(id)->trigger(); });
    connect(start, &StartPage::fileChosen, this,
            [this](const QString& path) { openFiles({path}); });
    connect(start, &StartPage::moduleRequested, this, &MainWindow::chooseModulePath);
    m_pages->addWidget(start);

    m_waiting_page = new QLabel(m_pages);
    m_waiting_page->setObjectName(QStringLiteral("waitingPage"));
    m_waiting_page->setAlignment(Qt::AlignCenter);
    m_waiting_page->setProperty("kind", QStringLiteral("secondary"));
    m_pages->addWidget(m_waiting_page);

    m_pages->addWidget(makeEmptyPage());

    m_analysis_page = new AnalysisPage(m_state, m_pages);
    m_pages->addWidget(m_analysis_page);
    connect(m_analysis_page, &AnalysisPage::failed, m_notices, &NoticeStrip::showFailure);
    connect(m_analysis_page, &AnalysisPage::copied, m_notices, &NoticeStrip::showNotice);
    connect(m_analysis_page, &AnalysisPage::messageGiven, this, &MainWindow::diagnoseWith);
    m_watch = new WatchActions(
        m_session, *m_notices,
        [this](const QString& path) {
            if (!m_job->takeArrived(path, m_watch->watcher().folder())) {
                openFiles({path}, Opened::alone);
            }
        },
        this);
    m_keeper = new SessionKeeper(m_session, m_state, *m_analysis_page, this);
    m_keeper->setOn(m_preferences.restoresSession());
    connect(m_keeper, &SessionKeeper::changed, this, &MainWindow::saveSession);
    connect(&m_session, &Session::failuresChanged, this, &MainWindow::finishRestoring);
    connect(&m_session, &Session::filesChanged, this, &MainWindow::finishRestoring);
    makeRemoteActions(*arrival);
    makeJobActions();
    connect(m_job, &JobActions::viewChanged, m_keeper, &SessionKeeper::writeSoon);
    connect(m_job, &JobActions::restored, this, [this] {
        m_keeper->jobRestored();
        finishRestoring();
    });
    m_relabel = new RelabelActions(m_session, m_state, *m_analysis_page, *m_notices, this);
    m_bookmarks = new BookmarkActions(m_session, m_state, m_analysis_page->panel<BookmarksPanel>(),
                                      *m_notices, this);
    m_compare_page = new ComparePage(m_pages);
    m_pages->addWidget(m_compare_page);
    connect(m_compare_page, &ComparePage::swapRequested, this,
            [this] { compareFiles(againstFile(), baseFile()); });
    connect(m_compare_page, &ComparePage::baseChosen, this, [this](FileId id) {
        compareFiles(id, id == againstFile() ? baseFile() : againstFile());
    });
    connect(m_compare_page, &ComparePage::againstChosen, this,
            [this](FileId id) { compareFiles(id == baseFile() ? againstFile() : baseFile(), id); });
    connect(m_compare_page, &ComparePage::caseRequested, this, &MainWindow::chooseCasePath);
    connect(m_compare_page, &ComparePage::axisChanged, this, &MainWindow::refreshTopBar);

    auto* overlay = new QLabel(this);
    overlay->setObjectName(QStringLiteral("dropOverlay"));
    overlay->setAlignment(Qt::AlignCenter);
    overlay->setFont(headingFont(*this, 1.7));
    overlay->setAttribute(Qt::WA_TransparentForMouseEvents);
    overlay->hide();
    m_drop_overlay = overlay;
}

QWidget* MainWindow::makeEmptyPage()
{
    m_empty_page = new QWidget(m_pages);
    QFrame* card = makeCard(m_empty_page, QStringLiteral("emptyCard"));
    card->setMaximumWidth(760);
    auto* column = new QVBoxLayout(card);
    column->setContentsMargins(28, 24, 28, 24);
    column->setSpacing(10);
    m_empty_title = makeText(card, QStringLiteral("emptyTitle"));
    m_empty_title->setFont(headingFont(*this, 1.5));
    m_empty_words = makeText(card, QStringLiteral("emptyWords"));
    column->addWidget(m_empty_title);
    column->addWidget(m_empty_words);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    row->addWidget(card, 20);
    row->addStretch(1);
    auto* page = new QVBoxLayout(m_empty_page);
    page->setContentsMargins(24, 24, 24, 24);
    page->addStretch(1);
    page->addLayout(row);
    page->addStretch(2);
    return m_empty_page;
}

void MainWindow::wireTopBar()
{
    connect(m_top_bar, &TopBar::fileChosen, this, &MainWindow::showFile);
    connect(m_top_bar, &TopBar::fileClosed, &m_session, &Session::remove);
    connect(m_top_bar, &TopBar::jobChosen, this, &MainWindow::showJob);
    connect(m_top_bar, &TopBar::jobClosed, m_job, &JobActions::close);
    connect(m_top_bar, &TopBar::addRequested, this, [this] { chooseFiles(Opened::beside); });
    connect(m_top_bar, &TopBar::compareToggled, this, &MainWindow::setComparing);
    connect(m_top_bar, &TopBar::deviceChosen, this, &MainWindow::showDevice);
    connect(m_top_bar, &TopBar::axisChosen, this, &MainWindow::setAxis);
    connect(m_top_bar, &TopBar::reportRequested, this, &MainWindow::chooseReportPath);
    connect(m_top_bar, &TopBar::themeToggled, this, &MainWindow::toggleTheme);
    connect(m_top_bar, &TopBar::searchRequested, m_search, &SearchActions::open);
    connect(&m_state, &ViewState::axisChanged, this, &MainWindow::refreshTopBar);
    const auto give = [this](const plan::GivenCapacity& given, bool is_given) {
        if (const OpenFile* file = current()) {
            diagnose::UserInput input = file->input;
            given.giveTo(input);
            if (!is_given) {
                input.capacity.reset();
            }
            m_session.setUserInput(m_current, input);
        }
    };
    connect(&m_top_bar->capacity(), &CapacityField::chosen, this,
            [give](const plan::GivenCapacity& given) { give(given, true); });
    connect(&m_top_bar->capacity(), &CapacityField::cleared, this, [give] { give({}, false); });
}

void MainWindow::wireSession()
{
    connect(&m_session, &Session::filesChanged, this, &MainWindow::refresh);
    connect(&m_session, &Session::analysisChanged, this, &MainWindow::onAnalysis);
    connect(&m_session, &Session::loaded, this, &MainWindow::onLoaded);
}

void MainWindow::openFiles(const QStringList& paths, Opened how)
{
    const QStringList snapshots = m_config->withoutConfigs(m_relabel->withoutRulesFiles(paths));
    if (!snapshots.isEmpty() && !m_job->take(snapshots)) {
        addSnapshots(snapshots, how);
    }
}

void MainWindow::addSnapshots(const QStringList& paths, Opened how)
{
    const std::vector<FileId> ids = m_session.addFiles(paths, m_config->input());
    m_config->useFor(ids);
    if ((how == Opened::alone || isJobShown()) && ids.size() == 1) {
        m_alone.insert(ids.begin(), ids.end());
    }
    // A file that is open already is what the person wants to see.
    if (ids.size() == 1 && m_session.find(ids.front())->canDraw()) {
        showFile(ids.front());
    }
}

void MainWindow::openExample()
{
    if (!m_services.example_path.isEmpty()) {
        openFiles({m_services.example_path});
    }
}

const OpenFile* MainWindow::current() const
{
    return m_session.find(m_current);
}

std::size_t MainWindow::deviceOf(const OpenFile& file) const
{
    const auto chosen = m_devices.find(file.id);
    return chosen != m_devices.end() ? chosen->second : file.analysis.mainDevice();
}

void MainWindow::showFile(FileId id)
{
    if (m_session.find(id) == nullptr) {
        return;
    }
    m_current = id;
    m_is_comparing = false;
    m_job->setShown(false);
    refresh();
}

void MainWindow::showDevice(std::size_t device)
{
    const OpenFile* file = current();
    if (file != nullptr && device < file->analysis.deviceCount()) {
        m_devices[m_current] = device;
        refresh();
    }
}

void MainWindow::onAnalysis(FileId id)
{
    const OpenFile* shown = current();
    const bool is_first = shown == nullptr || !shown->canDraw();
    if (is_first) {
        m_current = id;
    }
    if (id == m_current || isComparing()) {
        refresh();
    }
}

void MainWindow::onLoaded(FileId id)
{
    if (m_job->takeLoaded(id)) {
        return;
    }
    const OpenFile& loaded = *m_session.find(id);
    // Of a plan there is no file to open again.
    if (!loaded.is_planned && (!loaded.part || !loaded.part->is_arriving)) {
        m_preferences.addRecentFile(loaded.path);
        if (loaded.canDraw() && loaded.analysis.deviceCount() > 0) {
            const auto& replay = loaded.analysis.replay->devices[loaded.analysis.mainDevice()];
            m_preferences.setPeak(QFileInfo(loaded.path).absoluteFilePath(),
                                  replay.activeAt(replay.peak).value);
        }
    }
    if (m_keeper->takeRestored(id)) {
        refresh();
        finishRestoring();
        return;
    }
    if (m_alone.erase(id) > 0) {
        showFile(id);
        return;
    }
    if (id != m_current && !isJobShown() && isComparable(*m_session.find(id))) {
        // A second run is there to be compared with the one that is looked at.
        const OpenFile* file = current();
        const bool is_base = !m_is_comparing && file != nullptr && isComparable(*file);
        m_base = is_base ? file->id : baseFile();
        m_against = id;
        m_is_comparing = true;
    }
    refresh();
}

void MainWindow::refresh()
{
    if (current() == nullptr) {
        const auto& files = m_session.files();
        const auto drawable = std::ranges::find_if(files, &OpenFile::canDraw);
        m_current = drawable != files.end() ? drawable->id : files.empty() ? 0 : files.front().id;
    }
    if (isComparing() && m_current != againstFile()) {
        m_current = baseFile(); // What is said of the current file is said of one that is seen.
    }
    m_relabel->setCurrent(m_current);
    m_config->setCurrent(m_current);
    m_bookmarks->setCurrent(m_current);
    refreshPage();
    refreshTopBar();
}

void MainWindow::refreshPage()
{
    const OpenFile* file = current();
    const bool can_draw = file != nullptr && file->canDraw();
    const bool is_empty = can_draw && usedDevices(file->analysis).empty();
    m_keeper->keep();
    if (can_draw && !is_empty) {
        if (const auto device = m_keeper->expectedDevice(m_current);
            device && *device < file->analysis.deviceCount()) {
            m_devices[m_current] = *device;
        }
        m_state.show(file->analysis, deviceOf(*file));
        m_keeper->show(m_current);
    } else {
        m_state.clear();
    }
    if (isJobShown()) {
        m_pages->setCurrentWidget(m_job_page);
    } else if (isComparing()) {
        showComparison();
    } else if (file == nullptr) {
        m_pages->setCurrentWidget(m_start_page);
        m_start_page->setFocus();
    } else if (is_empty) {
        showEmptyPage(*file);
    } else if (can_draw) {
        showAnalysisPage();
    } else {
        m_waiting_page->setText(tr("Opening %1…").arg(fileName(file->analysis.file)));
        m_pages->setCurrentWidget(m_waiting_page);
    }
    const bool is_gone =
        m_session.find(m_compared.first) == nullptr || m_session.find(m_compared.second) == nullptr;
    if (!isComparing() && is_gone) {
        m_compare_page->clear();
    }
    if (isJobShown()) {
        setWindowTitle(tr("%1 – Tidemark").arg(m_job->job().name()));
        return;
    }
    if (isComparing()) {
        setWindowTitle(
            tr("%1 vs. %2 – Tidemark")
                .arg(fileName(base()->analysis.file), fileName(against()->analysis.file)));
        return;
    }
    setWindowTitle(file == nullptr ? tr("Tidemark")
                                   : tr("%1 – Tidemark").arg(fileName(file->analysis.file)));
}

void MainWindow::showAnalysisPage()
{
    const bool is_new = m_pages->currentWidget() != m_analysis_page;
    m_pages->setCurrentWidget(m_analysis_page);
    if (is_new) {
        m_analysis_page->timeline().plot().setFocus(); // Arrow keys move the cursor at once.
    }
}

void MainWindow::showEmptyPage(const OpenFile& file)
{
    const auto devices = static_cast<int>(file.analysis.deviceCount());
    m_empty_title->setText(tr("%1 is empty").arg(fileName(file.analysis.file)));
    QString words =
        tr("A valid snapshot of %Ln device, but without events or segments: nothing was allocated, "
           "or this process did not record.|A valid snapshot of %Ln devices, but without events or "
           "segments: nothing was allocated, or this process did not record.",
           nullptr, devices);
    words += QStringLiteral("\n\n")
        % tr("Call torch.cuda.memory._record_memory_history(max_entries=1_000_000) before building "
             "the model, and dump the snapshot from the same process.");
    for (const trace::InputNote& note : file.analysis.snapshot->notes.all()) {
        words += QStringLiteral("\n\n") % tr("Note: %1").arg(text(note.text));
    }
    m_empty_words->setText(words);
    m_pages->setCurrentWidget(m_empty_page);
}

void MainWindow::refreshTopBar()
{
    const bool comparing = isComparing();
    const bool is_job = isJobShown();
    m_job->refreshTopBar(*m_top_bar);
    const FileId first = baseFile();
    const FileId second = againstFile();
    const QStringList names = fileNames();
    std::vector<TopBar::File> files;
    for (std::size_t i = 0; i < m_session.files().size(); ++i) {
        const OpenFile& file = m_session.files()[i];
        const bool is_active =
            comparing ? file.id == first || file.id == second : file.id == m_current;
        files.push_back({file.id, file.letter, names[static_cast<qsizetype>(i)], file.path,
                         file.is_loading, is_active && !is_job});
    }
    m_top_bar->setFiles(files);
    const OpenFile* file = current();
    const bool has_device = m_state.hasDevice() && !is_job;
    m_top_bar->setComparing(second != 0, comparing);
    std::vector<TopBar::Device> devices;
    if (has_device && !comparing) {
        for (const std::size_t device : usedDevices(file->analysis)) {
            devices.push_back({device, deviceSummary(file->analysis, device)});
        }
    }
    m_top_bar->setDevices(devices, has_device ? m_state.device() : 0);
    if (comparing) {
        CompareLanes& lanes = m_compare_page->lanes();
        m_top_bar->setAxes({lanes.baseState().axis(), lanes.canShowTime(), lanes.canShare()});
    } else if (has_device) {
        m_top_bar->setAxes({m_state.axis(), m_state.canShowTime()});
    } else {
        m_top_bar->setAxes({});
    }
    m_top_bar->setReportEnabled(canReport());
    m_menus->refresh();
    m_top_bar->setCapacityVisible(has_device && !comparing);
    if (has_device) {
        const diagnose::DeviceDiagnosis* diagnosis = m_state.diagnosis();
        m_top_bar->capacity().setCapacity(
            {file->input.capacity, diagnosis != nullptr ? diagnosis->capacity : std::nullopt,
             diagnosis != nullptr ? diagnosis->capacity_unsure : Bytes{},
             diagnosis != nullptr ? text(diagnosis->capacity_source) : QString(),
             text(file->input.capacity_words)});
    }
}

ViewState& MainWindow::activeState()
{
    return isComparing() ? m_compare_page->lanes().baseState() : m_state;
}

TimelinePlot& MainWindow::activePlot()
{
    return isComparing() ? m_compare_page->lanes().basePlot() : m_analysis_page->timeline().plot();
}

void MainWindow::setAxis(projection::Axis axis)
{
    if (isComparing()) {
        m_compare_page->lanes().setAxis(axis);
    } else {
        m_state.setAxis(axis);
    }
    refreshTopBar();
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_drop_overlay->setGeometry(rect());
}

} // namespace tidemark::ui
