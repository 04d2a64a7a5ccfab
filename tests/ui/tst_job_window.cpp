// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// A job of many ranks in the window: how it is opened, its ranks as files, and the way back.
#include "tests/support/test_main.h"
#include "tests/ui/made_job.h"
#include "tests/ui/opened_window.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/job/job_page.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/window/job_actions.h"
#include "ui/views/window/watch_actions.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtCore/QThread>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QFrame>
#include <QtWidgets/QLabel>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>

#include <atomic>

namespace tidemark::tst_job_window {

using namespace tidemark::ui;
using test::Opened;

namespace {

constexpr int kPatience = 60000;

/// A folder of ranks: copies of the example, said to be those of a made job.
struct Ranks {
    QTemporaryDir folder;

    explicit Ranks(std::uint32_t count)
    {
        for (std::uint32_t rank = 0; rank < count; ++rank) {
            add(rank);
        }
    }
    [[nodiscard]] QString file(std::uint32_t rank) const
    {
        return folder.filePath(QStringLiteral("rank%1.pickle").arg(rank));
    }
    void add(std::uint32_t rank) const
    {
        QVERIFY(QFile::copy(test::examplePath(), file(rank)));
    }
    /// What core would make of them.
    [[nodiscard]] static JobMaker maker()
    {
        JobMaker maker;
        maker.gather = [](std::span<const std::filesystem::path> paths,
                          const std::stop_token&) -> Result<job::Gathered> {
            job::Gathered gathered;
            const auto take = [&](const std::filesystem::path& file) {
                job::Dump dump;
                dump.file = file;
                dump.shown = file.filename().string();
                gathered.dumps.push_back(dump);
            };
            for (const std::filesystem::path& path : paths) {
                if (!std::filesystem::is_directory(path)) {
                    take(path);
                    continue;
                }
                for (const auto& entry : std::filesystem::directory_iterator(path)) {
                    take(entry.path());
                }
            }
            std::ranges::sort(gathered.dumps, {}, &job::Dump::shown);
            if (gathered.dumps.empty()) {
                return Error{ErrorCode::cannotOpen, "It holds no dump.", {}};
            }
            return gathered;
        };
        maker.read = [](const job::Gathered& gathered, const job::ReadOptions&, ProgressSink&,
                        const std::stop_token&, const job::PublishJob&) -> Result<job::Job> {
            job::Job job;
            for (const job::Dump& dump : gathered.dumps) {
                job.rows.push_back(test::madeRank(
                    static_cast<std::uint32_t>(std::stoi(dump.shown.substr(4))), kMiB));
                job.rows.back().file = dump.shown;
                job.rows.back().snapshot = dump.file;
            }
            return judged(std::move(job.rows));
        };
        maker.judge = judged;
        maker.explain = [](job::Job&, const job::OpenRow&, const std::stop_token&) {};
        return maker;
    }
    static job::Job judged(std::vector<job::RankSummary> rows)
    {
        job::Job job;
        job.rows = std::move(rows);
        std::ranges::sort(job.rows, {}, &job::RankSummary::rank);
        job.median = 0;
        job.sentences = {{job::Says::equal, "All ranks hold the same.", {}}};
        return job;
    }
};

struct Window : Opened {
    Window()
        : Opened({1300, 820})
    {
        window.jobActions().job().setMaker(Ranks::maker());
        show();
    }
    [[nodiscard]] JobActions& job()
    {
        return window.jobActions();
    }
    void waitForJob()
    {
        QTRY_VERIFY_WITH_TIMEOUT(job().isShown() && !job().job().isReading(), kPatience);
        settle();
        QVERIFY(page().isVisible());
    }
    JobPage& page()
    {
        return *window.findChild<JobPage*>();
    }
};

} // namespace

class TstJobWindow : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void aFolderThatIsDroppedIsAJob()
    {
        const Ranks ranks(4);
        Window opened;
        QVERIFY(test::dropFiles(opened.window, {ranks.folder.path()}));
        opened.waitForJob();
        QCOMPARE(opened.page().bands().lines().lines.size(), std::size_t{4});
        QVERIFY(opened.session.files().empty()); // None is opened by itself.
        QVERIFY(opened.session.failures().empty());
        QCOMPARE(opened.child<QLabel>("jobHeadline")->text(),
                 QStringLiteral("All ranks hold the same."));
        QVERIFY(opened.window.windowTitle().startsWith(QDir(ranks.folder.path()).dirName()));
        QCOMPARE(opened.preferences.recentFiles().front(), ranks.folder.path());
    }

    void threeRanksThatAreDroppedAreAJob()
    {
        const Ranks ranks(3);
        Window opened;
        QVERIFY(test::dropFiles(opened.window, {ranks.file(0), ranks.file(1), ranks.file(2)}));
        opened.waitForJob();
        QCOMPARE(opened.page().bands().lines().lines.size(), std::size_t{3});
    }

