// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/frozen_inputs.h"
#include "core/diagnose/facts/linear_calls.h"
#include "core/diagnose/facts/pass_layers.h"
#include "core/diagnose/facts/reference_pass.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_linear_layers {

using namespace tidemark::diagnose;
using test::kM;

namespace {

using label::Bucket;
using label::Role;

constexpr std::int64_t kRows = 4096;
constexpr std::int64_t kHidden = 512; // numbers of a row
constexpr std::int64_t kWidth = 4; // bytes of a number
constexpr std::string_view kLinear =
    "forward /site-packages/torch/nn/modules/linear.py:114; forward /home/me/net.py:20";
constexpr std::string_view kOwn = "relu /site-packages/torch/nn/functional.py:1457; forward "
                                  "/home/me/net.py:20";
constexpr std::string_view kSoftmax =
    "softmax /site-packages/torch/nn/functional.py:1841; forward /home/me/net.py:24";

/// A matrix and its bias.
constexpr std::int64_t weightBytes(std::int64_t inputs, std::int64_t outputs)
{
    return (inputs + 1) * outputs * kWidth;
}
void addWeight(test::HandRun& run, std::int64_t inputs, std::int64_t outputs)
{
    run.alloc(inputs * outputs * kWidth, Bucket::parameter, Role::trainable);
    run.alloc(outputs * kWidth, Bucket::parameter, Role::trainable);
}

/// A layer, whose result is freed, and what keeps that.
void runLayer(test::HandRun& run, std::int64_t rows, std::int64_t outputs)
{
    const auto passing = run.alloc(rows * outputs * kWidth, Bucket::temporary, Role::none, kLinear);
    run.alloc(rows * outputs * kWidth, Bucket::activation, Role::none, kOwn);
    run.free(passing);
}

/// Weights, a batch, `ran` layers that widen to twice the numbers and narrow again by turns.
void runNarrowAndWide(test::HandRun& run, int layers, int ran)
{
    run.phase(label::Phase::setup, 0);
    for (int l = 0; l < layers; ++l) {
        addWeight(run, l % 2 == 0 ? kHidden : 2 * kHidden, l % 2 == 0 ? 2 * kHidden : kHidden);
    }
    run.phase(label::Phase::input, 1);
    run.alloc(kRows * kHidden * kWidth, Bucket::input);
    run.phase(label::Phase::forward, 1);
    for (int l = 0; l < ran; ++l) {
        runLayer(run, kRows, l % 2 == 0 ? 2 * kHidden : kHidden);
    }
}

constexpr std::int64_t kNarrow = kRows * kHidden * kWidth; // 8 MiB

} // namespace

class TstLinearLayers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aWeightThatNoneUsedKeepsAsMuchAsOneOfItsSize();
    void adaptersAreNoLayersToCome();
    void atTheLossNoLayerIsToCome();
    void doubledSidesMeanAQuarterOfTheRows();
    void callsFindTheirWeightsInAnyOrder();
    void layersThatRunAgainTellNothing();
    void aLastResultIsKeptTwiceWithoutMoreLayers();
    void whatOnlyTheLossReadsGoesUnlessTheLoopKeepsIt();
    void backwardHasTwoGradientsBesideAnAttentionMatrix();
    void layersToComeKeepTheirSizeWithoutMatrices();
    void besideALongMatrixAHiddenStateIsNoStatistic();
    void whereLittleRanItIsNeverSaidToFit();
};

void TstLinearLayers::aWeightThatNoneUsedKeepsAsMuchAsOneOfItsSize()
{
    // Five of nine ran, so those that widen keep 16 and the others 8; the next was about to.
    test::HandRun run(400 * kM);
    runNarrowAndWide(run, 9, 5);
    run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
    const auto d = test::deviceDiagnosisOf(run.finish());
    const std::int64_t weights =
        5 * weightBytes(kHidden, 2 * kHidden) + 4 * weightBytes(2 * kHidden, kHidden);
    // Backward begins with two gradients of the last result, 16 each; Adam has two copies.
    QCOMPARE(d.need.value, 3 * weights + kNarrow + (5 * 2 + 4) * kNarrow + 2 * 2 * kNarrow);
}

