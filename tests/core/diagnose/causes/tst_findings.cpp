// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_findings {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::HandTraining;
using test::kM;

namespace {

/// The first finding of that id; null if there is none.
const Finding* find(const DeviceDiagnosis& diagnosis, std::string_view id)
{
    const auto found = std::ranges::find(diagnosis.findings, id, &Finding::id);
    return found == diagnosis.findings.end() ? nullptr : &*found;
}

bool has(const DeviceDiagnosis& diagnosis, std::string_view id)
{
    return find(diagnosis, id) != nullptr;
}

bool says(const DeviceDiagnosis& diagnosis, std::string_view id, std::string_view words)
{
    return std::ranges::any_of(diagnosis.findings, [&](const Finding& f) {
        return f.id == id && f.evidence.text.find(words) != std::string::npos;
    });
}

/// Two steps; then weights of `later_mib` each are made four times and the run goes on.
DeviceDiagnosis afterLaterWeights(std::int64_t later_mib)
{
    HandRun run(800 * kM);
    HandTraining training(run, {});
    training.step();
    training.step();
    run.phase(Phase::setup, 2);
    for (int i = 0; i < 4; ++i) {
        run.alloc(later_mib * kM, Bucket::parameter, Role::none,
                  "__init__ /home/me/model.py:5; main /home/me/train.py:30");
    }
    training.step();
    return test::deviceDiagnosisOf(run.finish());
}

/// Weights of two models, made by the lines given.
DeviceDiagnosis withTwoModels(std::string_view first, std::string_view second)
{
    HandRun run(200 * kM);
    run.phase(Phase::setup, 0);
    for (const std::string_view maker : {first, second}) {
        for (int i = 0; i < 3; ++i) {
            run.alloc(16 * kM, Bucket::parameter, Role::none,
                      "__init__ /home/me/model.py:5; " + std::string(maker));
        }
    }
    run.oom(96 * kM + 16 * kM, kM, Bucket::parameter);
    return test::deviceDiagnosisOf(run.finish());
}

} // namespace

class TstFindings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blocksThatPinFreeMemoryAreNamed();
    void theFirstBackwardIsSaidToBeOne();
    void laterStepsThatNeedMoreAreExplained();
    void aRecordingWithoutASecondStepIsSaidToBeOne();
    void whatTheOptimizersStepHoldsIsListsOrSingleTensors();
    void mythsAreAnsweredWhereTheyTempt();
    void callsOfEmptyCacheAreNamed();
    void aFindingIsAsSureAsTheLabelsItSpeaksOf();
    void copiesOfTheWeightsAreNamed();
    void weightsOfAnotherSizeAreAnEarlierModel();
    void weightsOfOneConstructionAreNoCopies();
    void modelsSideBySideAreNamed();
    void layersOfOneModelAreNotSeveralModels();
    void aFlatCopyOfTheGradientsIsNamed();
    void findingsThatAreNotSureSayWhatWouldHelp();
    void theRecipeSaysWhatItExcludes();
    void matricesAndBiasesProveHowWideWeightsAre_data();
    void matricesAndBiasesProveHowWideWeightsAre();
    void copiesOfTheWeightsAreNamedAndNotTrained_data();
    void copiesOfTheWeightsAreNamedAndNotTrained();
    void everyFindingIsASentence();
};

void TstFindings::blocksThatPinFreeMemoryAreNamed()
{
    const auto d = test::deviceDiagnosisOf(test::diesOfHoles());
    const Finding* pins = find(d, "pinned");
    QVERIFY(pins != nullptr);
    // Four blocks of 20 MiB stay of nine; the segment has 200 MiB, of which 4 and 8 are states.
    QVERIFY(pins->evidence.text.find("train.py:70") != std::string::npos);
    QCOMPARE(pins->bytes.value, d.moment.reserved.value - d.moment.active.value);
    QVERIFY(!pins->evidence.stack.isNone() && pins->evidence.at == d.moment.state);
    QVERIFY(!has(test::deviceDiagnosisOf(test::fineRun()), "pinned"));
}

void TstFindings::theFirstBackwardIsSaidToBeOne()
{
    QVERIFY(has(test::deviceDiagnosisOf(test::diesMakingGradients()), "first-backward"));
    QVERIFY(!has(test::deviceDiagnosisOf(test::diesInBackward()), "first-backward"));
}

void TstFindings::laterStepsThatNeedMoreAreExplained()
{
    const auto d = test::deviceDiagnosisOf(test::diesInBackward());
    QVERIFY(has(d, "second-step"));
    QCOMPARE(find(d, "second-step")->bytes.value, 64 * kM); // two states of four times 8 MiB
    QVERIFY(!has(test::deviceDiagnosisOf(test::diesMakingGradients()), "second-step"));
}