    void twoRanksAreCompared()
    {
        const Ranks ranks(2);
        Window opened;
        QVERIFY(test::dropFiles(opened.window, {ranks.file(0), ranks.file(1)}));
        QCOMPARE(opened.session.files().size(), std::size_t{2});
        QTRY_VERIFY_WITH_TIMEOUT(opened.window.isComparing(), kPatience);
        QVERIFY(!opened.job().isShown());
    }

    void aFolderOfOneDumpIsThatFile()
    {
        const Ranks ranks(1);
        Window opened;
        opened.window.openFiles({ranks.folder.path()});
        QTRY_COMPARE_WITH_TIMEOUT(opened.session.files().size(), std::size_t{1}, kPatience);
        QCOMPARE(opened.session.files()[0].path, ranks.file(0));
        QVERIFY(!opened.job().isShown());
    }

    void aFolderWithoutDumpsSaysSo()
    {
        const QTemporaryDir folder;
        Window opened;
        opened.window.openFiles({folder.path()});
        QTRY_VERIFY_WITH_TIMEOUT(opened.child<QFrame>("failure") != nullptr, kPatience);
        QVERIFY(opened.child<QFrame>("failure")
                    ->findChild<QLabel*>(QStringLiteral("noticeText"))
                    ->text()
                    .endsWith(QStringLiteral("It holds no dump.")));
        QVERIFY(!opened.job().isShown());
    }

    void aRankOpensBesideAndThePillLeadsBack()
    {
        const Ranks ranks(3);
        Window opened;
        opened.window.openFiles({ranks.folder.path()});
        opened.waitForJob();
        QTest::keyClick(&opened.page().bands(), Qt::Key_Down);
        QTest::keyClick(&opened.page().bands(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.job().isShown(), kPatience);
        QCOMPARE(opened.session.files().size(), std::size_t{1});
        QCOMPARE(opened.session.files()[0].path, ranks.file(0));
        QVERIFY(opened.window.viewState().hasDevice());
        QVERIFY(!opened.page().isVisible());
        Opened::settle();
        auto* pill = opened.child<QToolButton>("showJob");
        QVERIFY(pill != nullptr && pill->isVisible());
        QTest::mouseClick(pill, Qt::LeftButton);
        QTRY_VERIFY(opened.page().isVisible());
        Opened::settle();
        // A second one is shown by itself, too: nobody asked for a comparison.
        QTest::keyClick(&opened.page().bands(), Qt::Key_Down);
        QTest::keyClick(&opened.page().bands(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.job().isShown(), kPatience);
        QVERIFY(!opened.window.isComparing());
        QCOMPARE(opened.window.currentFile(), opened.session.idOf(ranks.file(1)));
    }

    void twoRanksOpenAndAreCompared()
    {
        const Ranks ranks(3);
        Window opened;
        opened.window.openFiles({ranks.folder.path()});
        opened.waitForJob();
        RankBands& bands = opened.page().bands();
        QTest::keyClick(&bands, Qt::Key_End);
        QTest::keyClick(&bands, Qt::Key_C);
        QTRY_VERIFY_WITH_TIMEOUT(opened.window.isComparing(), kPatience);
        QCOMPARE(opened.window.baseFile(), opened.session.idOf(ranks.file(0)));
        QCOMPARE(opened.window.againstFile(), opened.session.idOf(ranks.file(2)));
        QVERIFY(!opened.job().isShown());
        Opened::settle();
        // C on the job's page means the rank, though files are open.
        QTest::mouseClick(opened.child<QToolButton>("showJob"), Qt::LeftButton);
        QTRY_VERIFY(opened.page().isVisible());
        QVERIFY(!opened.window.isComparing());
        bands.select(1);
        bands.setFocus();
        QTest::keyClick(&bands, Qt::Key_C);
        QTRY_VERIFY_WITH_TIMEOUT(opened.window.isComparing(), kPatience);
        QCOMPARE(opened.window.againstFile(), opened.session.idOf(ranks.file(1)));
        QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), kPatience);
    }

    void theJobIsClosedByItsPill()
    {
        const Ranks ranks(3);
        Window opened;
        opened.window.openFiles({ranks.folder.path()});
        opened.waitForJob();
        QTest::mouseClick(opened.child<QToolButton>("closeJob"), Qt::LeftButton);
        QTRY_VERIFY(!opened.page().isVisible());
        Opened::settle();
        QVERIFY(opened.child<QToolButton>("showJob") == nullptr);
        QVERIFY(opened.child<QWidget>("startPage")->isVisible());
    }