void TstLinearLayers::adaptersAreNoLayersToCome()
{
    // On the first two layers; nothing else is trained. All but the last layer ran.
    constexpr std::int64_t kRank = 16;
    test::HandRun run(400 * kM);
    runNarrowAndWide(run, 8, 0);
    run.phase(label::Phase::setup, 0);
    for (const std::int64_t side : {1, 2, 2, 1}) {
        run.alloc(kRank * side * kHidden * kWidth, Bucket::parameter, Role::trainable);
    }
    run.phase(label::Phase::forward, 1);
    for (int l = 0; l < 7; ++l) {
        runLayer(run, kRows, l % 2 == 0 ? 2 * kHidden : kHidden);
    }
    run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
    const test::GatheredRun found(run.finish());
    const PassLayers pass_layers = findLinearLayers(found.facts, found.facts.passes.front());
    QCOMPARE(pass_layers.layers.size(), std::size_t{8});
    QCOMPARE(pass_layers.layers.back().gradient, 0.0);
}

void TstLinearLayers::atTheLossNoLayerIsToCome()
{
    // Eight of twelve ran, each from a line of its own, and the loss of their result failed: the
    // others are for something else.
    constexpr int kRan = 8;
    constexpr std::int64_t kLogits = 12 * kM;
    test::HandRun run(400 * kM);
    runNarrowAndWide(run, 12, 0);
    for (int l = 0; l < kRan; ++l) {
        const auto stack = [l](std::string call) {
            return call.append("; forward /home/me/net.py:").append(std::to_string(20 + l));
        };
        const std::int64_t result = (l % 2 == 0 ? 2 : 1) * kNarrow;
        const auto passing =
            run.alloc(result, Bucket::temporary, Role::none,
                      stack("forward /site-packages/torch/nn/modules/linear.py:114"));
        run.alloc(result, Bucket::activation, Role::none,
                  stack("relu /site-packages/torch/nn/functional.py:1457"));
        run.free(passing);
    }
    run.alloc(kLogits, Bucket::activation, Role::logits, "forward /home/me/net.py:30");
    run.oom(kLogits, 2 * kM, Bucket::activation, Role::logits,
            "cross_entropy /site-packages/torch/nn/functional.py:3026");
    const auto d = test::deviceDiagnosisOf(run.finish());
    const std::int64_t weights =
        6 * weightBytes(kHidden, 2 * kHidden) + 6 * weightBytes(2 * kHidden, kHidden);
    QCOMPARE(d.need.value, 3 * weights + kNarrow + kRan / 2 * (2 + 1) * kNarrow + 3 * kLogits);
}

void TstLinearLayers::doubledSidesMeanAQuarterOfTheRows()
{
    // Three square layers ran of four; two with twice the sides follow.
    test::HandRun run(400 * kM);
    run.phase(label::Phase::setup, 0);
    for (int l = 0; l < 4; ++l) {
        addWeight(run, kHidden, kHidden);
    }
    addWeight(run, 2 * kHidden, 2 * kHidden);
    addWeight(run, 2 * kHidden, 2 * kHidden);
    run.phase(label::Phase::input, 1);
    run.alloc(kNarrow, Bucket::input);
    run.phase(label::Phase::forward, 1);
    for (int l = 0; l < 3; ++l) {
        runLayer(run, kRows, kHidden);
    }
    run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
    const test::GatheredRun gathered(run.finish());
    const PassLayers pass_layers = findLinearLayers(gathered.facts, *cutPass(gathered.facts));
    QCOMPARE(pass_layers.layers.size(), 6U);
    for (std::size_t l = 0; l < 6; ++l) {
        QCOMPARE(pass_layers.layers[l].kept, static_cast<double>(l < 4 ? kNarrow : kNarrow / 2));
        QCOMPARE(pass_layers.layers[l].output, static_cast<double>(l < 4 ? kNarrow : kNarrow / 2));
    }
    // Where the rows do not fall: half as much again as a square one kept.
    QCOMPARE(pass_layers.widest.back().kept, 1.5 * static_cast<double>(kNarrow));
}