void TstFindings::aRecordingWithoutASecondStepIsSaidToBeOne()
{
    QVERIFY(has(test::deviceDiagnosisOf(test::diesMakingGradients()), "no-second-step"));
    QVERIFY(!has(test::deviceDiagnosisOf(test::fineRun()), "no-second-step"));
    // A program that only computes gradients has none.
    QVERIFY(says(test::deviceDiagnosisOf(test::diesMakingGradients()), "no-second-step",
                 "If an optimizer follows"));
    // Resumed from a checkpoint: the state lies there before the first pass.
    test::HandRun run(1024 * kM);
    run.alloc(64 * kM, Bucket::optimizer_state);
    test::HandTraining training(run, {});
    training.forward();
    training.backward(2);
    QVERIFY(says(test::deviceDiagnosisOf(run.finish()), "no-second-step", "growth between steps"));
    // The only step made all of it, and it is there where the run died.
    test::HandRun once(1024 * kM);
    test::HandTraining(once, {}).step();
    once.phase(label::Phase::other, 1);
    once.oom(1024 * kM, 4 * kM, Bucket::activation);
    QVERIFY(says(test::deviceDiagnosisOf(once.finish()), "no-second-step", "growth between steps"));
}

void TstFindings::whatTheOptimizersStepHoldsIsListsOrSingleTensors()
{
    QVERIFY(says(test::deviceDiagnosisOf(test::diesInForeachList()), "optimizer-transients",
                 "(foreach)"));
    const auto stepOf = [](const char* stack) {
        test::HandRun run(200 * kM);
        run.phase(label::Phase::optimizer, 1);
        run.alloc(100 * kM, Bucket::parameter);
        run.alloc(90 * kM, Bucket::temporary, label::Role::optimizer_transient, stack);
        return test::deviceDiagnosisOf(run.finish());
    };
    const auto d = stepOf("_single_tensor_adam /site-packages/torch/optim/adam.py:400");
    QVERIFY(says(d, "optimizer-transients", "90.0 MiB in one temporary. fused=True"));
    QVERIFY(!says(d, "optimizer-transients", "foreach"));
    // Someone's own, called through torch's base class, has no such argument.
    const auto own = stepOf("step /home/me/optimizer.py:71; wrapper "
                            "/site-packages/torch/optim/optimizer.py:533");
    QVERIFY(says(own, "optimizer-transients", "90.0 MiB in one temporary."));
    QVERIFY(!says(own, "optimizer-transients", "fused"));
    const auto fused = std::ranges::find(own.fixes, "fused-optimizer", &Fix::id);
    QVERIFY(fused->status == FixStatus::not_applicable);
}

void TstFindings::mythsAreAnsweredWhereTheyTempt()
{
    QVERIFY(says(test::deviceDiagnosisOf(test::diesOfLeak()), "does-not-help", "gc.collect()"));
    QVERIFY(
        says(test::deviceDiagnosisOf(test::diesOfHoles()), "does-not-help", "every empty segment"));
    QVERIFY(
        says(test::deviceDiagnosisOf(test::diesMakingState()), "does-not-help", "smaller batch"));
    QVERIFY(!has(test::deviceDiagnosisOf(test::fineRun()), "does-not-help"));
}

void TstFindings::callsOfEmptyCacheAreNamed()
{
    const std::string_view call =
        "empty_cache /site-packages/torch/cuda/memory.py:2; main /home/me/train.py:41";
    const auto after = [&](int calls, std::string_view stack) {
        HandRun run(500 * kM);
        HandTraining training(run, {});
        for (int i = 0; i < calls; ++i) {
            training.step();
            run.giveBackSegment(20 * kM, stack);
        }
        return test::deviceDiagnosisOf(run.finish());
    };
    const auto d = after(3, call);
    QVERIFY(says(d, "empties-cache", "train.py:41 main freed memory 3 times, 60.0 MiB"));
    QCOMPARE(find(d, "empties-cache")->bytes.value, 60 * kM);
    QVERIFY(!has(after(1, call), "empties-cache"));
    QVERIFY(!has(after(3, "forward /home/me/model.py:7"), "empties-cache")); // PyTorch's own
    // That of a capture is PyTorch's, too, and needed: a graph's pool cannot use what is cached.
    QVERIFY(!has(after(3,
                       "empty_cache /site-packages/torch/cuda/memory.py:2; __enter__ "
                       "/site-packages/torch/cuda/graphs.py:9; main /home/me/train.py:41"),
                 "empties-cache"));
}

