// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/job/job_rows.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <chrono>
#include <string>
#include <vector>

namespace tidemark::tst_earlier_runs {
namespace {

using namespace std::chrono_literals;
using namespace tidemark::test;

/// Recorded for ten seconds from then on.
RankSummary& recordedFrom(RankSummary& row, Duration begin)
{
    row.first_time = TimePoint(begin);
    row.last_time = TimePoint(begin + 10s);
    if (row.oom) {
        row.oom->time = TimePoint(begin + 9s);
    }
    return row;
}

/// What a folder still has of another run.
class TestEarlierRuns : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ranksOfAnEarlierRunAreNotFirst()
    {
        std::vector<RankSummary> rows = ranks(8);
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            fail(rows[rank], 0);
            recordedFrom(rows[rank], rank < 4 ? Duration(48h + rank * 2s) : Duration(24h));
        }
        const Job job = job::judge(rows);
        QCOMPARE(job.deciding, (std::vector<std::size_t>{0, 1, 2, 3}));
        QCOMPARE(job.rows.at(job.first->row).rank, std::optional(0U));
        QVERIFY(says(job, "Rank 0 ran out of memory first in forward of step 4, 2.00 s before"));
        QVERIFY(notes(job,
                      "Ranks 4 to 7 were recorded 23 h 59 min before the others, maybe in an "
                      "earlier run: not compared."));
        // Those that wait for one that failed end later, and belong to it.
        for (std::uint32_t rank = 4; rank < 8; ++rank) {
            recordedFrom(rows[rank], Duration(48h - 30min));
        }
        const Job one = job::judge(rows);
        QCOMPARE(one.deciding.size(), std::size_t{8});
        QVERIFY(!notes(one, "earlier run"));
        // Without times, or without a rank, it is not known.
        rows[5].first_time.reset();
        rows[6].rank.reset();
        recordedFrom(rows[4], Duration(1h));
        recordedFrom(rows[6], Duration(1h));
        QVERIFY(notes(job::judge(rows), "Rank 4 was recorded"));
    }

    void anOldDumpAtAnOomIsNoFailureOfTheNewRun()
    {
        std::vector<RankSummary> rows = ranks(4);
        for (RankSummary& row : rows) {
            recordedFrom(row, Duration(2h));
        }
        RankSummary old = rankOf(2);
        old.file = "snapshot_oom_rank_2.pickle";
        fail(old, 0);
        recordedFrom(old, Duration(2h - 5min));
        rows.push_back(old);
        const Job job = job::judge(rows);
        QVERIFY(!job.first);
        QVERIFY(job.ranOut()); // At one of the moments that were given.
        QVERIFY(says(job, "No rank differs: all 4 peak at 1.59 GiB."));
        QVERIFY(notes(job,
                      "Rank 2 ran out of memory in an older dump, maybe of an earlier run: "
                      "its newer dump counts."));
        // What a process writes as it ends follows at once, and may have lost the failure.
        recordedFrom(rows.back(), Duration(2h - 11s));
        QCOMPARE(job::judge(rows).rows.at(job::judge(rows).first->row).file, old.file);
    }
};

} // namespace

TIDEMARK_TEST(TestEarlierRuns)

} // namespace tidemark::tst_earlier_runs

#include "tst_earlier_runs.moc"
