// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/predict/need.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_need {

using namespace tidemark::diagnose;
using test::kM;

namespace {

const std::optional<bool> kYes = true;
const std::optional<bool> kNo = false;

/// 320 MiB reserved, 300 of them in use; 100 more are refused with 8 GiB free.
Analysis refusedByALimit(const std::optional<Bytes>& noted)
{
    test::HandRun run(320 * kM);
    run.phase(label::Phase::forward, 1);
    run.alloc(300 * kM, label::Bucket::activation);
    run.oom(100 * kM, 8192 * kM, label::Bucket::activation);
    if (noted) {
        trace::CaptureDevice device;
        device.index = 0;
        device.limit = device.capacity = noted;
        run.capture().emplace();
        run.capture()->devices = {device};
    }
    return run.finish();
}

} // namespace

class TstNeed : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRunThatDiedFailsAgainWithoutAChange_data();
    void everyRunThatDiedFailsAgainWithoutAChange();
    void theNeedIsWhatWasLiveAndWhatWasAsked();
    void stateThatWasStillToComeIsCounted();
    void gradientsThatWereStillToComeAreCounted();
    void aLargerBatchIsExpectedToGoOnGrowing();
    void laterStepsFindTheStateThatTheFirstMade();
    void theCapacityIsReservedPlusFree();
    void theLimitThatTheRecordingNotesHolds();
    void ofALimitThatIsNotNotedTheLowerEndDecides();
    void aCapacityThatIsGivenHolds();
    void theLimitOfTheMessageHolds();
    void withoutOomOrCapacityItIsNotKnownWhetherItFits();
    void aRunThatDidNotDieIsHeldAgainstTheCapacityGiven();
    void theEndOfALargerRunIsNeverSaidToFit();
    void whatGrowsWithoutEndIsNeverSaidToFit();
    void gradientsOfTheStepBeforeAreNotCountedBesideNewOnes();
    void gradientsThatAStepClearsBeforeItsPassAreNotCounted();
    void keptGradientsAreNoLaterMicroBatchs();
    void theLossHasTwoGradientsBesideEachOther();
    void aFirstForwardIsCompletedFromItsBlocks();
    void aFirstForwardWithoutBlocksIsNeverSaidToFit();
    void aDriverThatHadRoomStillMeansNo();
    void whereThingsAreGoneInBetweenAHoleMayStay();
};

void TstNeed::everyRunThatDiedFailsAgainWithoutAChange_data()
{
    QTest::addColumn<int>("which");
    for (int i = 0; i < 12; ++i) {
        QTest::addRow("scenario %d", i) << i;
    }
}

void TstNeed::everyRunThatDiedFailsAgainWithoutAChange()
{
    using Make = Analysis (*)(UserInput);
    static const Make kScenarios[]{
        [](UserInput in) { return test::diesInBackward(std::move(in)); },
        test::diesMakingState,
        test::diesInForeachList,
        test::diesMakingGradients,
        test::diesInEvaluationBatch,
        test::diesCollectingResults,
        test::diesOfLeak,
        test::diesOfHoles,
        test::diesInLongestBatch,
        test::diesWithKeptGradients,
        test::diesLoading,
        test::diesOfCache,
    };
    QFETCH(int, which);
    const Analysis a = kScenarios[which]({});
    const Prediction p = predict(a, 0, {});
    QCOMPARE(p.fits, kNo);
    QCOMPARE(p.after_need, p.before_need);
    QVERIFY(p.after_reserved > *p.capacity);
    // A change without effect must not talk it round either.
    QVERIFY(test::predictionOf(a, "gpus=8").fits == kNo);
    QVERIFY(test::predictionOf(a, "micro-batch=1").fits == kNo);
}

void TstNeed::theNeedIsWhatWasLiveAndWhatWasAsked()
{
    const auto d = test::deviceDiagnosisOf(test::diesInBackward());
    QCOMPARE(d.need.value, d.moment.active.value + 24 * kM);
    QCOMPARE(d.known_to_follow.value, std::int64_t{0});
    QCOMPARE(d.overhead.value, 394 * kM + d.moment.tried.value - d.need.value);
}