void TstFindings::aFindingIsAsSureAsTheLabelsItSpeaksOf()
{
    HandRun run(500 * kM);
    HandTraining training(run, {});
    training.step();
    run.confidence(40);
    run.alloc(64 * kM, Bucket::optimizer_state); // as much as the model's own state
    training.forward();
    run.oom(300 * kM, kM, Bucket::activation);
    const auto d = test::deviceDiagnosisOf(run.finish());
    const Finding* state = find(d, "second-step");
    QVERIFY(state != nullptr);
    QCOMPARE(state->bytes.value, 128 * kM);
    QCOMPARE(state->score, 0.7); // half of the bytes at 100 %, half at 40 %
    QVERIFY(!state->to_be_sure.empty());
    QCOMPARE(find(d, "request")->score, 0.4);
    const Finding* myth = find(d, "does-not-help");
    QVERIFY(myth != nullptr);
    QCOMPARE(myth->score, d.causes.front().score);
    QCOMPARE(find(test::deviceDiagnosisOf(test::diesInBackward()), "second-step")->score, 1.0);
    QCOMPARE(find(test::deviceDiagnosisOf(test::diesOfHoles()), "pinned")->score, 1.0);
}

void TstFindings::copiesOfTheWeightsAreNamed()
{
    QVERIFY(has(afterLaterWeights(8), "second-copy")); // as the model's own, 8 MiB each
}

void TstFindings::weightsOfAnotherSizeAreAnEarlierModel()
{
    const auto d = afterLaterWeights(12);
    QVERIFY(has(d, "earlier-model"));
    QCOMPARE(find(d, "earlier-model")->bytes.value, 48 * kM);
    QVERIFY(says(d, "earlier-model", "train.py:30") || says(d, "earlier-model", "model.py:5"));
}

void TstFindings::weightsOfOneConstructionAreNoCopies()
{
    const auto d = test::deviceDiagnosisOf(test::fineRun());
    QVERIFY(!has(d, "second-copy") && !has(d, "earlier-model"));
}

void TstFindings::modelsSideBySideAreNamed()
{
    const auto d = withTwoModels("main /home/me/ppo.py:30", "main /home/me/ppo.py:31");
    QVERIFY(has(d, "several-models"));
    QVERIFY(says(d, "several-models", "made at 2 lines") && says(d, "several-models", "ppo.py:31"));
}

void TstFindings::layersOfOneModelAreNotSeveralModels()
{
    const auto d = withTwoModels("__init__ /home/me/model.py:30; main /home/me/ppo.py:30",
                                 "__init__ /home/me/model.py:31; main /home/me/ppo.py:30");
    QVERIFY(!has(d, "several-models"));
}

void TstFindings::aFlatCopyOfTheGradientsIsNamed()
{
    HandRun run(500 * kM);
    HandTraining training(run, {});
    run.alloc(32 * kM, Bucket::communication, Role::none, "bucket /home/me/train.py:8");
    training.step();
    training.step();
    training.forward();
    const auto with = test::deviceDiagnosisOf(run.finish());
    QVERIFY(has(with, "gradient-copies"));
    QCOMPARE(find(with, "gradient-copies")->bytes.value, 32 * kM);
    QVERIFY(!says(with, "gradient-copies", "DDP")); // whose buckets are known by their makers
    QVERIFY(!has(test::deviceDiagnosisOf(test::fineRun()), "gradient-copies"));
}

void TstFindings::findingsThatAreNotSureSayWhatWouldHelp()
{
    for (const CauseFinding& finding :
         test::deviceDiagnosisOf(test::diesMakingGradients()).causes) {
        QCOMPARE(finding.to_be_sure.empty(), finding.score >= 0.8);
    }
}

void TstFindings::theRecipeSaysWhatItExcludes()
{
    const Recipe adam = test::deviceDiagnosisOf(test::fineRun()).recipe;
    QVERIFY(adam.excluded.find("Pure bf16") != std::string::npos);
    test::ModelShape momentum;
    momentum.state_copies = 1;
    const Recipe one = test::deviceDiagnosisOf(test::fineRun({}, momentum)).recipe;
    QVERIFY(one.excluded.find("Not Adam") != std::string::npos);
}

void TstFindings::matricesAndBiasesProveHowWideWeightsAre_data()
{
    QTest::addColumn<int>("width");
    QTest::addColumn<bool>("biased");
    QTest::addColumn<QString>("text");
    QTest::newRow("16 bits") << 2 << true << "16-bit weights: 2 B × 12.6 M parameters";
    QTest::newRow("32 bits") << 4 << true << "fp32 weights: 4 B × 12.6 M parameters";
    QTest::newRow("without biases nothing shows")
        << 2 << false << "fp32 weights: 4 B × 6.3 M parameters (dtype assumed)";
}

