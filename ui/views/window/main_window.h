// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "ui/models/comparer.h"
#include "ui/models/job.h"
#include "ui/models/preferences.h"
#include "ui/models/session.h"
#include "ui/models/view_state.h"
#include "ui/views/window/window_services.h"

#include <QtCore/QString>
#include <QtCore/QStringList>
#include <QtCore/QTemporaryDir>
#include <QtWidgets/QMainWindow>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

class QLabel;
class QMimeData;
class QStackedWidget;

namespace tidemark::plan {
struct Question;
} // namespace tidemark::plan

namespace tidemark::ui {

class AnalysisPage;
class ArrivalStrip;
class BookmarkActions;
class ComparePage;
class ConfigStrip;
class ExplainDialog;
class HelpActions;
class JobActions;
class JobPage;
class MenuActions;
class SearchActions;
class SessionKeeper;
class NoticeStrip;
class RelabelActions;
class RemoteActions;
class WatchActions;
class TimelinePlot;
class TopBar;
struct MenuRow;

/// The window: creates the views, connects them with the session, and shows the page that fits what
/// is loaded. One or several files can be dropped on it anywhere.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    /// All three outlive the window.
    MainWindow(Session& session, Preferences& preferences, WindowServices services,
               QWidget* parent = nullptr);
    ~MainWindow() override;

    /// How a file that is opened is shown: held against the one that is there, or by itself (of
    /// several at once all are held against each other, but the ranks of a job are its page).
    enum class Opened : std::uint8_t { beside, alone };
    void openFiles(const QStringList& paths, Opened how = Opened::beside);
    void openExample();
    /// Where the session is kept; empty, as at first: nowhere.
    void setSessionPath(const QString& path);
    /// Opens what was open when the program ended, unless the person wants otherwise.
    void restoreSession();
    void saveSession(); ///< At once.
    /// Shows the view that a link names, with what a person adds to it; a notice says why not.
    void openLink(const QString& link, const diagnose::UserInput& input = {});
    /// Shows the dialog for files of another machine; with an address it fetches at once.
    void openRemote(const QString& address = {});
    /// Brings a view to the front: start, overview, compare, or a panel of the analysis. With
    /// `alone` nothing else is shown beside it. False when there is no such view, or nothing to
    /// show in it.
    bool showView(const QString& name, bool alone);
    [[nodiscard]] static QStringList viewNames();
    /// Of a comparison, each with one of its tables in front: "compare-stacks".
    [[nodiscard]] static QStringList comparisonViewNames();
    /// Opens a dialog beside the window. Null for a name that does not exist, or for one that needs
    /// a file while there is none.
    QWidget* openDialog(const QString& name);
    [[nodiscard]] static QStringList dialogNames();
    void exportReport(const QString& path, bool on_letter = false); ///< By its ending.
    /// Writes the timeline as PNG, PDF or SVG.
    bool exportPicture(const QString& path);
    /// Writes the Python module for the training side; a notice says how it went.
    bool saveModule(const QString& path);
    /// The two runs that are compared and how they differ, as JSON that can be scored.
    bool saveCase(const QString& path);

