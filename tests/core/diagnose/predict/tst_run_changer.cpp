// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/predict/predict.h"
#include "core/diagnose/predict/run_changer.h"
#include "core/diagnose/predict/run_scan.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_run_changer {

using namespace tidemark::diagnose;

namespace {

std::vector<Analysis> allRuns()
{
    return {test::fineRun(),
            test::diesOfLeak(),
            test::diesInLongestBatch(),
            test::diesWithKeptGradients(),
            test::diesMakingState(),
            test::diesCollectingResults()};
}

std::vector<std::vector<Change>> lists()
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
    return scenarios;
}

/// Every allocation as laws see it, whatever the kinds of sizes.
std::vector<Subject> subjects(const Facts& facts)
{
    const std::vector<InputUse> uses = inputUses(facts, blockWeights(facts));
    const std::vector<Fp32Site>& wide = facts.fp32_sites;
    std::vector<Subject> all;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        Subject like;
        like.use = uses[i];
        like.wide = wide[i];
        all.push_back(withShares(facts, subjectOf(facts, AllocationId(i), like)));
    }
    return all;
}

/// The live bytes of each state, from every law asked about every allocation.
std::vector<std::int64_t> oneByOne(const Facts& facts, const ChangedRun& run)
{
    std::vector<std::int64_t> curve(facts.replay.stateCount(), 0);
    const auto add = [&](const Interval<StateId>& where, std::int64_t bytes) {
        for (std::size_t s = where.begin.index(); s < where.end.index() && s < curve.size(); ++s) {
            curve[s] += bytes;
        }
    };
    for (const Subject& subject : subjects(facts)) {
        Life life{{{subject.begin, subject.end}}, {}};
        Amount bytes = Amount::exactly(static_cast<double>(subject.bytes));
        for (const Law* const law : run.laws) {
            if (law->buckets()[label::indexOf(subject.bucket)]) {
                bytes = bytes.times(law->factor(subject));
                law->cut(subject, life);
            }
        }
        for (const auto& stretches : {life.live, life.possible_second_use}) {
            for (const Interval<StateId>& stretch : stretches) {
                add(stretch, roundedBytes(bytes.mid).value);
            }
        }
    }
    for (const Law* const law : run.laws) {
        for (const Span& span : law->additions()) {
            add({span.begin, span.end}, roundedBytes(span.bytes.mid).value);
        }
    }
    return curve;
}

} // namespace

class TstRunChanger : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aKindHasTheFactorsOfItsAllocations();
    void aPredictedCurveIsASumOverAllocations();
    void predictionsMadeTogetherAreThoseMadeAlone();
    void noScenarioIsNoPrediction();
};

void TstRunChanger::aKindHasTheFactorsOfItsAllocations()
{
    for (Analysis& analysis : allRuns()) {
        const test::GatheredRun found(std::move(analysis));
        const SizeKinds kinds = sizeKinds(found.facts);
        const std::vector<Subject> all = subjects(found.facts);
        QVERIFY(kinds.count() < found.facts.allocations().count());
        RunChanger changer(found.facts);
        for (const std::vector<Change>& changes : lists()) {
            for (const Law* const law : changer.changed(changes, 2).laws) {
                for (std::size_t i = 0; i < kinds.of.size(); ++i) {
                    const Subject& subject = all[i];
                    QVERIFY(law->factor(subject) == law->factor(kinds.examples[kinds.of[i]]));
                    QVERIFY(law->buckets()[label::indexOf(subject.bucket)]
                            || law->factor(subject) == Amount::exactly(1));
                }
            }
        }
    }
}

void TstRunChanger::aPredictedCurveIsASumOverAllocations()
{
    for (Analysis& analysis : allRuns()) {
        const test::GatheredRun found(std::move(analysis));
        RunChanger changer(found.facts);
        for (const std::vector<Change>& changes : lists()) {
            const ChangedRun run = changer.changed(changes, 2);
            ScanRequest request;
            request.keep_curve = true;
            const ScanResult result = scan(found.facts, changer.kinds(), run, request);
            QVERIFY(result.curve == oneByOne(found.facts, run));
        }
    }
}

void TstRunChanger::predictionsMadeTogetherAreThoseMadeAlone()
{
    const std::vector<std::vector<Change>> scenarios = lists();
    for (Analysis& analysis : allRuns()) {
        const test::GatheredRun found(std::move(analysis));
        const NeedBasis basis = needBasis(found.facts);
        RunChanger changer(found.facts);
        const auto together = predictRuns(changer, basis, scenarios, 2);
        QCOMPARE(together.size(), scenarios.size());
        for (std::size_t i = 0; i < scenarios.size(); ++i) {
            RunChanger alone_changer(found.facts);
            const PredictedRun alone = predictRun(alone_changer, basis, scenarios[i], 2, false);
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

void TstRunChanger::noScenarioIsNoPrediction()
{
    const test::GatheredRun found(test::fineRun());
    RunChanger changer(found.facts);
    QVERIFY(predictRuns(changer, needBasis(found.facts), {}, 1).empty());
}

TIDEMARK_TEST(TstRunChanger)

} // namespace tidemark::tst_run_changer

#include "tst_run_changer.moc"