    void ranksOfAWatchedFolderJoinTheJob()
    {
        const Ranks ranks(3);
        Window opened;
        opened.window.openFiles({ranks.folder.path()});
        opened.waitForJob();
        WatchActions& watch = opened.window.watchActions();
        watch.watcher().setInterval(20);
        watch.watch(ranks.folder.path());
        QTest::qWait(100); // What is there is seen.
        ranks.add(3);
        QTRY_COMPARE_WITH_TIMEOUT(opened.page().bands().lines().lines.size(), std::size_t{4},
                                  kPatience);
        QVERIFY(opened.session.files().empty());
        QVERIFY(opened.job().isShown());
    }

    void ranksThatArriveAreAJobFromTheSecondOn()
    {
        const Ranks ranks(0);
        Window opened;
        WatchActions& watch = opened.window.watchActions();
        watch.watcher().setInterval(20);
        watch.watch(ranks.folder.path());
        QTest::qWait(100);
        ranks.add(4);
        QTRY_COMPARE_WITH_TIMEOUT(opened.session.files().size(), std::size_t{1}, kPatience);
        QVERIFY(!opened.job().isShown());
        ranks.add(5);
        opened.waitForJob();
        QTRY_COMPARE_WITH_TIMEOUT(opened.page().bands().lines().lines.size(), std::size_t{2},
                                  kPatience);
    }