    [[nodiscard]] ViewState& viewState()
    {
        return m_state;
    }
    [[nodiscard]] AnalysisPage& analysisPage();
    [[nodiscard]] ComparePage& comparePage();
    [[nodiscard]] JobActions& jobActions(); ///< The ranks of a job.
    [[nodiscard]] WatchActions& watchActions(); ///< New dumps in a folder.
    [[nodiscard]] RemoteActions& remoteActions(); ///< Files of other machines.
    [[nodiscard]] BookmarkActions& bookmarkActions(); ///< Marked moments, and their notes.
    [[nodiscard]] RelabelActions& relabelActions(); ///< Relabelling, and the Edit menu.
    [[nodiscard]] bool isComparing() const;
    /// The file that is shown; 0 for none.
    [[nodiscard]] FileId currentFile() const
    {
        return m_current;
    }
    void showFile(FileId id);
    void showDevice(std::size_t device);
    void setComparing(bool on);
    /// The file that the others are held against, and the one held against it; 0 for none.
    [[nodiscard]] FileId baseFile() const;
    [[nodiscard]] FileId againstFile() const;
    /// Compares these two; no effect unless both are there and can be drawn.
    void compareFiles(FileId base, FileId against);

Q_SIGNALS:
    void reportWritten(const QString& path, bool ok);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct NamedDialog;
    [[nodiscard]] static std::span<const NamedDialog> dialogs();
    void makePages();
    QWidget* makeEmptyPage();
    void makeMenus();
    [[nodiscard]] std::vector<MenuRow> menuRows(); ///< All that the menus have.
    void addPanelRows(std::vector<MenuRow>& rows);
    void addChoices(std::vector<MenuRow>& rows);
    [[nodiscard]] bool canShowTrace() const; ///< Of one run or of two.
    [[nodiscard]] bool canShowRun() const;
    void leaveComparison();
    void selectAny(); ///< Of what is live, where nothing is selected.
    void zoom(double factor);
    void chooseLanguage(const QString& code);
    void wireTopBar();
    void wireSession();
    void refreshRecentMenu();
    void refresh();
    void refreshTopBar();
    void refreshPage();
    void showAnalysisPage();
    void showEmptyPage(const OpenFile& file);
    void onAnalysis(FileId id);
    void onLoaded(FileId id);
    void toggleTheme();
    void chooseFiles(Opened how);
    void diagnoseWith(const QString& message); ///< The current file, with all else said of it.
    ExplainDialog& openExplanation();
    void openStates();
    void openCopied();
    void copyFinding();
    void copyLink();
    void finishRestoring();
    void quit();
    static QKeySequence quitKey();
    void makeRemoteActions(ArrivalStrip& strip);
    void makeJobActions();
    void addSnapshots(const QStringList& paths, Opened how);
    [[nodiscard]] bool isJobShown() const;
    void showJob();
    void openPlan();
    /// Shows a planned run as a timeline, in a file of its own.
    void showPlanned(const plan::Question& question, const QString& model);
    /// Explains texts and logs, and opens everything else. `paths`: the local files in it.
    void takeDropped(const QMimeData& dropped, const QStringList& paths);
    void chooseReportPath();
    [[nodiscard]] bool canReport() const;
    using WriteReport = std::function<Result<Done>(const QString&, const std::stop_token&)>;
    [[nodiscard]] WriteReport reportWriter(bool on_letter) const;
    void choosePicturePath();
    void setAxis(projection::Axis axis);
    void goToPeak();
    void askWhereToGo();
    bool goTo(const QString& words);
    void goToNextOom();
    void chooseModulePath();
    [[nodiscard]] ViewState& activeState();
    [[nodiscard]] TimelinePlot& activePlot();
    [[nodiscard]] const OpenFile* current() const;
    /// The two files of a comparison; null with fewer than two drawable ones.
    [[nodiscard]] const OpenFile* base() const;
    [[nodiscard]] const OpenFile* against() const;
    [[nodiscard]] static bool isComparable(const OpenFile& file);
    [[nodiscard]] ComparedRun runOf(const OpenFile& file) const;
    void showComparison();
    void chooseCasePath();
    [[nodiscard]] QStringList fileNames() const;
    [[nodiscard]] std::size_t deviceOf(const OpenFile& file) const;
    /// What a report would be about; empty while something is still being read.
    [[nodiscard]] std::vector<const OpenFile*> reportedFiles() const;
    [[nodiscard]] QString proposedPath(const QString& ending) const;

    Session& m_session;
    Preferences& m_preferences;
    WindowServices m_services;
    ViewState m_state;
    FileId m_current = 0;
    QTemporaryDir m_planned_folder; ///< Where planned runs are said to be, and have their notes.
    int m_planned = 0; ///< So many were shown.
    FileId m_base = 0; ///< As chosen; see `base()`.
    FileId m_against = 0;
    std::pair<FileId, FileId> m_compared; ///< What the page of comparisons shows, or last did.
    bool m_is_comparing = false;
    std::set<FileId> m_alone; ///< Being read, to be shown by themselves.
    std::map<FileId, std::size_t> m_devices; ///< Chosen by hand.

    TopBar* m_top_bar = nullptr;
    NoticeStrip* m_notices = nullptr;
    ConfigStrip* m_config = nullptr;
    QStackedWidget* m_pages = nullptr;
    QWidget* m_start_page = nullptr;
    QLabel* m_waiting_page = nullptr;
    QWidget* m_empty_page = nullptr;
    QLabel* m_empty_title = nullptr;
    QLabel* m_empty_words = nullptr;
    AnalysisPage* m_analysis_page = nullptr;
    ComparePage* m_compare_page = nullptr;
    RelabelActions* m_relabel = nullptr;
    BookmarkActions* m_bookmarks = nullptr;
    HelpActions* m_help = nullptr;
    SearchActions* m_search = nullptr;
    SessionKeeper* m_keeper = nullptr;
    RemoteActions* m_remote = nullptr;
    WatchActions* m_watch = nullptr;
    JobPage* m_job_page = nullptr;
    JobActions* m_job = nullptr;
    QWidget* m_drop_overlay = nullptr;
    MenuActions* m_menus = nullptr;
    std::unique_ptr<Job> m_report_job; ///< Last: joined first.
};

} // namespace tidemark::ui
