// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/made_job.h"
#include "tests/ui/ui_test.h"
#include "ui/models/job_session.h"
#include "ui/models/rank_table_model.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <atomic>
#include <mutex>
#include <thread>

namespace tidemark::tst_job_models {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 20000;

/// Reads a folder as a job: a file "rank3" is rank 3. Counts what is read.
struct Maker {
    std::mutex mutex;
    QStringList read; ///< Names, in the order of reading.
    std::atomic<int> explained = 0;
    std::atomic<bool> is_held = false; ///< Reading waits.

    JobMaker functions()
    {
        JobMaker maker;
        maker.gather = [](std::span<const std::filesystem::path> paths,
                          const std::stop_token&) -> Result<job::Gathered> {
            job::Gathered gathered;
            for (const auto& entry : std::filesystem::directory_iterator(paths.front())) {
                job::Dump dump;
                dump.file = entry.path();
                dump.shown = entry.path().filename().string();
                gathered.dumps.push_back(dump);
            }
            std::ranges::sort(gathered.dumps, {}, &job::Dump::shown);
            if (gathered.dumps.empty()) {
                return Error{ErrorCode::cannotOpen, "It holds no dump.", {}};
            }
            return gathered;
        };
        maker.read = [this](const job::Gathered& gathered, const job::ReadOptions& options,
                            ProgressSink& progress, const std::stop_token& stop,
                            const job::PublishJob& publish) -> Result<job::Job> {
            std::vector<job::RankSummary> rows;
            for (const job::Dump& dump : gathered.dumps) {
                while (is_held && !stop.stop_requested()) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                }
                if (stop.stop_requested()) {
                    return Error{ErrorCode::cancelled, "cancelled", {}};
                }
                const auto rank = static_cast<std::uint32_t>(std::stoi(dump.shown.substr(4)));
                rows.push_back(test::madeRank(rank, kMiB));
                rows.back().file = dump.shown;
                rows.back().snapshot = dump.file;
                {
                    const std::scoped_lock lock(mutex);
                    read << text(dump.shown);
                }
                progress.report("reading",
                                static_cast<double>(rows.size())
                                    / static_cast<double>(gathered.dumps.size()));
                publish(judged(rows));
            }
            explained += options.explains ? 1 : 0;
            return judged(rows);
        };
        maker.judge = judged;
        maker.explain = [this](job::Job&, const job::OpenRow&, const std::stop_token&) {
            ++explained;
        };
        return maker;
    }
    static job::Job judged(std::vector<job::RankSummary> rows)
    {
        std::ranges::sort(rows, {}, &job::RankSummary::rank);
        job::Job job;
        job.rows = std::move(rows);
        job.median = 0;
        return job;
    }
};

