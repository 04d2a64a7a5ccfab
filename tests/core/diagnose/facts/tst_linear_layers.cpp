// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/frozen_inputs.h"
#include "core/diagnose/facts/linear_calls.h"
#include "core/diagnose/facts/reference_pass.h"
#include "core/diagnose/predict/pass_completion.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>
#include <vector>

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
    void weightsThatNoneUsedKeepAsMuchAsTheOthers();
    void atTheLossNoLayerIsToCome();
    void callsFindTheirWeightsInAnyOrder();
    void layersThatRunAgainTellNothing();
    void besideALongMatrixAHiddenStateIsNoStatistic();
};

void TstLinearLayers::weightsThatNoneUsedKeepAsMuchAsTheOthers()
{
    // Two layers ran, of 2 and 6 squares of the hidden size; 12 follow, or 12 and 24: too many.
    for (const std::size_t layers : {3U, 4U}) {
        test::HandRun run(400 * kM);
        run.phase(label::Phase::setup, 0);
        const std::vector<std::int64_t> sides{1, 2, 3, 4, 6};
        for (std::size_t l = 0; l < layers; ++l) {
            addWeight(run, sides[l] * kHidden, sides[l + 1] * kHidden);
        }
        run.phase(label::Phase::input, 1);
        run.alloc(kNarrow, Bucket::input);
        run.phase(label::Phase::forward, 1);
        runLayer(run, kRows, sides[1] * kHidden);
        runLayer(run, kRows, sides[2] * kHidden);
        run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
        const Analysis analysis = run.finish();
        const PassCompletion completion = completeFirstPass(test::GatheredRun(analysis).facts);
        QVERIFY(!completion.isKnown());
        QCOMPARE(completion.rest, layers == 3 ? 12.0 / 8 : 0.0);
        QVERIFY(!test::predictionOf(analysis, "micro-batch=0.01").fits.has_value());
    }
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
    QVERIFY(!found.weights[2].is_used && !found.weights[4].is_used);
}

void TstLinearLayers::layersThatRunAgainTellNothing()
{
    // Two weights, four calls each: a loop word by word.
    test::HandRun run(400 * kM);
    runNarrowAndWide(run, 2, 8);
    run.oom(kNarrow, 2 * kM, Bucket::temporary, Role::none, kLinear);
    const Analysis analysis = run.finish();
    const test::GatheredRun gathered(analysis);
    QVERIFY(!findLinearCalls(gathered.facts, *cutPass(gathered.facts)).is_sure);
    QVERIFY(!test::predictionOf(analysis, "micro-batch=0.01").fits.has_value());
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

TIDEMARK_TEST(TstLinearLayers)

} // namespace tidemark::tst_linear_layers

#include "tst_linear_layers.moc"
