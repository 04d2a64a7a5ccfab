// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict.h"
#include "core/diagnose/run_sweep.h"
#include "core/diagnose/size_kinds.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <random>

using namespace tidemark;
using namespace tidemark::diagnose;

namespace {

/// Some allocations grow, shrink or vanish; something is added, and something lives for no state.
ChangedRun randomRun(const Facts& facts, std::mt19937& random)
{
    const auto states = static_cast<std::uint32_t>(facts.replay.stateCount());
    const auto bytes = [&] {
        const auto low = static_cast<std::int64_t>(random() % 1000);
        return Totals{low, low + 10, low + 500};
    };
    ChangedRun run;
    run.is_changed = true;
    if (random() % 4 != 0) {
        run.delta_of.assign(facts.allocations().count(), ChangedRun::kUnchanged);
        for (std::size_t i = 0; i < run.delta_of.size(); ++i) {
            const auto whole = Totals::equal(facts.bytes(AllocationId(i)));
            if (random() % 3 == 0) {
                run.delta_of[i] = static_cast<std::uint32_t>(run.deltas.size());
                run.deltas.push_back(random() % 2 == 0 ? bytes() : Totals{} - whole);
            }
        }
    }
    for (int i = 0; i < 20; ++i) {
        const StateId begin{static_cast<std::uint32_t>(random() % (states + 3))};
        const StateId end{static_cast<std::uint32_t>(random() % (states + 3))};
        run.edits.push_back({begin, end, bytes(), random() % 2 == 0});
    }
    return run;
}

bool isSame(const ScanResult& a, const ScanResult& b)
{
    const bool points = std::ranges::equal(a.points, b.points, [](const auto& x, const auto& y) {
        return x.active == y.active && x.state_change == y.state_change;
    });
    return points && a.largest == b.largest && a.largest_mid_at == b.largest_mid_at
        && a.ranges == b.ranges && a.above_survivors == b.above_survivors;
}

std::vector<Analysis> allRuns()
{
    return {test::fineRun(),
            test::diesOfLeak(),
            test::diesInLongestBatch(),
            test::diesWithKeptGradients(),
            test::diesMakingState(),
            test::diesCollectingResults()};
}

} // namespace

class TstRunSweep : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSweepOverManyRunsIsOneScanOfEach();
    void predictionsMadeTogetherAreThoseMadeAlone();
    void noScenarioIsNoPrediction();
};

void TstRunSweep::aSweepOverManyRunsIsOneScanOfEach()
{
    std::mt19937 random(5);
    for (Analysis& analysis : allRuns()) {
        const test::GatheredRun found(std::move(analysis));
        const auto states = static_cast<std::uint32_t>(found.facts.replay.stateCount());
        const auto state = [&] {
            return StateId{static_cast<std::uint32_t>(random() % (states + 5))};
        };
        for (std::size_t round = 0; round < 12; ++round) {
            std::vector<ChangedRun> runs;
            for (std::size_t i = 0; i <= round; ++i) {
                runs.push_back(randomRun(found.facts, random));
            }
            ScanRequest request;
            request.points = {state(), state(), state(), StateId::start()};
            request.ranges = {{state(), state()}, {state(), state()}, {{3}, {3}}};
            const auto& steps = found.facts.boundaries;
            if (round % 3 != 0 && steps.size() > 1) {
                request.steps = {steps.front(), steps[1 + random() % (steps.size() - 1)]};
            }
            const std::vector<ScanResult> together = scanAll(found.facts, runs, request);
            QCOMPARE(together.size(), runs.size());
            for (std::size_t i = 0; i < runs.size(); ++i) {
                QVERIFY(isSame(together[i], scan(found.facts, runs[i], request)));
            }
        }
    }
}

void TstRunSweep::predictionsMadeTogetherAreThoseMadeAlone()
{
    std::vector<std::vector<Change>> scenarios;
    for (const char* changes : {"micro-batch=0.5",
                                "micro-batch=0.5,accumulation=2",
                                "sequence=0.5",
                                "checkpointing=full",
                                "checkpointing=selective,micro-batch=0.25",
                                "optimizer=adamw8bit",
                                "optimizer=muon",
                                "foreach=off",
                                "fused=on",
                                "set-to-none=on",
                                "attention=flash",
                                "fused-loss=on",
                                "precision=bf16",
                                "precision=pure-bf16",
                                "zero=2,gpus=4",
                                "zero=3,gpus=8",
                                "offload=activations",
                                "offload=optimizer",
                                "lora=8",
                                "qlora=16,sequence=0.75",
                                "eval-accumulation=2",
                                "gpus=8"}) {
        scenarios.push_back(parseChanges(changes).value());
    }
    scenarios.emplace_back();
    for (Analysis& analysis : allRuns()) {
        const test::GatheredRun found(std::move(analysis));
        const NeedBasis basis = needBasis(found.facts);
        const auto together = predictRuns(found.facts, basis, scenarios, 2);
        QCOMPARE(together.size(), scenarios.size());
        for (std::size_t i = 0; i < scenarios.size(); ++i) {
            const PredictedRun alone = predictRun(found.facts, basis, scenarios[i], 2, false);
            const Prediction& a = together[i].prediction;
            const Prediction& b = alone.prediction;
            QCOMPARE(a.after_peak, b.after_peak);
            QCOMPARE(a.after_low, b.after_low);
            QCOMPARE(a.after_high, b.after_high);
            QCOMPARE(a.after_peak_state.value, b.after_peak_state.value);
            QCOMPARE(a.after_need, b.after_need);
            QCOMPARE(a.after_need_low, b.after_need_low);
            QCOMPARE(a.after_need_high, b.after_need_high);
            QCOMPARE(a.after_reserved, b.after_reserved);
            QVERIFY(a.fits == b.fits && a.assumptions == b.assumptions);
        }
    }
}

void TstRunSweep::noScenarioIsNoPrediction()
{
    const test::GatheredRun found(test::fineRun());
    QVERIFY(predictRuns(found.facts, needBasis(found.facts), {}, 1).empty());
}

TIDEMARK_TEST(TstRunSweep)
#include "tst_run_sweep.moc"
