// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/fine_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tidemark::tst_laws {

using namespace tidemark::diagnose;
using namespace tidemark::test::fine;
using label::Bucket;
using label::Phase;
using label::Role;
using test::kM;
using test::ModelShape;

class TstLaws : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theRecordedPeakIsTheStartingPoint();
    void noChangeChangesNothing();
    void halfTheBatchHalvesWhatFollowsIt();
    void aTemporaryOfAWeightsSizeStays();
    void accumulationKeepsGradientsDuringForward();
    void gradientsThatAreClearedLateAreNotKeptTwice();
    void partsOfAGradientAreNotAccumulated();
    void sequencesSquareAttentionMatrices();
    void matricesThatAreMadeAgainFollowTheSquareAsWell();
    void optimizersKeepTheirCopies_data();
    void optimizersKeepTheirCopies();
    void foreachOffAndFusedDropTheLists();
    void gradientsSetToNoneEndWithTheirStep();
    void whatWasThereBeforeTheTraceIsSetToNoneBeforeItToo();
    void zeroSharesMoreWithEveryStage();
    void offloadingTakesAwayWhatItNames();
    void adaptersShrinkGradientsAndState();
    void evaluationResultsLeaveAfterSomeBatches();
    void lawsOfSeveralChangesCombine();
    void oneLargerAllocationChangesTheNumbers();
    void everyRangeHoldsItsEstimate();
};

void TstLaws::theRecordedPeakIsTheStartingPoint()
{
    const Analysis a = test::fineRun();
    QCOMPARE(a.replay->devices[0].activeAt(a.replay->devices[0].peak).value, kPeak);
}

void TstLaws::noChangeChangesNothing()
{
    const Prediction p = predict(test::fineRun(), 0, {});
    QCOMPARE(p.before_peak.value, kPeak);
    QCOMPARE(p.after_peak.value, kPeak);
    QCOMPARE(p.after_low.value, kPeak);
    QCOMPARE(p.after_high.value, kPeak);
    QCOMPARE(p.after_active.size(), test::fineRun().replay->devices[0].stateCount());
}

void TstLaws::halfTheBatchHalvesWhatFollowsIt()
{
    QCOMPARE(peakAfter("micro-batch=0.5"), kStates + (kPeak - kStates) / 2);
    ModelShape half;
    half.batch = 0.5;
    const Analysis real = test::fineRun({}, half);
    QCOMPARE(peakAfter("micro-batch=0.5"),
             real.replay->devices[0].activeAt(real.replay->devices[0].peak).value);
}

void TstLaws::aTemporaryOfAWeightsSizeStays()
{
    test::HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::trainable);
    run.phase(Phase::forward, 1);
    const auto saved = run.alloc(2 * kM, Bucket::activation);
    run.phase(Phase::backward, 1);
    const auto of_weight = run.alloc(8 * kM, Bucket::temporary, Role::activation_gradient, "");
    const auto of_batch = run.alloc(64 * kM, Bucket::temporary, Role::activation_gradient, "");
    run.free(of_batch);
    run.free(of_weight);
    run.free(saved);
    run.phase(Phase::optimizer, 1);
    run.free(run.alloc(kM, Bucket::temporary));
    QCOMPARE(test::predictionOf(run.finish(), "micro-batch=0.5").after_peak.value,
             (8 + 1 + 8 + 32) * kM);
}

void TstLaws::accumulationKeepsGradientsDuringForward()
{
    const std::int64_t alone = peakAfter("micro-batch=0.5");
    QCOMPARE(peakAfter("micro-batch=0.5,accumulation=2"), alone + 4 * 8 * kM);
    QCOMPARE(peakAfter("micro-batch=0.5,accumulation=1"), alone);
}

void TstLaws::gradientsThatAreClearedLateAreNotKeptTwice()
{
    // Those of the step before are there until forward is over, which then has most.
    test::HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    std::optional<test::HandRun::Handle> older;
    for (std::uint32_t step = 1; step <= 2; ++step) {
        run.phase(Phase::forward, step);
        const auto saved = run.alloc(20 * kM, Bucket::activation);
        run.free(run.alloc(12 * kM, Bucket::temporary));
        if (older) {
            run.free(*older);
        }
        run.phase(Phase::backward, step);
        older = run.alloc(8 * kM, Bucket::gradient);
        run.free(saved);
        run.phase(Phase::optimizer, step);
        run.free(run.alloc(kM, Bucket::temporary));
    }
    QCOMPARE(test::predictionOf(run.finish(), "accumulation=2").after_peak.value,
             (8 + 20 + 12 + 8) * kM);
}

