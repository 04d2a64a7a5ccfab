// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/job/job_rows.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::tst_world {
namespace {

using namespace tidemark::test;

using Numbers = std::vector<std::uint32_t>;

/// How many ranks a job has, and which of them are missing.
class TestWorld : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void missingRanksAreNamed()
    {
        std::vector<RankSummary> rows = ranks(3);
        rows[2].rank = 9;
        const Job job = job::judge(rows);
        QCOMPARE(job.world_size, std::optional(10U));
        QCOMPARE(job.missing, (Numbers{2, 3, 4, 5, 6, 7, 8}));
        QVERIFY(notes(job, "Ranks 2 to 8 have no dump."));
        rows[2].rank = 2;
        rows[0].world_size = 4;
        QCOMPARE(job::judge(rows).missing, Numbers{3});
        QVERIFY(notes(job::judge(rows), "Rank 3 has no dump."));
    }

    void aNumberFarAboveTheOthersSaysNoWorld()
    {
        std::vector<RankSummary> rows = ranks(3);
        rows[2].rank = 999'999;
        fail(rows[0], 1000);
        fail(rows[1], 1040);
        fail(rows[2], 1005);
        const Job job = job::judge(rows);
        QVERIFY(!job.world_size && job.missing.empty());
        QVERIFY(notes(job, "The highest rank is 999999; how many ranks there are is unknown."));
        // Others may have failed before.
        QVERIFY(!says(job, "no rank is at fault") && !says(job, "All"));
        QVERIFY(says(job, "3 ranks ran out of memory within 40.0 ms, rank 0 first"));
        rows[1].oom.reset();
        rows[2].oom.reset();
        QVERIFY(says(job::judge(rows), "Rank 0 ran out of memory"));
        rows[2].rank = 1000; // As many as that there may be.
        QCOMPARE(job::judge(rows).missing.size(), std::size_t{998});
        rows[2].rank = 999'999;
        rows[0].world_size = 1'000'000; // Said.
        QCOMPARE(job::judge(rows).world_size, std::optional(1'000'000U));
        QCOMPARE(job::judge(rows).missing.size(), std::size_t{999'997});
    }

    void mixedWorldsAreNotCompared()
    {
        std::vector<RankSummary> rows = ranks(4);
        rows[3] = rankOf(3, 9 * kGiBytes);
        rows[0].world_size = 4;
        QCOMPARE(odd(job::judge(rows)), Numbers{3});
        rows[1].world_size = 8;
        const Job mixed = job::judge(rows);
        QVERIFY(mixed.outliers.empty() && mixed.equal.empty() && !mixed.world_size);
        QVERIFY(notes(mixed, "Dumps of jobs of 4 and 8 ranks are mixed"));
        rows[1].world_size = 4;
        rows[3].rank = 4;
        QVERIFY(notes(job::judge(rows), "Rank 4 does not fit a job of 4 ranks"));
    }
};

} // namespace

TIDEMARK_TEST(TestWorld)

} // namespace tidemark::tst_world

#include "tst_world.moc"
