// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/budget.h"
#include "core/diagnose/what_if.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <array>

namespace tidemark::tst_budget {

using namespace tidemark::diagnose;
using label::Bucket;
using test::kM;

namespace {

std::int64_t of(const std::optional<Budget>& budget, Bucket bucket)
{
    return budget->buckets[label::indexOf(bucket)];
}

std::vector<Change> parsed(std::string_view words)
{
    return parseChanges(words).value();
}

} // namespace

class TstBudget : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFineRunIsSplitAtItsPeaks();
    void aRunThatDiedIsSplitAtItsEnd();
    void gatheredWeightsCountAsWeights();
    void rowsLeaveOutWhatIsNotThere();
    void thePartsAddUp_data();
    void thePartsAddUp();
    void aChangeWithoutAnythingToChangeHasNoEffect();
    void aStoppedBasisIsHarmless();
    void manyPredictionsEqualSingleOnes();
};

void TstBudget::aFineRunIsSplitAtItsPeaks()
{
    const Prediction p = test::predictionOf(test::fineRun(), "micro-batch=0.5");
    QVERIFY(p.before_budget && p.after_budget);
    QCOMPARE(of(p.before_budget, Bucket::parameter), 4 * 8 * kM);
    QCOMPARE(of(p.before_budget, Bucket::optimizer_state), 64 * kM);
    QCOMPARE(of(p.before_budget, Bucket::activation), (4 * (16 + 32 + 16) + 24) * kM);
    QCOMPARE(of(p.before_budget, Bucket::temporary), 24 * kM);
    QCOMPARE(of(p.after_budget, Bucket::parameter), 4 * 8 * kM);
    QCOMPARE(of(p.after_budget, Bucket::optimizer_state), 64 * kM);
    QCOMPARE(of(p.after_budget, Bucket::activation), (2 * (16 + 32 + 16) + 12) * kM);
    QCOMPARE(of(p.after_budget, Bucket::temporary), 12 * kM);
    QCOMPARE(p.before_budget->live(), p.before_peak.value);
    QCOMPARE(p.after_budget->live(), p.after_peak.value);
    QCOMPARE(p.after_budget->failed, 0);
    QCOMPARE(p.after_budget->to_follow, 0);
}

void TstBudget::aRunThatDiedIsSplitAtItsEnd()
{
    const Analysis a = test::diesInBackward();
    const Prediction p = test::predictionOf(a, "micro-batch=0.5");
    const auto& replay = a.replay->devices[0];
    const StateId moment = StateId::before(replay.ooms.back());
    QCOMPARE(p.before_budget->state, moment);
    QCOMPARE(p.after_budget->state, moment);
    QCOMPARE(p.before_budget->live(), replay.activeAt(moment).value);
    QCOMPARE(p.before_budget->failed, 24 * kM); // The gradient of the logits.
    QCOMPARE(p.after_budget->failed, 12 * kM);
    QCOMPARE(of(p.after_budget, Bucket::activation), of(p.before_budget, Bucket::activation) / 2);
    QVERIFY(p.before_budget->to_follow >= 0);
}

void TstBudget::gatheredWeightsCountAsWeights()
{
    const Prediction p = test::predictionOf(test::fineRun(), "zero=3,gpus=8");
    // An eighth of 4 × 8 MiB, and two whole blocks' weights; an eighth of the state.
    QCOMPARE(of(p.after_budget, Bucket::parameter), (4 + 16) * kM);
    QCOMPARE(of(p.after_budget, Bucket::optimizer_state), 8 * kM);
}

void TstBudget::rowsLeaveOutWhatIsNotThere()
{
    const Prediction p = test::predictionOf(test::diesInBackward(), "micro-batch=0.5");
    const std::vector<BudgetRow> rows = budgetRows(*p.before_budget, *p.after_budget);
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        QVERIFY(rows[i].before != 0 || rows[i].after != 0);
        before += rows[i].before;
        after += rows[i].after;
    }
    QCOMPARE(rows.front().bucket, Bucket::activation); // No temporary is live when it dies.
    QVERIFY(rows.back().kind == BudgetRow::Kind::total);
    QCOMPARE(rows.back().before, before);
    QCOMPARE(rows.back().after, after);
    QCOMPARE(budgetRows({}, {}).size(), 1UL);
}

