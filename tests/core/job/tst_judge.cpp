// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/job/job_rows.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::tst_judge {
namespace {

using namespace tidemark::test;

using Numbers = std::vector<std::uint32_t>;

class TestJudge : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rowsAreSortedByRankAndTime()
    {
        std::vector<RankSummary> rows{rankOf(1), rankOf(0), rankOf(0)};
        rows[1].file = "late";
        rows[1].moment.step = 2; // As its name has it; its time says otherwise.
        rows[1].last_time = TimePoint(Duration(9));
        rows[2].file = "early";
        rows[2].moment.step = 5;
        rows[2].last_time = TimePoint(Duration(8));
        rows.push_back(rankOf(7));
        rows.back().rank.reset();
        const Job timed = job::judge(rows);
        QCOMPARE(timed.rows[0].file, std::string("early"));
        QCOMPARE(timed.rows[1].file, std::string("late"));
        QCOMPARE(timed.rows[2].rank, std::optional(1U));
        QVERIFY(!timed.rows[3].rank);
        QCOMPARE(timed.deciding, (std::vector<std::size_t>{1, 2, 3}));
        rows[1].last_time.reset();
        QCOMPARE(job::judge(rows).rows[0].file, std::string("late"));
    }

    void aFailureDecidesAndIsCountedOnce()
    {
        std::vector<RankSummary> rows = ranks(2);
        fail(rows[1], 5000);
        RankSummary at_exit = rows[1]; // The same process, as it ends.
        at_exit.file = "exit";
        at_exit.moment.kind = job::DumpKind::exit;
        at_exit.last_time = TimePoint(Duration(6'000'000));
        RankSummary later = rankOf(0);
        later.file = "later";
        later.moment.step = 9;
        later.last_time = TimePoint(Duration(7'000'000));
        rows.push_back(at_exit);
        rows.push_back(later);
        const Job job = job::judge(rows);
        QCOMPARE(job.deciding.size(), std::size_t{2});
        QCOMPARE(job.rows[job.deciding[0]].file, std::string("later"));
        QCOMPARE(job.rows[job.deciding[1]].moment.kind, job::DumpKind::oom);
        QVERIFY(job.first.has_value());
        QVERIFY(job.first->certain);
        QVERIFY(job.first->others.empty());
        QVERIFY(says(job, "Only rank 1 ran out of memory in forward of step 4"));
    }