void TstNeed::stateThatWasStillToComeIsCounted()
{
    // Four blocks of 8 MiB, two states each: 64; three were made and one failed, so 32 were to
    // come, and then two temporaries of one block. The next step needs all of the state with a
    // whole pass, which is less here than the gradients and these.
    const auto d = test::deviceDiagnosisOf(test::diesMakingState());
    const std::int64_t pass = 4 * 3 * 2 * kM + 2 * 2 * kM + (64 << 10);
    QCOMPARE(d.need.value, 32 * kM + 64 * kM + std::max(pass, 32 * kM + 2 * 8 * kM));
    QCOMPARE(d.known_to_follow.value, d.need.value - d.moment.active.value - 8 * kM);
}

void TstNeed::gradientsThatWereStillToComeAreCounted()
{
    // Weights of 4 × 24 and gradients of as much stand at the end of the first backward, with the
    // input. Then Adam's two copies come, and two temporaries of one weight.
    const auto d = test::deviceDiagnosisOf(test::diesMakingGradients());
    QCOMPARE(d.need.value, 4 * 96 * kM + 2 * 24 * kM + (64 << 10));
}

void TstNeed::aLargerBatchIsExpectedToGoOnGrowing()
{
    const auto d = test::deviceDiagnosisOf(test::diesInLongestBatch());
    const std::int64_t persistent = (32 + 64) * kM;
    const std::int64_t pass = 4 * (16 + 32 + 16) * kM + 2 * 24 * kM + (64 << 10);
    QCOMPARE(d.need.value, persistent + 3 * pass);
    QVERIFY(d.known_to_follow.value > 0);
}