/// A model that was loaded, and no more, as a run that dies of loading leaves it.
void TstFindings::matricesAndBiasesProveHowWideWeightsAre()
{
    QFETCH(int, width);
    QFETCH(bool, biased);
    QFETCH(QString, text);
    constexpr std::int64_t kHidden = 512;
    constexpr std::int64_t kWide = 2048;
    test::HandRun run(200 * test::kM);
    const auto weight = [&](std::int64_t elements) {
        run.alloc(elements * width, label::Bucket::parameter);
    };
    for (int layer = 0; layer < 4; ++layer) {
        for (const auto& [rows, columns] : {std::pair{kHidden, kHidden},
                                            {kHidden, kHidden},
                                            {kHidden, kHidden},
                                            {kHidden, kHidden},
                                            {kWide, kHidden},
                                            {kHidden, kWide}}) {
            weight(rows * columns);
            if (biased) {
                weight(rows);
            }
        }
    }
    const Recipe recipe = test::deviceDiagnosisOf(run.finish()).recipe;
    QCOMPARE(QString::fromStdString(recipe.text), text);
}

void TstFindings::copiesOfTheWeightsAreNamedAndNotTrained_data()
{
    QTest::addColumn<int>("role");
    QTest::addColumn<int>("copy"); // MiB beside each weight of 8
    QTest::addColumn<int>("state");
    QTest::addColumn<QString>("text");
    QTest::newRow("master copy")
        << static_cast<int>(label::Role::master) << 16 << 32
        << "16-bit weights with a master copy + Adam in 32 bits: 16 B × 16.8 M parameters";
    QTest::newRow("average") << static_cast<int>(label::Role::ema) << 8 << 16
                             << "fp32 weights with EMA + Adam: 20 B × 8.4 M parameters "
                                "(dtype assumed)";
}

void TstFindings::copiesOfTheWeightsAreNamedAndNotTrained()
{
    QFETCH(int, role);
    QFETCH(int, copy);
    QFETCH(int, state);
    QFETCH(QString, text);
    using label::Bucket;
    test::HandRun run(512 * test::kM);
    run.phase(label::Phase::setup, 0);
    for (int i = 0; i < 4; ++i) {
        run.alloc(8 * test::kM, Bucket::parameter, label::Role::trainable);
        run.alloc(copy * test::kM, Bucket::parameter, static_cast<label::Role>(role));
    }
    run.phase(label::Phase::forward, 1);
    const auto saved = run.alloc(test::kM, Bucket::activation);
    run.phase(label::Phase::backward, 1);
    for (int i = 0; i < 4; ++i) {
        run.alloc(8 * test::kM, Bucket::gradient);
    }
    run.free(saved);
    run.phase(label::Phase::optimizer, 1);
    for (int i = 0; i < 4; ++i) {
        run.alloc(state * test::kM, Bucket::optimizer_state);
    }
    const Recipe recipe = test::deviceDiagnosisOf(run.finish()).recipe;
    QCOMPARE(QString::fromStdString(recipe.text), text);
    // Twice as wide as 2 B, and as wide as 4 B.
    const bool is_master = static_cast<label::Role>(role) == label::Role::master;
    QCOMPARE(recipe.master_bytes, is_master ? 4.0 : 0.0);
    QCOMPARE(recipe.average_bytes, is_master ? 0.0 : 4.0);
}

void TstFindings::everyFindingIsASentence()
{
    for (const Analysis& analysis :
         {test::diesInBackward(), test::diesMakingState(), test::diesInForeachList(),
          test::diesMakingGradients(), test::diesInEvaluationBatch(), test::diesOfLeak(),
          test::diesOfHoles(), test::diesInLongestBatch(), test::diesOfCache()}) {
        const auto d = test::deviceDiagnosisOf(analysis);
        for (const CauseFinding& cause : d.causes) {
            QVERIFY2(std::ranges::any_of(cause.evidence,
                                         [](const Evidence& e) { return e.at.has_value(); }),
                     std::string(causeId(cause.cause)).c_str());
        }
        for (const Finding& finding : d.findings) {
            QVERIFY2(finding.evidence.text.ends_with('.'), finding.evidence.text.c_str());
            QVERIFY(!finding.id.empty());
            QVERIFY2(finding.evidence.at.has_value(), finding.id.c_str());
            QVERIFY(finding.score >= 0 && finding.score <= 1);
            QCOMPARE(finding.to_be_sure.empty(), finding.score >= 0.8);
        }
    }
}

TIDEMARK_TEST(TstFindings)

} // namespace tidemark::tst_findings

#include "tst_findings.moc"