void write(const QTemporaryDir& folder, const QString& name, const QByteArray& bytes)
{
    QFile file(folder.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

QString cell(const RankTableModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

QString head(const RankTableModel& model, int section, Qt::Orientation orientation)
{
    return model.headerData(section, orientation, Qt::DisplayRole).toString();
}

bool always(const job::Gathered& /*gathered*/)
{
    return true;
}

} // namespace

class TstJobModels : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void bucketsAreHeldAgainstTheMedianRank()
    {
        RankTableModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setJob(test::sharedJob(4), RankValues::against_median, RankForm::buckets);
        QCOMPARE(model.columnCount(), 4);
        QCOMPARE(model.rowCount(), 5); // Three buckets, the request, all.
        QCOMPARE(head(model, 0, Qt::Vertical), QStringLiteral("Parameters"));
        QCOMPARE(head(model, 3, Qt::Horizontal), QStringLiteral("3"));
        for (int rank = 0; rank < 4; ++rank) {
            QCOMPARE(cell(model, 0, rank), QStringLiteral("="));
        }
        QCOMPARE(cell(model, 2, 0), QStringLiteral("="));
        QCOMPARE(cell(model, 2, 1), QStringLiteral("+20 %"));
        QCOMPARE(cell(model, 2, 2), QStringLiteral("="));
        QCOMPARE(cell(model, 2, 3), QStringLiteral("×3"));
        QCOMPARE(cell(model, 3, 3), QStringLiteral("+64.0 MiB"));
        QCOMPARE(cell(model, 4, 3), QStringLiteral("+66 %"));
        // Exact bytes are in the tip, and the colour grows with what the difference weighs.
        const QString tip = model.index(2, 3).data(Qt::ToolTipRole).toString();
        QVERIFY(tip.contains(QStringLiteral("314,572,800 B")));
        QVERIFY(tip.contains(QStringLiteral("rank 0")));
        const auto heat = [&](int row, int column) {
            return model.index(row, column).data(HeatRole).toDouble();
        };
        QVERIFY(heat(2, 3) > heat(2, 1) && heat(2, 1) > 0);
        QCOMPARE(heat(0, 3), 0.0);
        QVERIFY(
            model.asText().startsWith(QStringLiteral("\t0\t1\t2\t3\nParameters\t=\t=\t=\t=\n")));
    }

    void factorsAreReadable_data()
    {
        QTest::addColumn<qint64>("median");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("words");
        QTest::newRow("equal") << qint64{5} << qint64{5} << QStringLiteral("=");
        QTest::newRow("nearly") << qint64{10000} << qint64{10001} << QStringLiteral("≈");
        QTest::newRow("a little") << qint64{100} << qint64{102} << QStringLiteral("+2.0 %");
        QTest::newRow("less") << qint64{100} << qint64{45} << QStringLiteral("−55 %");
        QTest::newRow("more") << qint64{100} << qint64{290} << QStringLiteral("×2.9");
        QTest::newRow("much more") << qint64{100} << qint64{4000} << QStringLiteral("×40");
        QTest::newRow("new") << qint64{0} << qint64{1 << 20} << QStringLiteral("+1.00 MiB");
        QTest::newRow("gone") << qint64{7} << qint64{0} << QStringLiteral("none");
    }
    void factorsAreReadable()
    {
        QFETCH(qint64, median);
        QFETCH(qint64, bytes);
        QTEST(againstText({median}, {bytes}), "words");
    }

    void ofManyRanksTheOutliersComeFirst()
    {
        RankTableModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setJob(test::sharedJob(64), RankValues::bytes, RankForm::ranks);
        QCOMPARE(model.rowCount(), 64);
        QCOMPARE(head(model, 0, Qt::Vertical), QStringLiteral("rank 63"));
        QCOMPARE(head(model, 1, Qt::Vertical), QStringLiteral("rank 1"));
        QCOMPARE(head(model, 2, Qt::Vertical), QStringLiteral("rank 0"));
        // And what differs most.
        QCOMPARE(head(model, 0, Qt::Horizontal), QStringLiteral("Total"));
        QCOMPARE(head(model, 1, Qt::Horizontal), QStringLiteral("Activations"));
        QCOMPARE(head(model, 3, Qt::Horizontal), QStringLiteral("Parameters"));
        QCOMPARE(model.unit(), QStringLiteral("MiB"));
        QCOMPARE(cell(model, 0, 1), QStringLiteral("300.0"));
        QCOMPARE(model.rankAt(0, 2), std::size_t{63});
        QCOMPARE(model.cellOf(1).row(), 1);
    }

    void stagesLieBesideReplicas()
    {
        job::Job made = test::madeJob(8);
        QVERIFY(!RankTableModel::hasStages(made));
        for (std::size_t i = 0; i < made.rows.size(); ++i) {
            made.rows[i].coordinates = {{"pp", static_cast<std::int64_t>(i / 4)},
                                        {"dp", static_cast<std::int64_t>(i / 2 % 2)},
                                        {"tp", static_cast<std::int64_t>(i % 2)}};
        }
        QVERIFY(RankTableModel::hasStages(made));
        RankTableModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setJob(std::make_shared<const job::Job>(made), RankValues::against_median,
                     RankForm::stages);
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), 2);
        QCOMPARE(model.rankAt(0, 0), std::size_t{1}); // It holds more than rank 0 of this place.
        QCOMPARE(model.rankAt(1, 1), std::size_t{7});
        QCOMPARE(model.cellOf(7), model.index(1, 1));
    }

    void linesAreRanksAndTheirMomentsColumns()
    {
        job::Job made = test::madeJob(3);
        for (const std::uint32_t rank : {0U, 2U}) {
            made.rows.push_back(test::madeRank(rank, kMiB));
            made.rows.back().moment.words = "first";
            made.rows.back().file = "first" + std::to_string(rank);
        }
        QVERIFY(hasMoments(made));
        const JobLines last = linesOf(made, RankOrder::rank, ShownMoments::last);
        QCOMPARE(last.columns.size(), std::size_t{1});
        QCOMPARE(last.lines.size(), std::size_t{3});
        QCOMPARE(last.lines[2].row, std::size_t{2});
        QCOMPARE(last.top, made.rows[2].reserved);
        const JobLines all = linesOf(made, RankOrder::outliers_first, ShownMoments::all);
        QCOMPARE(all.columns.size(), std::size_t{2});
        QCOMPARE(all.lines[0].row, std::size_t{2}); // It failed first.
        QCOMPARE(all.lineOf(4), std::size_t{0});
        const auto& one = *std::ranges::find(all.lines, std::size_t{1}, &JobLines::Line::row);
        QCOMPARE(std::ranges::count(one.cells, kNoRow), std::ptrdiff_t{1});
        QVERIFY(!hasMoments(test::madeJob(3)));
    }

    void aRankWithoutANumberIsOneLineUnderItsCoordinates()
    {
        std::vector<job::RankSummary> rows = test::madeJob(1).rows;
        rows.push_back(rows.front());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i].rank.reset();
            rows[i].coordinates = {{"tp", 3}};
            rows[i].moment = {static_cast<std::int64_t>(i), job::DumpKind::periodic, {}};
            rows[i].file = "tp3/step_" + std::to_string(i);
        }
        job::Job made;
        made.rows = rows;
        const JobLines lines = linesOf(made, RankOrder::rank, ShownMoments::all);
        QCOMPARE(lines.lines.size(), std::size_t{1});
        QCOMPARE(lines.columns.size(), std::size_t{2});
        QCOMPARE(rankText(rows.front()), QStringLiteral("tp 3"));
        rows.front().coordinates.clear();
        QCOMPARE(rankText(rows.front()), QStringLiteral("step_0"));
    }

    void howARankEndedIsSaid()
    {
        job::Job made = test::madeJob(4);
        const QString time = clockText(*made.rows[3].oom->time);
        QCOMPARE(fateText(made, 3), QStringLiteral("first to fail, ") + time);
        QCOMPARE(fateText(made, 0), QStringLiteral("last event 8.0 ms later"));
        made.rows[1].oom = made.rows[3].oom;
        *made.rows[1].oom->time += Duration{2000};
        QCOMPARE(fateText(made, 1), QStringLiteral("failed 2.0 ms later"));
        made.rows[2].error = "It is cut off.";
        QCOMPARE(fateText(made, 2), QStringLiteral("unreadable"));
        const QString notes = rankNotes(made.rows[3]);
        QVERIFY(notes.contains(QStringLiteral("node0 · NVIDIA H200")));
        QVERIFY(notes.contains(QStringLiteral("64.0 MiB requested, 16.0 MiB free")));
        QVERIFY(notes.endsWith(QStringLiteral("OutOfMemoryError: CUDA out of memory")));
    }

    void onlyNewDumpsAreReadAgain()
    {
        const QTemporaryDir folder;
        write(folder, QStringLiteral("rank0"), "a");
        write(folder, QStringLiteral("rank1"), "b");
        Maker maker;
        JobSession session(maker.functions());
        const QSignalSpy opened(&session, &JobSession::opened);
        session.open({folder.path()}, always);
        QTRY_VERIFY_WITH_TIMEOUT(session.isOpen() && !session.isReading(), kPatience);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(session.job()->rows.size(), std::size_t{2});
        QCOMPARE(session.fileOf(1), folder.filePath(QStringLiteral("rank1")));
        QVERIFY(session.covers(folder.filePath(QStringLiteral("sub/rank7"))));
        QVERIFY(!session.covers(folder.path() + QStringLiteral("x/rank7")));
        QCOMPARE(maker.read, QStringList({QStringLiteral("rank0"), QStringLiteral("rank1")}));

        write(folder, QStringLiteral("rank1"), "changed");
        write(folder, QStringLiteral("rank2"), "c");
        maker.read.clear();
        session.refresh();
        QTRY_VERIFY_WITH_TIMEOUT(!session.isReading(), kPatience);
        QCOMPARE(maker.read, QStringList({QStringLiteral("rank1"), QStringLiteral("rank2")}));
        QCOMPARE(session.job()->rows.size(), std::size_t{3});
        QCOMPARE(maker.explained, 2);
        QVERIFY(QFile::remove(folder.filePath(QStringLiteral("rank0"))));
        maker.read.clear();
        session.refresh();
        QTRY_VERIFY_WITH_TIMEOUT(!session.isReading(), kPatience);
        QVERIFY(maker.read.isEmpty());
        QCOMPARE(session.job()->rows.size(), std::size_t{2});
    }

    void readingCanBeStopped()
    {
        const QTemporaryDir folder;
        write(folder, QStringLiteral("rank0"), "a");
        Maker maker;
        maker.is_held = true;
        JobSession session(maker.functions());
        session.open({folder.path()}, always);
        QTRY_VERIFY_WITH_TIMEOUT(session.isOpen(), kPatience);
        QVERIFY(session.isReading());
        session.refresh(); // Waits for what is under way.
        session.cancel();
        QVERIFY(!session.isReading());
        QVERIFY(session.isOpen());
        maker.is_held = false;
        session.refresh();
        QTRY_VERIFY_WITH_TIMEOUT(!session.isReading(), kPatience);
        QCOMPARE(session.job()->rows.size(), std::size_t{1});
        session.close();
        QVERIFY(!session.isOpen() && session.job() == nullptr);
    }

    void whatIsNoJobIsDeclined()
    {
        const QTemporaryDir folder;
        Maker maker;
        JobSession session(maker.functions());
        QSignalSpy failed(&session, &JobSession::failed);
        session.open({folder.path()}, always);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        QCOMPARE(failed.at(0).at(1).toString(), QStringLiteral("It holds no dump."));
        write(folder, QStringLiteral("rank0"), "a");
        QSignalSpy declined(&session, &JobSession::declined);
        session.open({folder.path()}, [](const job::Gathered&) { return false; });
        QTRY_COMPARE_WITH_TIMEOUT(declined.count(), 1, kPatience);
        QCOMPARE(declined.at(0).at(1).toStringList(),
                 QStringList{folder.filePath(QStringLiteral("rank0"))});
        QVERIFY(!session.isOpen());
    }
};

TIDEMARK_TEST(TstJobModels)

} // namespace tidemark::tst_job_models

#include "tst_job_models.moc"