void TstLaws::partsOfAGradientAreNotAccumulated()
{
    // A weight that is used twice: backward adds up two parts of 8 MiB and keeps the sum.
    test::HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    run.phase(Phase::forward, 1);
    const auto saved = run.alloc(64 * kM, Bucket::activation);
    run.phase(Phase::backward, 1);
    const auto part = run.alloc(8 * kM, Bucket::gradient);
    const auto other = run.alloc(8 * kM, Bucket::gradient);
    run.free(saved);
    const auto sum = run.alloc(8 * kM, Bucket::gradient);
    run.free(part);
    run.free(other);
    run.phase(Phase::optimizer, 1);
    run.free(run.alloc(kM, Bucket::temporary));
    run.free(sum);
    // Weight, activation, both parts, and the sum of the micro-batch before.
    QCOMPARE(test::predictionOf(run.finish(), "accumulation=2").after_peak.value,
             (8 + 64 + 8 + 8 + 8) * kM);
}

void TstLaws::sequencesSquareAttentionMatrices()
{
    const std::int64_t linear = kInput + 4 * (16 + 16) * kM + kLogits;
    QCOMPARE(peakAfter("sequence=0.5"), kStates + linear / 2 + 4 * 32 * kM / 4);
}

void TstLaws::matricesThatAreMadeAgainFollowTheSquareAsWell()
{
    const auto* softmax =
        "softmax /site-packages/torch/nn/functional.py:1; forward /home/me/model.py:24";
    const auto checkpointed = [&](bool has_others) {
        test::HandRun run(256 * kM);
        run.alloc(8 * kM, Bucket::parameter, Role::trainable);
        run.phase(Phase::forward, 1);
        const auto input = run.alloc(2 * kM, Bucket::activation);
        run.free(run.alloc(16 * kM, Bucket::temporary, Role::attention_matrix, softmax));
        if (has_others) {
            run.free(run.alloc(16 * kM, Bucket::temporary));
        }
        // No frame tells what backward makes of them.
        run.phase(Phase::backward, 1);
        const auto again = run.alloc(16 * kM, Bucket::temporary, Role::activation_gradient, "");
        run.free(run.alloc(16 * kM, Bucket::temporary, Role::activation_gradient, ""));
        run.free(again);
        run.free(input);
        return test::predictionOf(run.finish(), "sequence=0.5");
    };
    QCOMPARE(checkpointed(false).before_peak.value, (8 + 2 + 16 + 16) * kM);
    QCOMPARE(checkpointed(false).after_peak.value, (8 + 1 + 4 + 4) * kM);
    const Prediction doubtful = checkpointed(true);
    QVERIFY(doubtful.after_low.value <= (8 + 1 + 4 + 4) * kM);
    QVERIFY(doubtful.after_high.value >= (8 + 1 + 8 + 8) * kM);
}

void TstLaws::optimizersKeepTheirCopies_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("state"); // of 64 MiB
    QTest::newRow("sgd") << "sgd" << 0.0;
    QTest::newRow("momentum") << "sgd-momentum" << 0.5;
    QTest::newRow("lion") << "lion" << 0.5;
    QTest::newRow("8 bit") << "adamw8bit" << 2.03 / 8;
    QTest::newRow("paged") << "paged-adamw8bit" << 0.0;
}

void TstLaws::optimizersKeepTheirCopies()
{
    QFETCH(QString, name);
    QFETCH(double, state);
    const std::int64_t after = peakAfter("optimizer=" + name.toStdString());
    const auto wanted = static_cast<double>(kPeak - 64 * kM) + state * 64 * kM;
    QVERIFY(std::abs(static_cast<double>(after) - wanted) < 1000);
}

void TstLaws::foreachOffAndFusedDropTheLists()
{
    ModelShape shape;
    shape.hidden = kM;
    shape.attention = kM;
    shape.logits = kM;
    shape.foreach_lists = true;
    const Analysis a = test::fineRun({}, shape);
    const std::int64_t states = kStates + 4 * 8 * kM; // with gradients
    QCOMPARE(a.replay->devices[0].activeAt(a.replay->devices[0].peak).value, states + 4 * 8 * kM);
    QCOMPARE(test::predictionOf(a, "foreach=off").after_peak.value, states + 2 * 8 * kM);
    QCOMPARE(test::predictionOf(a, "fused=on").after_peak.value, states + kInput);
}

void TstLaws::gradientsSetToNoneEndWithTheirStep()
{
    ModelShape shape;
    shape.keep_gradients = true;
    const Analysis a = test::fineRun({}, shape);
    QCOMPARE(test::predictionOf(a, "set-to-none=on").before_peak.value, kPeak + 4 * 8 * kM);
    QCOMPARE(test::predictionOf(a, "set-to-none=on").after_peak.value, kPeak);
}

void TstLaws::whatWasThereBeforeTheTraceIsSetToNoneBeforeItToo()
{
    test::HandRun run(400 * kM);
    for (int i = 0; i < 2; ++i) {
        run.there(8 * kM, Bucket::parameter);
    }
    for (int i = 0; i < 2; ++i) {
        run.there(8 * kM, Bucket::gradient);
    }
    const auto addToGradient = [&] {
        run.free(run.alloc(8 * kM, Bucket::temporary, Role::none, ""));
    };
    for (std::uint32_t step = 1; step <= 2; ++step) {
        run.phase(label::Phase::forward, step);
        const auto first = run.alloc(40 * kM, Bucket::activation);
        const auto second = run.alloc(20 * kM, Bucket::activation);
        run.phase(label::Phase::backward, step);
        run.free(second);
        addToGradient();
        run.free(first);
        addToGradient();
        run.phase(label::Phase::optimizer, step);
        run.free(run.alloc(2 * kM, Bucket::temporary, Role::optimizer_transient));
    }
    const Prediction p = test::predictionOf(run.finish(), "set-to-none=on");
    QCOMPARE(p.before_peak.value, (4 * 8 + 60) * kM);
    QCOMPARE(p.after_peak.value, (2 * 8 + 60) * kM); // both are made later
}