void TstLinearLayers::callsFindTheirWeightsInAnyOrder()
{
    // Made as square, wide, narrow, twice as large, and a table between that none multiplies with;
    // run as wide, narrow, square.
    test::HandRun run(400 * kM);
    run.phase(label::Phase::setup, 0);
    addWeight(run, kHidden, kHidden);
    addWeight(run, kHidden, 2 * kHidden);
    run.alloc(kHidden * 100 * kWidth, Bucket::parameter, Role::trainable);
    addWeight(run, 2 * kHidden, kHidden);
    addWeight(run, 2 * kHidden, 2 * kHidden);
    run.phase(label::Phase::input, 1);
    run.alloc(kNarrow, Bucket::input);
    run.phase(label::Phase::forward, 1);
    runLayer(run, kRows, 2 * kHidden);
    runLayer(run, kRows, kHidden);
    runLayer(run, kRows, kHidden);
    run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
    const test::GatheredRun gathered(run.finish());
    const LinearCalls found = findLinearCalls(gathered.facts, *cutPass(gathered.facts));
    QVERIFY(found.is_sure);
    QCOMPARE(found.weight_width, kWidth);
    std::vector<std::size_t> weights;
    for (const LayerCall& call : found.calls) {
        QCOMPARE(call.rows, kRows);
        weights.push_back(call.weight);
    }
    QCOMPARE(weights, (std::vector<std::size_t>{1, 3, 0}));
    QVERIFY(found.weights[2].is_passed);
    QVERIFY(!found.weights[4].is_used && !found.weights[4].is_passed);
}

void TstLinearLayers::layersThatRunAgainTellNothing()
{
    // Two weights, four calls each: a loop word by word.
    test::HandRun run(400 * kM);
    runNarrowAndWide(run, 2, 8);
    run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
    const Analysis analysis = run.finish();
    const test::GatheredRun gathered(analysis);
    QVERIFY(!findLinearLayers(gathered.facts, *cutPass(gathered.facts)).isKnown());
    QVERIFY(!test::predictionOf(analysis, "micro-batch=0.01").fits.has_value());
}

void TstLinearLayers::aLastResultIsKeptTwiceWithoutMoreLayers()
{
    // All seven ran, and what failed is as large as the last result: it is kept, and backward has
    // two gradients of its size.
    test::HandRun run(400 * kM);
    runNarrowAndWide(run, 7, 7);
    run.oom(2 * kNarrow, 2 * kM, Bucket::activation, Role::none,
            "log_softmax /site-packages/torch/nn/functional.py:1930; train /home/me/train.py:9");
    const auto d = test::deviceDiagnosisOf(run.finish());
    const std::int64_t weights =
        4 * weightBytes(kHidden, 2 * kHidden) + 3 * weightBytes(2 * kHidden, kHidden);
    QCOMPARE(d.need.value, 3 * weights + kNarrow + (4 * 2 + 3 + 2 + 2 * 2) * kNarrow);
}

void TstLinearLayers::whatOnlyTheLossReadsGoesUnlessTheLoopKeepsIt()
{
    // The last layer's own result is what the loss reads; a weight that none used is no reason to
    // wait for more layers then.
    const auto needOf = [](const std::string& caller) {
        test::HandRun run(400 * kM);
        runNarrowAndWide(run, 8, 6);
        run.alloc(2 * kNarrow, Bucket::activation, Role::none,
                  std::string(kLinear) + "; _call_impl /site-packages/torch/nn/modules/module.py:1;"
                      + caller);
        run.oom(2 * kNarrow, 2 * kM, Bucket::activation, Role::none,
                "cross_entropy /site-packages/torch/nn/functional.py:3026;" + caller);
        return test::deviceDiagnosisOf(run.finish()).need.value;
    };
    const std::int64_t weights =
        4 * weightBytes(kHidden, 2 * kHidden) + 4 * weightBytes(2 * kHidden, kHidden);
    const std::int64_t others = 3 * weights + kNarrow + (3 * 2 + 3) * kNarrow;
    const std::int64_t of_loss = (2 + 2 * 2) * kNarrow;
    QCOMPARE(needOf(" loss_of /home/me/train.py:4"), others + of_loss);
    QCOMPARE(needOf(" make /home/me/train.py:4"), others + of_loss + 2 * kNarrow); // as the batch
}