    void theJobComesBackAtItsRank_data()
    {
        QTest::addColumn<bool>("is_shown");
        QTest::newRow("its page is shown") << true;
        QTest::newRow("a file is shown") << false;
    }
    void theJobComesBackAtItsRank()
    {
        QFETCH(bool, is_shown);
        const Ranks ranks(4);
        const QTemporaryDir kept;
        const QString session = kept.filePath(QStringLiteral("session.json"));
        {
            Window opened;
            opened.window.setSessionPath(session);
            opened.window.openFiles({ranks.folder.path()});
            opened.waitForJob();
            opened.page().bands().select(2);
            if (!is_shown) {
                opened.open({test::examplePath()});
                QVERIFY(!opened.job().isShown());
            }
            opened.window.saveSession();
        }
        Window again;
        again.window.setSessionPath(session);
        again.window.restoreSession();
        QTRY_VERIFY_WITH_TIMEOUT(again.job().job().job() != nullptr
                                     && !again.job().job().isReading()
                                     && !again.session.isLoading(),
                                 kPatience);
        Opened::settle();
        QCOMPARE(again.job().isShown(), is_shown);
        QCOMPARE(again.page().isVisible(), is_shown);
        QCOMPARE(again.page().bands().selected(), std::size_t{2});
        QCOMPARE(again.session.files().size(), std::size_t(is_shown ? 0 : 1));
        // Nothing was left half open for the start after that.
        again.window.saveSession();
        QFile file(session);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("\"is_opening\": false"));
    }

    void filesComeBackWithoutWaitingForTheJob()
    {
        const Ranks ranks(3);
        const QTemporaryDir kept;
        const QString session = kept.filePath(QStringLiteral("session.json"));
        {
            Window opened;
            opened.window.setSessionPath(session);
            opened.window.openFiles({ranks.folder.path()});
            opened.waitForJob();
            opened.open({ranks.file(0)});
            opened.open({ranks.file(1)});
            opened.window.setComparing(true);
            opened.window.saveSession();
        }
        std::atomic<bool> may_end = false;
        JobMaker slow = Ranks::maker();
        slow.gather = [&may_end, gather = slow.gather](auto paths, const std::stop_token& stop) {
            while (!may_end && !stop.stop_requested()) {
                QThread::msleep(1);
            }
            return gather(paths, stop);
        };
        Window again;
        again.job().job().setMaker(slow);
        again.window.setSessionPath(session);
        again.window.restoreSession();
        QTRY_VERIFY_WITH_TIMEOUT(again.window.isComparing(), kPatience);
        again.window.setComparing(false);
        may_end = true;
        QTRY_VERIFY_WITH_TIMEOUT(!again.job().job().isReading(), kPatience);
        Opened::settle();
        QVERIFY(!again.window.isComparing()); // As it is looked at by now.
    }

    void aClosedJobDoesNotComeBack()
    {
        const Ranks ranks(3);
        const QTemporaryDir kept;
        const QString session = kept.filePath(QStringLiteral("session.json"));
        {
            Window opened;
            opened.window.setSessionPath(session);
            opened.window.openFiles({ranks.folder.path()});
            opened.waitForJob();
            opened.window.saveSession();
            opened.job().close();
            opened.window.saveSession();
        }
        Window again;
        again.window.setSessionPath(session);
        again.window.restoreSession();
        Opened::settle();
        QVERIFY(!again.job().job().isReading() && !again.job().job().isOpen());
    }

    void aJobThatIsOpenedWhileItComesBackIsShown()
    {
        const Ranks ranks(3);
        const QTemporaryDir kept;
        const QString session = kept.filePath(QStringLiteral("session.json"));
        {
            Window opened;
            opened.window.setSessionPath(session);
            opened.window.openFiles({ranks.folder.path()});
            opened.waitForJob();
            opened.open({test::examplePath()});
            opened.window.saveSession();
        }
        Window again;
        again.window.setSessionPath(session);
        again.window.restoreSession(); // Behind the file, as it was.
        again.window.openFiles({ranks.folder.path()});
        again.waitForJob();
    }

    void theReportIsAboutTheJob()
    {
        const Ranks ranks(3);
        Preferences preferences;
        Session session;
        std::atomic<std::size_t> rows = 0;
        WindowServices services;
        services.write_job_report = [&rows](const QString&, const job::Job& job, const ReportWish&,
                                            const std::stop_token&) -> Result<Done> {
            rows = job.rows.size();
            return Done{};
        };
        MainWindow window(session, preferences, services);
        window.jobActions().job().setMaker(Ranks::maker());
        window.resize(1200, 800);
        window.show();
        auto* button = window.findChild<QToolButton*>(QStringLiteral("reportButton"));
        window.openFiles({ranks.folder.path()});
        QTRY_VERIFY_WITH_TIMEOUT(window.jobActions().isShown() && button->isEnabled(), kPatience);
        const QSignalSpy written(&window, &MainWindow::reportWritten);
        window.exportReport(ranks.folder.filePath(QStringLiteral("job.pdf")));
        QTRY_COMPARE_WITH_TIMEOUT(written.count(), 1, kPatience);
        QCOMPARE(rows.load(), std::size_t{3});
    }

    void anArchiveOfOneDumpIsThatFile()
    {
        const Ranks ranks(0);
        const QString archive = ranks.folder.filePath(QStringLiteral("one.zip"));
        QVERIFY(QFile::copy(test::examplePath(), archive));
        Window opened;
        opened.window.openFiles({archive});
        QTRY_COMPARE_WITH_TIMEOUT(opened.session.files().size(), std::size_t{1}, kPatience);
        QCOMPARE(opened.session.files()[0].path, archive);
        QTRY_VERIFY_WITH_TIMEOUT(opened.window.viewState().hasDevice(), kPatience);
        QVERIFY(!opened.job().isShown());
    }

    /// Nothing made: one of four ranks ran out of memory.
    void aRecordedJobIsRead()
    {
        Opened opened({1300, 820});
        opened.show();
        const QString folder =
            QStringLiteral(TIDEMARK_SOURCE_DIR "/tests/data/gpu/jobs/ddp_one_dies");
        QVERIFY(test::dropFiles(opened.window, {folder}));
        JobActions& job = opened.window.jobActions();
        QTRY_VERIFY_WITH_TIMEOUT(job.isShown() && !job.job().isReading(), kPatience);
        auto& page = *opened.window.findChild<JobPage*>();
        QCOMPARE(page.bands().lines().lines.size(), std::size_t{4});
        const QString headline = opened.child<QLabel>("jobHeadline")->text();
        QVERIFY2(headline.contains(QStringLiteral("ank 2 ran out of memory")),
                 qPrintable(headline));
        QVERIFY(page.bands().part().begin > 0.5); // Setting up took most of the time.
        QVERIFY(opened.child<QToolButton>("wholeRun")->isVisible());
        QTest::keyClick(&page.bands(), Qt::Key_N);
        const job::RankSummary& odd = job.job().job()->rows[page.bands().selected()];
        QVERIFY(odd.rank == 2U && odd.oom.has_value());
        auto* all = opened.child<QToolButton>("allMoments");
        QVERIFY(all->isVisible());
        QTest::mouseClick(all, Qt::LeftButton);
        QCOMPARE(page.bands().lines().columns.size(), std::size_t{2});
        QVERIFY(!opened.window.grab().isNull());
        QTest::keyClick(&page.bands(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(!job.isShown(), kPatience);
        QVERIFY(opened.window.viewState().hasDevice());
    }

    void aFileThatIsOpenedComesToTheFront()
    {
        const Ranks ranks(3);
        Window opened;
        opened.window.openFiles({ranks.folder.path()});
        opened.waitForJob();
        opened.open({test::examplePath()});
        QVERIFY(!opened.job().isShown());
        QVERIFY(opened.window.showView(QStringLiteral("job"), false));
        QVERIFY(opened.page().isVisible());
        QVERIFY(opened.window.showView(QStringLiteral("overview"), false));
        QVERIFY(!opened.page().isVisible());
    }
};

TIDEMARK_TEST(TstJobWindow)

} // namespace tidemark::tst_job_window

#include "tst_job_window.moc"