    void ranksThatFailInStepAreNotAtFault()
    {
        std::vector<RankSummary> rows = ranks(4);
        const std::int64_t at[]{1000, 1040, 1005, 1105};
        for (std::size_t i = 0; i < 4; ++i) {
            fail(rows[i], at[i]);
        }
        const Job job = job::judge(rows);
        QCOMPARE(job.first->row, std::size_t{0});
        QVERIFY(!job.first->certain);
        QVERIFY(job.first->same_request);
        QCOMPARE(job.first->lead, std::optional(Duration(5000)));
        QCOMPARE(job.first->span, std::optional(Duration(105'000)));
        QVERIFY(says(job,
                     "All 4 ranks ran out of memory within 105.0 ms, each requesting 300 MiB: "
                     "no rank is at fault."));
        // One of them did not fail: it is a fact, and no verdict on the others.
        rows[3].oom.reset();
        QVERIFY(!says(job::judge(rows), "no rank is at fault"));
    }

    /// Of a job of which some dumps are not there, nothing is said of all ranks.
    void ranksWithoutADumpMayBeAtFault()
    {
        std::vector<RankSummary> rows = ranks(4);
        for (std::size_t i = 0; i < 4; ++i) {
            fail(rows[i], 1000 + static_cast<std::int64_t>(i));
            rows[i].world_size = 8;
        }
        const Job job = job::judge(rows);
        QVERIFY(!says(job, "no rank is at fault"));
        QVERIFY(says(job, "4 of 8 ranks ran out of memory within 3.0 ms, rank 0 first"));
        for (RankSummary& row : rows) {
            row.world_size = 4;
        }
        QVERIFY(says(job::judge(rows), "All 4 ranks"));
        rows[3].is_cut_off = true; // It failed, too, as far as it goes.
        QVERIFY(says(job::judge(rows), "All 4 ranks"));
        rows[3] = {};
        rows[3].rank = 3;
        rows[3].error = "The file ends early.";
        const Job unread = job::judge(rows);
        QVERIFY(says(unread, "3 of 4 ranks ran out of memory within 2.0 ms, rank 0 first"));
        QVERIFY(notes(unread, "A rank whose dump could not be read may have failed earlier."));
        rows[1].oom.reset();
        rows[2].oom.reset();
        QVERIFY(!says(job::judge(rows), "Only"));
        QVERIFY(says(job::judge(rows), "Rank 0 ran out of memory in forward of step 4"));
        rows[0].oom.reset();
        QVERIFY(!notes(job::judge(rows), "failed earlier"));
    }

    void aLongLeadIsCertain()
    {
        std::vector<RankSummary> rows = ranks(3);
        fail(rows[2], 1000);
        fail(rows[0], 1100);
        const Job job = job::judge(rows);
        QCOMPARE(job.first->row, std::size_t{2});
        QVERIFY(job.first->certain);
        QVERIFY(says(job,
                     "Rank 2 ran out of memory first in forward of step 4, 100.0 ms before "
                     "rank 0"));
        rows[0].oom->time = TimePoint(Duration(1'099'000));
        QVERIFY(!job::judge(rows).first->certain);
        rows[0].oom->phase = "backward"; // Elsewhere in the program: nothing held them in step.
        QVERIFY(job::judge(rows).first->certain);
        rows[0].host = "node1";
        rows[2].host = "node2"; // Two clocks.
        QVERIFY(!job::judge(rows).first->certain);
        rows[0].host.clear();
        rows[2].host.clear();
        rows[1].world_size = 8; // Of one machine, as far as is known.
        QVERIFY(job::judge(rows).first->certain);
        rows[1].world_size = 16;
        QVERIFY(!job::judge(rows).first->certain);
    }

    void withoutTimesTheOrderIsNotKnown()
    {
        std::vector<RankSummary> rows = ranks(3);
        fail(rows[0], 0).oom->time.reset();
        QVERIFY(job::judge(rows).first.has_value()); // The only one.
        fail(rows[2], 0).oom->time.reset();
        const Job job = job::judge(rows);
        QVERIFY(!job.first);
        QVERIFY(job.ranOut());
        QVERIFY(notes(job, "which was first is unknown"));
        QVERIFY(says(job, "Ranks 0 and 2 ran out of memory."));
    }

    void aFailureThatWasCaughtIsNone()
    {
        std::vector<RankSummary> rows = ranks(3);
        fail(rows[1], 1000);
        rows[1].steps = 4; // It died in the one that it did not complete.
        QVERIFY(job::judge(rows).first.has_value());
        rows[1].steps = 5;
        const Job job = job::judge(rows);
        QVERIFY(!job.first && !job.ranOut());
        QVERIFY(notes(job, "Rank 1 ran out of memory and continued"));
        // What it did not get, it did not need.
        QVERIFY(job.outliers.empty());
        QVERIFY(says(job, "No rank differs: all 3 peak at 1.59 GiB."));
        RankSummary died = rankOf(1);
        died.file = "died";
        fail(died, 500);
        rows.push_back(died);
        QCOMPARE(job::judge(rows).rows[job::judge(rows).first->row].file, std::string("died"));
        rows.resize(3);
        rows[1].oom->step = 0; // No step is known.
        QVERIFY(job::judge(rows).first.has_value());
    }

    void lostConnectionsAreAConsequence()
    {
        std::vector<RankSummary> rows = ranks(4);
        fail(rows[2], 1000);
        rows[0].failure = "RuntimeError: Connection closed by peer [127.0.0.1]:24494";
        rows[1].failure = "Watchdog caught collective operation timeout";
        rows[3].failure = "ValueError: bad label";
        const Job job = job::judge(rows);
        QVERIFY(says(job, "Ranks 0 and 1 lost their connections: a consequence."));
        rows[2].oom.reset();
        const Job alive = job::judge(rows);
        QVERIFY(says(alive, "Ranks 0 and 1 lost their connections to other ranks."));
        QVERIFY(says(alive, "No rank differs"));
        QVERIFY(says(job, "Rank 3 failed with its own error: ValueError: bad label"));
    }

    void brokenAndDoubledDumpsSpoilNothing()
    {
        std::vector<RankSummary> rows = ranks(4);
        RankSummary again = rankOf(1);
        again.file = "again";
        again.last_time = TimePoint(Duration(2'000'000));
        rows.push_back(again);
        RankSummary broken;
        broken.rank = 4;
        broken.file = "x.pickle";
        broken.error = "The file ends early.";
        rows.push_back(broken);
        const Job job = job::judge(rows);
        QVERIFY(notes(job, "Rank 1 has two dumps of one moment, rank1.pickle and again"));
        QVERIFY(notes(job, "1 dump could not be read, x.pickle: The file ends early."));
        QCOMPARE(job.deciding.size(), std::size_t{5});
        QVERIFY(job.missing.empty());
        QVERIFY(job.outliers.empty());
        QVERIFY(!job.equal.empty());
        QCOMPARE(std::ranges::count_if(job.notes,
                                       [](const std::string& note) {
                                           return note.find("read") != std::string::npos;
                                       }),
                 1);
    }

    /// What a copy that broke off shows is only how the rank began.
    void beginningsAreNotCompared()
    {
        std::vector<RankSummary> rows = ranks(4);
        rows[2] = rankOf(2, kGiBytes / 8);
        QCOMPARE(odd(job::judge(rows)), Numbers{2});
        rows[2].is_cut_off = true;
        const Job job = job::judge(rows);
        QVERIFY(job.outliers.empty());
        QVERIFY(notes(job, "Rank 2: the file is truncated and not compared; copy it again."));
    }

    void stepsAndRecordingsThatLackSomethingAreSaid()
    {
        std::vector<RankSummary> rows = ranks(4);
        for (RankSummary& row : rows) {
            row.steps = 9;
        }
        rows[2].steps = 3;
        QVERIFY(notes(job::judge(rows), "Rank 2 stopped after step 3, others after step 9."));
        rows[2].starts_in_use = true; // Its recording began later.
        const Job late = job::judge(rows);
        QVERIFY(!notes(late, "stopped"));
        QVERIFY(notes(late, "Rank 2: memory was in use before the recording"));
        rows[1].has_segments = false;
        QVERIFY(notes(job::judge(rows), "Rank 1: no segments were recorded"));
        QVERIFY(!notes(job::judge(ranks(4)), ":"));
    }

    void theOddRankIsHeldAgainstItsNearestPeer()
    {
        std::vector<RankSummary> rows = ranks(6);
        rows[4] = rankOf(4, 2 * kGiBytes);
        const Job job = job::judge(rows);
        QCOMPARE(odd(job), Numbers{4});
        QCOMPARE(job.outliers[0].against, std::size_t{3});
        QCOMPARE(job.median, std::optional(std::size_t{3}));
        QCOMPARE(job.outliers[0].delta, kGiB);
        QCOMPARE(job.outliers[0].bucket, Bucket::activation);
        QCOMPARE(job.outliers[0].bucket_delta, kGiB);
        QVERIFY(
            says(job, "Rank 4 needs 1.00 GiB more than rank 3 (peak of Activations: +1.00 GiB)."));
        rows[4] = rankOf(4, kGiBytes + 40 * kMiBytes); // 2.5 % of what it holds.
        QVERIFY(job::judge(rows).outliers.empty());
    }

    void bucketsAreHeldAgainstEachOtherAtTheirOwnPeaks()
    {
        // The other ranks' totals peak in the optimizer, when activations are freed.
        std::vector<RankSummary> rows = ranks(6);
        for (RankSummary& row : rows) {
            of(row.decisive, Bucket::activation) = 0;
            of(row.decisive, Bucket::temporary) = kGiBytes;
            of(row.largest, Bucket::temporary) = kGiBytes;
        }
        rows[4] = rankOf(4, 3 * kGiBytes);
        const Job job = job::judge(rows);
        QCOMPARE(odd(job), Numbers{4});
        QCOMPARE(job.outliers[0].delta, Bytes{2 * kGiBytes});
        QCOMPARE(job.outliers[0].bucket, Bucket::activation);
        QCOMPARE(job.outliers[0].bucket_delta, Bytes{2 * kGiBytes});
        QVERIFY(
            says(job, "Rank 4 needs 2.00 GiB more than rank 3 (peak of Activations: +2.00 GiB)."));
    }

    void aDumpOfEarlierStepsMayHoldLess()
    {
        std::vector<RankSummary> rows = ranks(6);
        rows[4] = rankOf(4, kGiBytes / 4);
        QCOMPARE(odd(job::judge(rows)), Numbers{4});
        rows[4].steps = 1;
        QVERIFY(job::judge(rows).outliers.empty());
        rows[4] = rankOf(4, 2 * kGiBytes);
        rows[4].steps = 1;
        QCOMPARE(odd(job::judge(rows)), Numbers{4});
    }

    void naturalVariationHasNoOddRank()
    {
        std::mt19937 random(7); // NOLINT(cert-msc51-cpp): the same jobs each time.
        std::size_t jobs_with_odd = 0;
        for (int i = 0; i < 200; ++i) {
            const std::uint32_t count = i % 2 == 0 ? 4U : 64U;
            std::lognormal_distribution<double> length(0, 0.2);
            std::vector<RankSummary> rows;
            for (std::uint32_t rank = 0; rank < count; ++rank) {
                rows.push_back(
                    rankOf(rank, static_cast<std::int64_t>(2 * length(random) * double(kGiBytes))));
            }
            jobs_with_odd += job::judge(rows).outliers.empty() ? 0U : 1U;
        }
        QVERIFY2(jobs_with_odd <= 6, std::to_string(jobs_with_odd).c_str());
    }

    void ofTwoRanksOnlyTheOneThatFailedIsOdd()
    {
        std::vector<RankSummary> rows{rankOf(0), rankOf(1, 4 * kGiBytes)};
        QVERIFY(job::judge(rows).outliers.empty());
        fail(rows[1], 1000);
        QCOMPARE(odd(job::judge(rows)), Numbers{1});
    }

    void theFirstToFailIsOddFromThreePercentOn()
    {
        std::vector<RankSummary> rows;
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            rows.push_back(rankOf(rank, kGiBytes + rank * 60 * kMiBytes));
        }
        QVERIFY(job::judge(rows).outliers.empty());
        fail(rows[7], 1000);
        QCOMPARE(odd(job::judge(rows)), Numbers{7});
        std::vector<RankSummary> alike = ranks(4);
        fail(alike[1], 1000, 10 * kMiBytes);
        QVERIFY(job::judge(alike).outliers.empty());
    }

    void stagesOfAPipelineDifferByDesign()
    {
        std::vector<RankSummary> rows;
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            const std::int64_t in_flight = 4 - rank / 2;
            rows.push_back(rankOf(rank, in_flight * kGiBytes));
            rows.back().coordinates = {{"pp", rank / 2}, {"dp", rank % 2}};
        }
        const Job named = job::judge(rows);
        QVERIFY(named.outliers.empty());
        QVERIFY(says(named, "fewer micro-batches in flight than the one before: by design."));
        // Of one stage, a third rank that holds what the other two do not.
        for (std::uint32_t rank = 8; rank < 12; ++rank) {
            rows.push_back(rankOf(rank, (4 - (rank - 8)) * kGiBytes));
            rows.back().coordinates = {{"pp", rank - 8}, {"dp", 2}};
        }
        rows[11] = rankOf(11, 3 * kGiBytes);
        rows[11].coordinates = {{"pp", 3}, {"dp", 2}};
        QCOMPARE(odd(job::judge(rows)), Numbers{11});
    }

    void stagesAreSeenWithoutTheirNames()
    {
        std::vector<RankSummary> rows;
        for (std::uint32_t rank = 0; rank < 8; ++rank) {
            rows.push_back(rankOf(rank, (8 - rank) * kGiBytes));
            if (rank == 0 || rank == 7) { // Embedding and head, and their states.
                rows.back().largest[label::indexOf(Bucket::parameter)] += kGiBytes;
                rows.back().largest[label::indexOf(Bucket::optimizer_state)] += 2 * kGiBytes;
            }
        }
        QVERIFY(says(job::judge(rows), "by design"));
        QVERIFY(job::judge(rows).outliers.empty());
        // With equal weights it is one where each stage holds one micro-batch more than the next.
        std::vector<RankSummary> equal;
        std::vector<RankSummary> sequences;
        for (std::uint32_t rank = 0; rank < 4; ++rank) {
            equal.push_back(rankOf(rank, (4 - rank) * kGiBytes));
            sequences.push_back(rankOf(rank, (6 - rank) * kGiBytes));
        }
        QVERIFY(says(job::judge(equal), "by design"));
        QVERIFY(!says(job::judge(sequences), "by design"));
    }

    void ranksThatShardAlikeAreOfOneStage()
    {
        std::vector<RankSummary> rows = ranks(4);
        for (std::uint32_t rank = 0; rank < 4; ++rank) {
            rows[rank].coordinates = {{"tp", rank}};
        }
        rows[1] = rankOf(1, 3 * kGiBytes);
        rows[1].coordinates = {{"tp", 1}};
        QCOMPARE(odd(job::judge(rows)), Numbers{1});
    }

    void equalBucketsAreListed()
    {
        std::vector<RankSummary> rows = ranks(3);
        rows[1] = rankOf(1, kGiBytes + kGiBytes / 500);
        QCOMPARE(job::judge(rows).equal,
                 (std::vector<Bucket>{Bucket::parameter, Bucket::optimizer_state}));
        rows[1] = rankOf(1, kGiBytes + kGiBytes / 2000);
        QCOMPARE(job::judge(rows).equal.size(), std::size_t{3});
        QVERIFY(job::judge({rankOf(0)}).equal.empty());
    }

    void ranksOfOneCardAreSeen()
    {
        std::vector<RankSummary> rows = ranks(4, 33 * kGiBytes);
        for (RankSummary& row : rows) {
            fail(row, 1000).oom->device_free = Bytes{4 * kMiBytes};
        }
        QVERIFY(says(job::judge(rows), "Ranks 0 to 3 seem to share one GPU"));
        for (RankSummary& row : rows) {
            row.card = "NVIDIA H200";
        }
        QVERIFY(says(job::judge(rows), "Ranks 0 to 3 share one GPU"));
        for (RankSummary& row : rows) {
            row.card = "NVIDIA A100-SXM4-40GB"; // 33.6 GiB of 39.5, and the sum is no such card.
        }
        QVERIFY(!says(job::judge(rows), "share one GPU"));
        std::vector<RankSummary> full = ranks(4, 38 * kGiBytes); // Each filled one of its own.
        for (RankSummary& row : full) {
            fail(row, 1000).oom->device_free = Bytes{4 * kMiBytes};
        }
        QVERIFY(!says(job::judge(full), "share one GPU"));
        rows[0].oom->device_free = Bytes{100 * kGiBytes}; // A limit of the process, not the card.
        rows[1].oom->device_free = Bytes{100 * kGiBytes};
        QVERIFY(!says(job::judge(rows), "share one GPU"));
    }

    void manyRowsAreJudged()
    {
        std::vector<RankSummary> rows = ranks(4096);
        rows[77] = rankOf(77, 2 * kGiBytes);
        fail(rows[77], 1000);
        for (RankSummary& row : rows) {
            row.failure = "RuntimeError: Connection closed by peer [127.0.0.1]:24494";
            row.places.assign(48, {"model.py:7 forward", "linear", Bucket::activation, {}, 1});
        }
        std::shuffle(rows.begin(), rows.end(), std::mt19937(1)); // NOLINT(cert-msc51-cpp)
        const Job job = job::judge(std::move(rows));
        QCOMPARE(odd(job), Numbers{77});
    }

    void nothingIsNoError()
    {
        RankSummary broken;
        broken.error = "It is empty.";
        QCOMPARE(job::judge({broken}).sentences.at(0).text, std::string("No dump could be read."));
        QCOMPARE(job::judge(ranks(1)).sentences.at(0).text,
                 std::string("Rank 0 peaks at 1.59 GiB."));
        std::vector<RankSummary> mixed = ranks(3);
        mixed[0].world_size = 4;
        mixed[1].world_size = 8;
        QCOMPARE(job::judge(mixed).sentences.at(0).text,
                 std::string("None of the 3 ranks ran out of memory."));
        fail(mixed[1], 1000);
        QCOMPARE(job::judge(mixed).sentences.at(0).text, std::string("Rank 1 ran out of memory."));
        const Job job = job::judge({});
        QVERIFY(job.rows.empty() && job.sentences.empty() && !job.ranOut());
    }
};

} // namespace

TIDEMARK_TEST(TestJudge)

} // namespace tidemark::tst_judge

#include "tst_judge.moc"