void TstBudget::thePartsAddUp_data()
{
    QTest::addColumn<int>("run");
    QTest::addColumn<QString>("changes");
    const std::array<const char*, 9> changes{
        "micro-batch=0.3,accumulation=3",
        "sequence=0.7",
        "checkpointing=full,optimizer=muon",
        "precision=bf16,fused-loss=on",
        "precision=pure-bf16,foreach=off",
        "zero=2,gpus=4,checkpointing=selective",
        "offload=parameters,attention=flash",
        "qlora=16",
        "offload=activations,set-to-none=on,fused=on",
    };
    for (int run = 0; run < 6; ++run) {
        for (const char* change : changes) {
            QTest::addRow("%d %s", run, change) << run << QString::fromLatin1(change);
        }
    }
}

void TstBudget::thePartsAddUp()
{
    QFETCH(const int, run);
    QFETCH(const QString, changes);
    const std::array<Analysis (*)(UserInput), 6> runs{
        [](UserInput input) { return test::fineRun(std::move(input)); },
        [](UserInput input) { return test::diesInBackward(std::move(input)); },
        test::diesMakingState,
        test::diesInForeachList,
        test::diesMakingGradients,
        test::diesOfLeak,
    };
    const Analysis a = runs[static_cast<std::size_t>(run)]({});
    const Prediction p = test::predictionOf(a, changes.toStdString());
    const Budget& before = *p.before_budget;
    const Budget& after = *p.after_budget;
    QCOMPARE(before.live(), a.replay->devices[0].activeAt(before.state).value);
    QCOMPARE(after.live(), p.after_active[after.state.index()]);
    QCOMPARE(before.need(), p.before_need.value);
    QCOMPARE(after.need(), p.after_need.value);
    QCOMPARE(before.total(), p.before_reserved.value);
    QCOMPARE(after.total(), p.after_reserved.value);
    for (const std::int64_t bytes : after.buckets) {
        QVERIFY(bytes >= 0);
    }
    // At most the rounding of the request that failed.
    QVERIFY(after.to_follow >= -1 && before.to_follow >= 0);
}

void TstBudget::aChangeWithoutAnythingToChangeHasNoEffect()
{
    const WhatIf training(test::fineRun(), 0);
    QVERIFY(training.hasEffect(parsed("micro-batch=0.5")));
    QVERIFY(training.hasEffect(parsed("checkpointing=full")));
    QVERIFY(training.hasEffect(parsed("optimizer=sgd")));
    QVERIFY(training.hasEffect(parsed("attention=flash")));
    QVERIFY(!training.hasEffect(parsed("eval-accumulation=1"))); // Nothing is collected.
    QVERIFY(!training.hasEffect(parsed("gpus=8"))); // Says nothing alone.
    const WhatIf generation(test::diesOfCache(), 0);
    QVERIFY(generation.hasEffect(parsed("micro-batch=0.5")));
    QVERIFY(!generation.hasEffect(parsed("optimizer=sgd")));
    QVERIFY(!generation.hasEffect(parsed("accumulation=4")));
    QVERIFY(!generation.hasEffect(parsed("attention=flash")));
    // State that is still to come counts, too.
    QVERIFY(WhatIf(test::diesMakingGradients(), 0).hasEffect(parsed("optimizer=sgd")));
}

void TstBudget::aStoppedBasisIsHarmless()
{
    std::stop_source stop;
    stop.request_stop();
    const WhatIf what_if(test::diesInBackward(), 0, stop.get_token()); // It must not crash.
    QVERIFY(stop.stop_requested());
}

void TstBudget::manyPredictionsEqualSingleOnes()
{
    const Analysis a = test::diesInBackward();
    const WhatIf what_if(a, 0);
    for (const char* words : {"micro-batch=0.5", "checkpointing=full", "zero=3,gpus=4"}) {
        const Prediction one = test::predictionOf(a, words);
        const Prediction many = what_if.predict(parsed(words));
        QCOMPARE(many.after_active, one.after_active);
        QCOMPARE(many.after_need.value, one.after_need.value);
        QVERIFY(many.after_budget == one.after_budget);
        QCOMPARE(many.fits, one.fits);
    }
}

TIDEMARK_TEST(TstBudget)

} // namespace tidemark::tst_budget

#include "tst_budget.moc"
