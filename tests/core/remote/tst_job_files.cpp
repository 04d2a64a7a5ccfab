// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/remote/job_files.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_job_files {

using namespace tidemark::remote;

namespace {

/// Dumps of these names, the newest first.
std::vector<FarFile> folder(const std::vector<std::string>& names)
{
    std::vector<FarFile> files;
    for (const std::string& name : names) {
        files.push_back({name, 1, 1000 - static_cast<std::int64_t>(files.size())});
    }
    return files;
}

} // namespace

class TstJobFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNameTellsItsRank_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QString>("job");
        const auto row = [](const char* name, int rank, const char* job) {
            QTest::newRow(name) << QString::fromLatin1(name) << rank << QString::fromLatin1(job);
        };
        row("run.rank3-of-8.pickle", 3, "run.rank*-of-8.pickle");
        row("run.rank3-of-8.oom.pickle", 3, "run.rank*-of-8.oom.pickle");
        row("rank12_memory_snapshot.pickle", 12, "rank*_memory_snapshot.pickle");
        row("memory_snapshot_rank_0.pickle.zst", 0, "memory_snapshot_rank_*.pickle.zst");
        row("Rank-7.pkl", 7, "Rank-*.pkl");
        row("rank0_of_4.pickle.gz", 0, "rank*_of_4.pickle.gz");
        for (const char* none :
             {"run.pickle", "frank3.pickle", "rank.pickle", "rank", "lora-ranks8.pickle", "",
              "rank1_local_rank1.pickle", "rank1234567.pickle", "rank--3.pickle"}) {
            row(none, -1, "");
        }
    }
    void aNameTellsItsRank()
    {
        QFETCH(QString, name);
        QFETCH(int, rank);
        QFETCH(QString, job);
        const auto found = rankInName(name.toStdString());
        QCOMPARE(found ? static_cast<int>(found->rank) : -1, rank);
        QCOMPARE(found ? found->job : std::string(), job.toStdString());
    }

    void theRanksOfTheNewestJobBelongTogether()
    {
        const auto job = newestJob(
            folder({"b.rank2-of-4.pickle", "b.rank0-of-4.pickle", "notes.pickle",
                    "b.rank10-of-4.pickle", "b.rank1-of-8.pickle", "a.rank1-of-4.pickle"}));
        QVERIFY(job.has_value());
        QCOMPARE(job->name, std::string("b.rank*-of-4.pickle"));
        QCOMPARE(job->dumps, (std::vector<std::size_t>{1, 0, 3})); // By rank, 10 behind 2.
    }
    void ranksAreSortedByNumber()
    {
        std::vector<std::string> names{"b.rank10.pickle", "z.pickle", "b.rank2.pickle",
                                       "a.rank7.pickle", "c.pickle"};
        sortByRank(names);
        QCOMPARE(names,
                 (std::vector<std::string>{"z.pickle", "c.pickle", "a.rank7.pickle",
                                           "b.rank2.pickle", "b.rank10.pickle"}));
    }
    void oneAloneIsNoJob()
    {
        QVERIFY(!newestJob({}));
        QVERIFY(!newestJob(folder({"run.pickle", "rank0.pickle", "rank1.pickle"})));
        QVERIFY(!newestJob(folder({"rank0.pickle", "rank0.oom.pickle"})));
        QVERIFY(!newestJob(folder({"rank3.pickle", "rank03.pickle"})));
    }
};

TIDEMARK_TEST(TstJobFiles)

} // namespace tidemark::tst_job_files

#include "tst_job_files.moc"