void TstLaws::zeroSharesMoreWithEveryStage()
{
    QCOMPARE(peakAfter("zero=1,gpus=4"), kPeak - 64 * kM + 16 * kM);
    ModelShape shape; // so that gradients are live at the peak
    shape.hidden = kM;
    shape.attention = kM;
    shape.logits = kM;
    const std::int64_t one = peakAfter("zero=1,gpus=8", shape);
    const std::int64_t two = peakAfter("zero=2,gpus=8", shape);
    const std::int64_t three = peakAfter("zero=3,gpus=8", shape);
    QVERIFY(one > two && two > three);
    QCOMPARE(peakAfter("zero=3"), kPeak); // on one GPU, as recorded
    QCOMPARE(peakAfter("zero=1,gpus=1"), kPeak);
}

void TstLaws::offloadingTakesAwayWhatItNames()
{
    QCOMPARE(peakAfter("offload=optimizer"), kPeak - 64 * kM);
    // Two blocks' weights of four stay.
    QCOMPARE(peakAfter("offload=parameters"), kPeak - 32 * kM + 16 * kM);
    // Nothing of a block stays between forward and backward, not even its output.
    QVERIFY(peakAfter("offload=activations") < peakAfter("checkpointing=full"));
}

void TstLaws::adaptersShrinkGradientsAndState()
{
    ModelShape shape;
    shape.hidden = kM;
    shape.attention = kM;
    shape.logits = kM;
    const std::int64_t before = peakAfter("micro-batch=1", shape);
    const std::int64_t after = peakAfter("lora=8", shape);
    QVERIFY(before - after > (64 + 16) * kM);
    QVERIFY(peakAfter("lora=64", shape) > after);
    QVERIFY(peakAfter("qlora=8", shape) < after - 20 * kM); // of 32 of weights
}

void TstLaws::evaluationResultsLeaveAfterSomeBatches()
{
    const Analysis a = test::diesCollectingResults();
    const Prediction four = test::predictionOf(a, "eval-accumulation=4");
    const Prediction nine = test::predictionOf(a, "eval-accumulation=9");
    QCOMPARE(four.after_need.value, kPeak - 64 * kM); // of the step before, which made the states
    QVERIFY(four.after_need < nine.after_need);
    QVERIFY(nine.after_need < four.before_need);
    QCOMPARE(four.fits, std::optional<bool>(true));
    // Without it the results go on growing, so nothing else is known to be enough.
    QVERIFY(test::predictionOf(a, "micro-batch=0.25").fits != std::optional<bool>(true));
}

void TstLaws::lawsOfSeveralChangesCombine()
{
    const std::int64_t states = kStates - 64 * kM;
    QCOMPARE(peakAfter("micro-batch=0.5,optimizer=sgd"), states + (kPeak - kStates) / 2);
    QCOMPARE(peakAfter("optimizer=sgd,micro-batch=0.5"), states + (kPeak - kStates) / 2);
    QCOMPARE(peakAfter("checkpointing=full,micro-batch=0.5"),
             kStates + (peakAfter("checkpointing=full") - kStates) / 2);
}

void TstLaws::oneLargerAllocationChangesTheNumbers()
{
    ModelShape larger;
    larger.attention += 4 * kM;
    QCOMPARE(peakAfter("micro-batch=0.5", larger) - peakAfter("micro-batch=0.5"), 4 * 4 * kM / 2);
    QCOMPARE(peakAfter("optimizer=sgd", larger) - peakAfter("optimizer=sgd"), 4 * 4 * kM);
}

void TstLaws::everyRangeHoldsItsEstimate()
{
    for (const char* change :
         {"micro-batch=0.5", "sequence=0.5", "checkpointing=full", "precision=bf16",
          "optimizer=adafactor", "optimizer=muon", "attention=flash", "fused-loss=on",
          "zero=3,gpus=2", "qlora=16", "offload=activations", "accumulation=4", "foreach=off"}) {
        const Prediction p = test::predictionOf(test::diesInBackward(), change);
        QVERIFY2(p.after_low <= p.after_peak && p.after_peak <= p.after_high, change);
        QVERIFY2(p.after_need_low <= p.after_need && p.after_need <= p.after_need_high, change);
        QVERIFY2(p.after_reserved_low <= p.after_reserved, change);
        QVERIFY2(p.after_reserved <= p.after_reserved_high, change);
        QVERIFY2(!p.assumptions.empty(), change);
    }
}

TIDEMARK_TEST(TstLaws)

} // namespace tidemark::tst_laws

#include "tst_laws.moc"
