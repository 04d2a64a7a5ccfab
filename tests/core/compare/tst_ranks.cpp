// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/pipeline.h"
#include "tests/core/compare/decoder_run.h"
#include "tests/core/compare/difference_probe.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cmath>

namespace tidemark::tst_ranks {

using namespace tidemark::test;
using compare::ChangeOf;
using compare::Difference;

/// Ranks of one job, and dumps of one run.
class TstRanks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStageOfAPipelineHoldsMorePasses()
    {
        DecoderOptions first;
        first.micro_batches = 6;
        first.in_flight = 4;
        DecoderOptions next = first;
        next.in_flight = 3;
        const Difference d = between(first, next);
        const compare::RunChange* const found = find(d, ChangeOf::in_flight);
        QVERIFY(found != nullptr);
        QCOMPARE(found->ratio, std::optional(0.75));
        QVERIFY(delta(d) < 0);
        QCOMPARE(sumOfParts(d), delta(d));
        QVERIFY(std::abs(d.parts.unexplained.value) <= std::abs(delta(d)) / 50);
        QVERIFY(find(d, ChangeOf::accumulation) == nullptr);
        QVERIFY(find(d, ChangeOf::attention) == nullptr);
        QVERIFY(says(d.sentences, "Passes in flight"));
    }

    void moreMicroBatchesOneAfterTheOtherAreNotInFlight()
    {
        DecoderOptions more;
        more.micro_batches = 4;
        const Difference d = between(DecoderOptions{}, more);
        QVERIFY(find(d, ChangeOf::in_flight) == nullptr);
        QCOMPARE(sumOfParts(d), delta(d));
    }

    void weightsOfOneRunAloneAreNamed()
    {
        DecoderOptions rank_0;
        rank_0.gathered = 40'000'000;
        const Difference d = between(DecoderOptions{}, rank_0);
        const compare::RunChange* const found = find(d, ChangeOf::model);
        QVERIFY(found != nullptr);
        QVERIFY(found->is_beside);
        QVERIFY(!d.is_other_model);
        QCOMPARE(found->explains, Bytes{40'000'000});
        QCOMPARE(d.parts.unexplained, Bytes{});
        QVERIFY(says(d.sentences, "Weights that only one run has"));
    }

    /// Frozen weights many times as large as those that are trained make no adapters of these
    /// where the other run trains the same ones.
    void aGatheredCopyMakesNoAdapters()
    {
        DecoderOptions rank_1;
        rank_1.shards = 16;
        DecoderOptions rank_0 = rank_1;
        rank_0.gathered = 40'000'000;
        const Difference d = between(rank_1, rank_0);
        QVERIFY(find(d, ChangeOf::lora) == nullptr);
        QVERIFY(find(d, ChangeOf::model) != nullptr);
        QCOMPARE(d.parts.unexplained, Bytes{});
    }

    /// Batches of other lengths in each step: what counts is the pass whose moment is compared.
    void theLongestBatchExplainsItsOwnPeak()
    {
        DecoderOptions rank_0;
        rank_0.steps = 4;
        rank_0.is_fused = true;
        DecoderOptions rank_2 = rank_0;
        rank_2.batch = 4 * rank_0.batch;
        rank_2.last_batch = 12 * rank_0.batch;
        const Difference d = between(rank_0, rank_2);
        const auto& changes = d.parts.changes;
        QCOMPARE(changes.size(), std::size_t{1});
        QCOMPARE(changes.front().ratio, std::optional(12.0));
        QCOMPARE(changes.front().from, std::string("512"));
        QCOMPARE(changes.front().to, std::string("6144"));
        QCOMPARE(d.parts.unexplained, Bytes{});
        QCOMPARE(sumOfParts(d), delta(d));
        rank_2.last_batch = 0;
        const Difference even = between(rank_0, rank_2);
        QCOMPARE(even.parts.changes.front().ratio, std::optional(4.0));
        QCOMPARE(even.parts.unexplained, Bytes{});
    }

    /// A copy of a checkpoint makes more weights of one rank; its states are those of the others.
    void equalStatesAreOfOneOptimizer()
    {
        const auto open = [](const char* file) {
            NoProgress progress;
            return pipeline::analyze(ownData() / "gpu/jobs/rank0_loads_checkpoint" / file, {},
                                     progress, {})
                .value();
        };
        const Difference d = between(open("memory_snapshot-rank1.pickle.xz"),
                                     open("memory_snapshot-rank0.pickle.xz"));
        QVERIFY(find(d, ChangeOf::optimizer) == nullptr);
        QVERIFY(find(d, ChangeOf::model) != nullptr);
    }

    /// Shards of one model may have other sizes on each rank, and stages other layers.
    void ranksOfOneJobHaveOneModel()
    {
        DecoderOptions rank_0;
        DecoderOptions rank_3 = rank_0;
        rank_3.shards = 3;
        DecoderOptions stage = rank_0;
        stage.layers = 6;
        const auto analysis = decoderRun(rank_0);
        for (const DecoderOptions& other : {rank_3, stage}) {
            const auto beside = decoderRun(other);
            compare::DifferenceOptions options = compare::mainDevices(analysis, beside);
            QVERIFY(compare::findDifference(analysis, beside, options).is_other_model);
            options.are_ranks = true;
            const Difference d = compare::findDifference(analysis, beside, options);
            QVERIFY(!d.is_other_model);
            QVERIFY(!says(d.sentences, "Model ("));
            QCOMPARE(sumOfParts(d), delta(d));
        }
    }

    void whatHoldsOfBothIsSaidOnce()
    {
        DecoderOptions one;
        one.dies = true;
        DecoderOptions other = one;
        other.batch = 8;
        const auto cutOff = [](const Difference& d) {
            return std::ranges::count_if(d.warnings, [](const std::string& warning) {
                return warning.find("ran out of memory") != std::string::npos;
            });
        };
        QVERIFY(says(between(one, other).warnings, "Both ran out of memory"));
        QCOMPARE(cutOff(between(one, other)), 1);
        other.dies = false;
        QVERIFY(says(between(one, other).warnings, "A ran out of memory"));
        QCOMPARE(cutOff(between(one, other)), 1);
    }

    void theFirstStepHasNoStateYet()
    {
        DecoderOptions one;
        one.steps = 1;
        one.batch = 64;
        DecoderOptions more = one;
        more.steps = 3;
        const Difference d = between(one, more);
        const compare::RunChange* const found = find(d, ChangeOf::first_step);
        QVERIFY(found != nullptr);
        QVERIFY(found->explains.value > 0);
        QCOMPARE(sumOfParts(d), delta(d));
        QCOMPARE(d.parts.unexplained, Bytes{});
    }

    void peaksInOneKindOfPhaseAreHeldAgainstEachOther()
    {
        DecoderOptions earlier;
        earlier.kept_per_step = 3'000'000;
        DecoderOptions later = earlier;
        later.steps = 4;
        const Difference d = between(earlier, later);
        QCOMPARE(delta(d), 6'000'000);
        QCOMPARE(d.parts.unexplained, Bytes{});
    }
};

TIDEMARK_TEST(TstRanks)

} // namespace tidemark::tst_ranks

#include "tst_ranks.moc"