void TstLinearLayers::backwardHasTwoGradientsBesideAnAttentionMatrix()
{
    test::HandRun run(512 * kM);
    runNarrowAndWide(run, 8, 4);
    run.alloc(64 * kM, Bucket::activation, Role::attention_matrix, kSoftmax);
    run.alloc(32 * kM, Bucket::activation, Role::attention_matrix, kSoftmax); // in 16 bits
    run.alloc(3 * kM, Bucket::activation, Role::none, kSoftmax);
    runLayer(run, kRows, 2 * kHidden);
    run.oom(kNarrow, 0, Bucket::temporary);
    const test::GatheredRun found(run.finish());
    const LinearCalls calls = findLinearCalls(found.facts, found.facts.passes.front());
    QCOMPARE(calls.calls.size(), std::size_t{5});
    QCOMPARE(calls.calls[2].matrix, 0.0);
    QCOMPARE(calls.calls[3].matrices, 96.0 * kM);
    QCOMPARE(calls.calls[3].matrix, 64.0 * kM);
    QCOMPARE(calls.calls[3].kept_after_matrix, 35.0 * kM);

    // Of two layers that keep 10 of which 8 are a matrix, the last needs two more of these.
    const std::vector<PlannedLayer> layers(2, {1, 1, 2, 10, 8, 8});
    QCOMPARE(largestOfPass({}, layers, {}), 10.0 + 10 + 8 + 8);
    QCOMPARE(largestOfPass({}, layers, {0.5, 0.5}), (10.0 + 10 + 8 + 8) / 2);
    QCOMPARE(largestOfPass({}, layers, {0.25}), 4.0 + 4 + 2 + 2); // by the square, say
    // When what came behind it is gone, 2 of these 10, or 3 of another matrix.
    const std::vector<PlannedLayer> with_other(2, {1, 1, 2, 10, 8, 8, 2});
    QCOMPARE(largestOfPass({}, with_other, {}), 10.0 + 10 + 8 + 8 - 2);
    const std::vector<PlannedLayer> with_copy(2, {1, 1, 2, 13, 11, 8, 3});
    QCOMPARE(largestOfPass({}, with_copy, {0.5}), 7.5 + 7.5 + 8 - 1.5);
}

void TstLinearLayers::layersToComeKeepTheirSizeWithoutMatrices()
{
    // Flash attention leaves the second layer no matrix; the others keep what they kept.
    test::HandRun run(400 * kM);
    runNarrowAndWide(run, 9, 1);
    run.alloc(64 * kM, Bucket::activation, Role::attention_matrix, kSoftmax);
    for (int l = 1; l < 5; ++l) {
        runLayer(run, kRows, l % 2 == 0 ? 2 * kHidden : kHidden);
    }
    run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
    const Prediction p = test::predictionOf(run.finish(), "attention=flash");
    const std::int64_t weights =
        5 * weightBytes(kHidden, 2 * kHidden) + 4 * weightBytes(2 * kHidden, kHidden);
    const std::int64_t without = 3 * weights + kNarrow + (5 * 2 + 4) * kNarrow + 2 * 2 * kNarrow;
    QVERIFY(p.after_need.value >= without);
    QVERIFY(p.after_need.value < without + 4 * kM); // statistics instead of 64
}

void TstLinearLayers::besideALongMatrixAHiddenStateIsNoStatistic()
{
    test::HandRun run(512 * kM);
    for (int i = 0; i < 3; ++i) {
        addWeight(run, kHidden, kHidden);
    }
    run.phase(label::Phase::forward, 1);
    run.alloc(kNarrow, Bucket::activation, Role::none, kOwn);
    runLayer(run, kRows, kHidden);
    run.alloc(32 * kNarrow, Bucket::activation, Role::attention_matrix, kSoftmax);
    run.alloc(kNarrow, Bucket::activation, Role::none, kOwn);
    runLayer(run, kRows, kHidden);
    runLayer(run, kRows, kHidden);
    run.oom(kNarrow, 0, Bucket::temporary);
    const test::GatheredRun found(run.finish());
    const std::vector<InputUse> uses = inputUses(found.facts, blockWeights(found.facts));
    QVERIFY(uses[9] == InputUse::other); // behind weights, vectors, an input and a layer
    QVERIFY(uses[10] == InputUse::frozen);
}

void TstLinearLayers::whereLittleRanItIsNeverSaidToFit()
{
    const auto fits = [](int ran, std::int64_t request) {
        test::HandRun run(400 * kM);
        runNarrowAndWide(run, 9, ran);
        run.oom(request, 2 * kM, Bucket::temporary, Role::none, kLinear);
        return test::predictionOf(run.finish(), "micro-batch=0.01").fits;
    };
    QCOMPARE(fits(8, 2 * kNarrow), std::optional(true));
    QVERIFY(!fits(4, kNarrow).has_value());
    // Far larger than what a layer makes.
    QVERIFY(!fits(8, 5 * kNarrow).has_value());
}

TIDEMARK_TEST(TstLinearLayers)

} // namespace tidemark::tst_linear_layers

#include "tst_linear_layers.moc"