void TstNeed::laterStepsFindTheStateThatTheFirstMade()
{
    // It dies early in the second forward; the first step shows that a whole pass follows.
    test::HandRun run(420 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward(1);
    run.oom(300 * kM, 2 * kM, label::Bucket::unknown);
    const auto d = test::deviceDiagnosisOf(run.finish());
    QVERIFY(d.need.value >= (32 + 64) * kM + 4 * 64 * kM + 48 * kM);
}

void TstNeed::theCapacityIsReservedPlusFree()
{
    const auto d = test::deviceDiagnosisOf(test::diesInBackward());
    QCOMPARE(d.capacity->value, 398 * kM);
    QVERIFY(!d.capacity_source.empty());
}

void TstNeed::theLimitThatTheRecordingNotesHolds()
{
    const Analysis a = refusedByALimit(Bytes{350 * kM});
    const auto d = test::deviceDiagnosisOf(a);
    QCOMPARE(d.capacity->value, 350 * kM);
    QCOMPARE(d.mostCapacity().value, 350 * kM);
    QVERIFY2(d.headline.find("limited to 350 MiB") != std::string::npos, d.headline.c_str());
    // One that would have let the request pass was another's.
    QCOMPARE(test::deviceDiagnosisOf(refusedByALimit(Bytes{500 * kM})).capacity->value, 320 * kM);
}

void TstNeed::ofALimitThatIsNotNotedTheLowerEndDecides()
{
    const auto d = test::deviceDiagnosisOf(refusedByALimit(std::nullopt));
    QCOMPARE(d.capacity->value, 320 * kM);
    QCOMPARE(d.mostCapacity().value, 420 * kM - 1);
    Need need;
    need.reserved = {330.0 * kM, 340.0 * kM, 350.0 * kM};
    const Capacity between{d.capacity, {}, d.capacity_unsure};
    QVERIFY(!fitsInto(need, between));
    need.reserved = {200.0 * kM, 250.0 * kM, 300.0 * kM};
    QCOMPARE(fitsInto(need, between), std::optional(true));
    need.reserved = {430.0 * kM, 440.0 * kM, 450.0 * kM};
    QCOMPARE(fitsInto(need, between), std::optional(false));
    QCOMPARE(say("{}", between.ends()), std::string("320–420 MiB"));
}

void TstNeed::aCapacityThatIsGivenHolds()
{
    UserInput input;
    input.capacity = Bytes{800 * kM};
    const Analysis a = test::diesInBackward(input);
    QCOMPARE(test::deviceDiagnosisOf(a).capacity->value, 800 * kM);
    QCOMPARE(test::predictionOf(a, "micro-batch=0.5").fits, kYes);
}

void TstNeed::theLimitOfTheMessageHolds()
{
    UserInput input;
    input.message =
        "CUDA out of memory. Tried to allocate 24.00 MiB. GPU 0 has a total capacity of 8.00 GiB "
        "of "
        "which 7.00 GiB is free. 396.00 MiB allowed; Of the allocated memory 400.00 MiB is "
        "allocated by PyTorch, and 20.00 MiB is reserved by PyTorch but unallocated.";
    const auto d = test::deviceDiagnosisOf(test::diesInBackward(input));
    QCOMPARE(d.capacity->value, 396 * kM);
    // The trace says that the driver had only 4 MiB: the card was full as well.
    const auto limit = std::ranges::find(d.causes, Cause::memory_fraction, &CauseFinding::cause);
    QVERIFY(limit != d.causes.end());
    QCOMPARE(limit->score, 0.4);
}

void TstNeed::withoutOomOrCapacityItIsNotKnownWhetherItFits()
{
    const Prediction p = test::predictionOf(test::fineRun(), "micro-batch=0.5");
    QVERIFY(!p.fits.has_value());
    QVERIFY(!p.capacity.has_value());
    QVERIFY(p.assumptions.back().find("capacity is unknown") != std::string::npos);
}

void TstNeed::aRunThatDidNotDieIsHeldAgainstTheCapacityGiven()
{
    UserInput small;
    small.capacity = Bytes{300 * kM};
    QCOMPARE(predict(test::fineRun(small), 0, {}).fits, kNo);
    QVERIFY(test::deviceDiagnosisOf(test::fineRun(small)).causes.front().cause != Cause::none);
    UserInput large;
    large.capacity = Bytes{2048 * kM};
    QCOMPARE(predict(test::fineRun(large), 0, {}).fits, kYes);
    QVERIFY(test::deviceDiagnosisOf(test::fineRun(large)).causes.front().cause == Cause::none);
}

void TstNeed::theEndOfALargerRunIsNeverSaidToFit()
{
    // 90 MiB at most in an optimizer step, but 200 had been reserved before it; 130 can be cached.
    for (const bool is_larger : {false, true}) {
        test::HandRun run((is_larger ? 200 : 130) * kM);
        run.there(40 * kM, label::Bucket::parameter);
        run.there(40 * kM, label::Bucket::optimizer_state);
        run.phase(label::Phase::optimizer, 1);
        run.free(run.alloc(10 * kM, label::Bucket::temporary, label::Role::optimizer_transient));
        UserInput input;
        input.capacity = Bytes{160 * kM};
        const Prediction p = test::predictionOf(run.finish(input), "optimizer=sgd");
        QCOMPARE(p.fits, is_larger ? std::optional<bool>() : kYes);
    }
}

void TstNeed::whatGrowsWithoutEndIsNeverSaidToFit()
{
    for (const Analysis& a :
         {test::diesOfLeak(), test::diesCollectingResults(), test::diesOfCache()}) {
        for (const char* change : {"micro-batch=0.125", "optimizer=sgd", "checkpointing=full"}) {
            QVERIFY2(test::predictionOf(a, change).fits != kYes, change);
        }
    }
}

/// A loop that clears its gradients between forward and backward: 8 of weights, 8 of state; five
/// activations of 4, one temporary of 12.
void TstNeed::gradientsOfTheStepBeforeAreNotCountedBesideNewOnes()
{
    test::HandRun run(100 * kM);
    run.phase(label::Phase::setup, 0);
    run.alloc(8 * kM, label::Bucket::parameter);
    run.phase(label::Phase::forward, 1);
    const auto forward = [&](int count) {
        std::vector<test::HandRun::Handle> made;
        for (int i = 0; i < count; ++i) {
            made.push_back(run.alloc(4 * kM, label::Bucket::activation));
        }
        return made;
    };
    const auto saved = forward(5);
    run.phase(label::Phase::backward, 1);
    const auto passing = run.alloc(12 * kM, label::Bucket::temporary, label::Role::none, "");
    run.alloc(8 * kM, label::Bucket::gradient, label::Role::none, "");
    run.free(passing);
    for (const auto activation : saved) {
        run.free(activation);
    }
    run.phase(label::Phase::optimizer, 1);
    run.alloc(8 * kM, label::Bucket::optimizer_state);
    run.phase(label::Phase::forward, 2);
    forward(4);
    run.oom(4 * kM, 2 * kM, label::Bucket::activation, label::Role::none,
            "make /home/me/train.py:1");
    const Analysis a = run.finish();
    // Backward of the second step: weights, state, activations, the temporary, one gradient.
    QCOMPARE(test::deviceDiagnosisOf(a).need.value, (8 + 8 + 20 + 12 + 8) * kM);
    QCOMPARE(test::predictionOf(a, "micro-batch=0.5").after_need.value, (8 + 8 + 10 + 6 + 8) * kM);
}

/// A loop that clears its gradients when a step begins: 8 of weights, 8 of state, 8 of gradients;
/// five activations of 8 with a temporary of 4, which is more than the optimizer needs.
void TstNeed::gradientsThatAStepClearsBeforeItsPassAreNotCounted()
{
    test::HandRun run(100 * kM);
    run.phase(label::Phase::setup, 0);
    run.alloc(8 * kM, label::Bucket::parameter);
    run.phase(label::Phase::forward, 1);
    std::vector<test::HandRun::Handle> saved;
    for (int i = 0; i < 5; ++i) {
        saved.push_back(run.alloc(8 * kM, label::Bucket::activation));
    }
    run.phase(label::Phase::backward, 1);
    const auto passing = run.alloc(4 * kM, label::Bucket::temporary, label::Role::none, "");
    for (const auto activation : saved) {
        run.free(activation);
    }
    run.free(passing);
    const auto gradient = run.alloc(8 * kM, label::Bucket::gradient, label::Role::none, "");
    run.phase(label::Phase::optimizer, 1);
    run.alloc(8 * kM, label::Bucket::optimizer_state);
    run.phase(label::Phase::input, 2);
    run.free(gradient);
    run.phase(label::Phase::forward, 2);
    for (int i = 0; i < 4; ++i) {
        run.alloc(8 * kM, label::Bucket::activation);
    }
    run.oom(8 * kM, 2 * kM, label::Bucket::activation, label::Role::none,
            "make /home/me/train.py:1");
    QCOMPARE(test::deviceDiagnosisOf(run.finish()).need.value, (8 + 8 + 40 + 4) * kM);
}

void TstNeed::keptGradientsAreNoLaterMicroBatchs()
{
    // Weights, states and the gradients that the pass found, to which both micro-batches add; half
    // of the blocks, the logits and their gradient.
    const Prediction p =
        test::predictionOf(test::diesWithKeptGradients(), "micro-batch=0.5,accumulation=2");
    QCOMPARE(p.after_need.value,
             (32 + 64 + 32) * kM + (4 * (16 + 32 + 16) + 2 * 24) * kM / 2 + (64 << 10) / 2);
}

void TstNeed::theLossHasTwoGradientsBesideEachOther()
{
    for (const bool is_last_alone : {false, true}) {
        test::HandRun run(100 * kM);
        run.phase(label::Phase::setup, 0);
        run.alloc(kM, label::Bucket::parameter);
        run.phase(label::Phase::forward, 1);
        run.alloc((is_last_alone ? 18 : 20) * kM, label::Bucket::activation);
        run.alloc(20 * kM, label::Bucket::activation);
        run.alloc(512, label::Bucket::activation);
        run.phase(label::Phase::backward, 1);
        run.alloc(512, label::Bucket::temporary, label::Role::none, "");
        run.oom(20 * kM, 2 * kM, label::Bucket::temporary, label::Role::activation_gradient);
        // The loss's gradient by its input and then that of the operation before, if that made as
        // much. The weight has Adam's two copies.
        QCOMPARE(test::deviceDiagnosisOf(run.finish()).need.value,
                 (is_last_alone ? 3 + 18 + 20 + 20 : 3 + 20 + 20 + 20 + 20) * kM + 1024);
    }
}

void TstNeed::aFirstForwardIsCompletedFromItsBlocks()
{
    // Two of four blocks ran, the third's attention matrix did not fit. The blocks would have kept
    // 4 × 64, and the second step has Adam's two copies of 32 as well. Its backward makes two
    // gradients of 32 beside the last matrix, when the 16 that the block made behind it are gone.
    test::HandRun run(180 * kM);
    test::HandTraining training(run, {});
    training.forward(2);
    run.alloc(
        16 * kM, label::Bucket::activation, label::Role::none,
        "layer_norm /site-packages/torch/nn/functional.py:2515; forward /home/me/model.py:30");
    run.oom(32 * kM, 2 * kM, label::Bucket::activation, label::Role::attention_matrix);
    const auto d = test::deviceDiagnosisOf(run.finish());
    QCOMPARE(d.need.value, (32 + 4 * 64 + 2 * 32 + 2 * 32 - 16) * kM + (64 << 10));
    QVERIFY(d.known_to_follow.value > 100 * kM);
}

void TstNeed::aFirstForwardWithoutBlocksIsNeverSaidToFit()
{
    test::HandRun run(180 * kM);
    run.phase(label::Phase::setup, 0);
    run.alloc(32 * kM, label::Bucket::parameter, label::Role::trainable);
    run.phase(label::Phase::forward, 1);
    for (const char* stack :
         {"a /home/me/model.py:1", "b /home/me/model.py:2", "c /home/me/model.py:3"}) {
        run.alloc(48 * kM, label::Bucket::activation, label::Role::none, stack);
    }
    run.oom(48 * kM, 2 * kM, label::Bucket::activation);
    const Analysis analysis = run.finish();
    // Weights, four times 48, four tenths of that for the rest, and Adam's two copies.
    QCOMPARE(test::deviceDiagnosisOf(analysis).need.value, (3648 * kM + 5) / 10);
    const Prediction p = test::predictionOf(analysis, "micro-batch=0.125");
    QVERIFY(!p.fits.has_value());
    // An eighth of them, and at the upper end one and a quarter more.
    QVERIFY(p.after_need_high.value >= (32 + 24 + 30 + 64) * kM);
    QVERIFY(std::ranges::any_of(p.assumptions, [](const std::string& text) {
        return text.find("cut off") != std::string::npos;
    }));
}

void TstNeed::aDriverThatHadRoomStillMeansNo()
{
    test::HandRun run(420 * kM);
    test::HandTraining training(run, {});
    training.step();
    training.forward();
    run.phase(label::Phase::backward, 2);
    run.oom(24 * kM, 900 * kM, label::Bucket::temporary, label::Role::activation_gradient);
    const Analysis a = run.finish();
    QCOMPARE(predict(a, 0, {}).fits, kNo);
    QVERIFY(test::deviceDiagnosisOf(a).causes.front().cause == Cause::unclear);
}

void TstNeed::whereThingsAreGoneInBetweenAHoleMayStay()
{
    // One as large as the largest block, a matrix of 32 MiB: what checkpointing makes again is laid
    // elsewhere. A smaller batch lies as it did, and no more than the overhead stays.
    const auto roomBeyondNeed = [](const char* change) {
        const Prediction p = test::predictionOf(test::diesInBackward(), change);
        return (p.after_reserved_high - p.after_need_high).value;
    };
    const std::int64_t overhead = roomBeyondNeed("micro-batch=0.5");
    const Prediction p = test::predictionOf(test::diesInBackward(), "checkpointing=full");
    const double ratio =
        static_cast<double>(p.after_need.value) / static_cast<double>(p.before_need.value);
    QVERIFY(static_cast<double>(roomBeyondNeed("checkpointing=full"))
            >= static_cast<double>(overhead) + 0.99 * ratio * 32 * kM);
}

TIDEMARK_TEST(TstNeed)

} // namespace tidemark::tst_need

#include "tst_need.moc"
