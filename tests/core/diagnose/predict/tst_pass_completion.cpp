// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/predict/pass_completion.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <array>
#include <optional>
#include <string>

namespace tidemark::tst_pass_completion {

using namespace tidemark::diagnose;
using test::kM;

namespace {

using label::Bucket;
using label::Role;

constexpr std::int64_t kK = 1 << 10;
constexpr int kBlocks = 4;
constexpr std::int64_t kVector = 2 * kK; // 512 elements of 4 bytes
constexpr std::int64_t kWeights =
    kBlocks * (kM + 2 * 4 * kM + 2 * kVector) + kVector + 2 * 8 * kM; // 4096 words
constexpr std::int64_t kTokens = 32 * kK; // 4096 of 8 bytes
constexpr std::int64_t kHidden = 8 * kM;
constexpr std::int64_t kLogits = 64 * kM; // 4096 × 4096 × 4
constexpr std::int64_t kBlock = 32 * kM; // What one keeps.

/// Weights, a batch of tokens that `loader` made, and of the blocks so many of the three things
/// each makes.
void runBlocks(test::HandRun& run, std::string_view loader, int things = 3 * kBlocks,
               std::int64_t matrix = 2 * kHidden)
{
    const auto weight = [&](std::int64_t bytes) {
        run.alloc(bytes, Bucket::parameter, Role::trainable);
    };
    run.phase(label::Phase::setup, 0);
    weight(8 * kM);
    for (int b = 0; b < kBlocks; ++b) {
        for (const std::int64_t bytes : {kVector, kM, kVector, 4 * kM, 4 * kM}) {
            weight(bytes);
        }
    }
    weight(kVector);
    weight(8 * kM);
    run.phase(label::Phase::input, 1);
    run.alloc(kTokens, Bucket::input, Role::none, loader);
    run.alloc(kTokens, Bucket::input, Role::none, loader);
    run.phase(label::Phase::forward, 1);
    const std::string called = "; _call_impl /site-packages/torch/nn/modules/module.py:1194; "
                               "forward /home/me/model.py:50; _call_impl "
                               "/site-packages/torch/nn/modules/module.py:1194; "
                               "train /home/me/train.py:7";
    for (int i = 0; i < things; ++i) {
        if (i % 3 == 1) {
            run.alloc(matrix, Bucket::activation, Role::attention_matrix,
                      "softmax /site-packages/torch/nn/functional.py:1841; forward "
                      "/home/me/model.py:24"
                          + called);
        } else {
            run.alloc(kHidden, Bucket::activation, Role::none,
                      (i % 3 == 0
                           ? "layer_norm /site-packages/torch/nn/functional.py:2515; forward "
                             "/home/me/model.py:30"
                           : "forward /home/me/model.py:31")
                          + called);
        }
    }
}

constexpr std::string_view kElsewhere = "load /home/me/data.py:9";

std::int64_t needAtHead()
{
    test::HandRun run(400 * kM);
    runBlocks(run, kElsewhere);
    run.oom(kLogits, 2 * kM, Bucket::activation, Role::logits, "forward /home/me/model.py:51");
    return test::deviceDiagnosisOf(run.finish()).need.value;
}

/// Weights, Adam's two copies, the batch and the blocks.
constexpr std::int64_t kBeforeHead = 3 * kWeights + 2 * kTokens + kBlocks * kBlock;

} // namespace

class TstPassCompletion : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void noBlocksFollowTheLogits();
    void logitsThatLiveAreNotCountedAgain();
    void underAutocastTheHeadsOwnResultGoes();
    void underAutocastTheLossIsWiderThanTheHead();
    void atTheLossNothingElseIsToCome();
    void ofALossInPartsThatFailedPartsRemain();
    void blocksThatAreMadeAgainKeepTheirResultsOnly();
    void backwardHasTwoGradientsBesideALongMatrix();
    void theNextBlockIsNoneThatIsMadeAgain();
    void adaptersAreNoLayersOfABlock();
};

void TstPassCompletion::noBlocksFollowTheLogits()
{
    // The log-softmax, its gradient and that of the logits; these are dropped by a function that
    // returns a loss.
    QCOMPARE(needAtHead(), kBeforeHead + 3 * kLogits);
}

void TstPassCompletion::backwardHasTwoGradientsBesideALongMatrix()
{
    // By then what the last block made behind its matrix is gone, and so are the logits.
    constexpr std::int64_t kMatrix = 160 * kM;
    test::HandRun run(1200 * kM);
    runBlocks(run, kElsewhere, 3 * kBlocks, kMatrix);
    run.alloc(kLogits, Bucket::activation, Role::logits, "forward /home/me/model.py:51");
    run.oom(kLogits, 2 * kM, Bucket::activation, Role::logits,
            "cross_entropy /site-packages/torch/nn/functional.py:3026");
    Analysis analysis = run.finish();
    QCOMPARE(test::deviceDiagnosisOf(analysis).need.value,
             3 * kWeights + 2 * kTokens + kBlocks * (2 * kHidden + kMatrix) + 2 * kMatrix
                 - kHidden);
    const test::GatheredRun found(std::move(analysis));
    const PassCompletion completion = completeFirstPass(found.facts);
    QCOMPARE(completion.besideMatrix(1, 1, 1),
             static_cast<double>(2 * kMatrix - kHidden - kLogits));
    QCOMPARE(completion.besideMatrix(0.25, 0, 1), static_cast<double>(kMatrix / 2 - kHidden));
}

void TstPassCompletion::logitsThatLiveAreNotCountedAgain()
{
    test::HandRun run(400 * kM);
    runBlocks(run, kElsewhere);
    run.alloc(kLogits, Bucket::activation, Role::logits, "forward /home/me/model.py:51");
    run.oom(kLogits, 2 * kM, Bucket::activation, Role::none,
            "cross_entropy /site-packages/torch/nn/functional.py:3026; train "
            "/home/me/train.py:8");
    QCOMPARE(test::deviceDiagnosisOf(run.finish()).need.value, needAtHead());
}

constexpr std::string_view kLoss =
    "cross_entropy /site-packages/torch/nn/functional.py:3026; train /home/me/train.py:8";

void TstPassCompletion::underAutocastTheHeadsOwnResultGoes()
{
    // The loss copies it to 32 bits, for its log-softmax; then come the two gradients.
    test::HandRun run(400 * kM);
    runBlocks(run, kElsewhere);
    run.alloc(kLogits / 2, Bucket::activation, Role::logits,
              "at::_ops::linear<c10::BFloat16> ??:0; forward /home/me/model.py:51");
    run.alloc(kLogits, Bucket::temporary, Role::logits, kLoss);
    run.oom(kLogits, 2 * kM, Bucket::activation, Role::logits, kLoss);
    QCOMPARE(test::deviceDiagnosisOf(run.finish()).need.value, kBeforeHead + 3 * kLogits);
}

void TstPassCompletion::underAutocastTheLossIsWiderThanTheHead()
{
    // What failed is the head's own result, in 16 bits.
    static constexpr std::string_view kHead =
        "at::_ops::linear<c10::BFloat16> ??:0; forward /home/me/model.py:51";
    static constexpr std::int64_t kMatrix = 3 * kHidden; // not as large as half of the logits
    static constexpr std::int64_t kInput = kHidden / 2;
    static constexpr std::int64_t kCast = 8 * kM / 2; // of the head's weight
    test::HandRun run(400 * kM);
    runBlocks(run, kElsewhere, 3 * kBlocks, kMatrix);
    run.alloc(kCast, Bucket::temporary, Role::weight_cast, kHead);
    run.alloc(kInput, Bucket::activation, Role::none, kHead);
    run.oom(kLogits / 2, 2 * kM, Bucket::activation, Role::logits, kHead);
    constexpr std::int64_t kBefore =
        3 * kWeights + 2 * kTokens + kBlocks * (2 * kHidden + kMatrix) + kCast + kInput;
    QCOMPARE(test::deviceDiagnosisOf(run.finish()).need.value, kBefore + 3 * kLogits);
}

void TstPassCompletion::atTheLossNothingElseIsToCome()
{
    // Of a model without blocks that any other tells.
    test::HandRun run(400 * kM);
    run.phase(label::Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::trainable);
    run.alloc(kM, Bucket::parameter, Role::trainable);
    run.phase(label::Phase::input, 1);
    run.alloc(kTokens, Bucket::input, Role::none, kElsewhere);
    run.phase(label::Phase::forward, 1);
    run.alloc(kHidden, Bucket::activation, Role::none, "forward /home/me/model.py:20");
    run.alloc(2 * kHidden, Bucket::activation, Role::none, "forward /home/me/model.py:21");
    run.alloc(kLogits, Bucket::activation, Role::logits, "forward /home/me/model.py:51");
    run.oom(kLogits, 2 * kM, Bucket::activation, Role::logits, kLoss);
    const auto d = test::deviceDiagnosisOf(run.finish());
    QCOMPARE(d.need.value, 3 * 9 * kM + kTokens + 3 * kHidden + 3 * kLogits);
}

void TstPassCompletion::ofALossInPartsThatFailedPartsRemain()
{
    // Sixteenths of the log-softmax and of a gradient, and three if it is made again; the gradient
    // of the 8 that the head reads. Or the last block's matrix of 16: two gradients beside it,
    // without the 8 behind it and a part.
    const auto needWith = [](const char* change, std::int64_t matrix) {
        test::HandRun run(900 * kM);
        runBlocks(run, kElsewhere, 3 * kBlocks, matrix);
        run.alloc(kLogits, Bucket::activation, Role::logits, "forward /home/me/model.py:51");
        run.oom(kLogits, 2 * kM, Bucket::activation, Role::logits, kLoss);
        return test::predictionOf(run.finish(), change).after_need.value;
    };
    constexpr std::int64_t kOthers = 3 * kWeights + 2 * kTokens + (2 * kBlocks + 1) * kHidden;
    constexpr std::int64_t kPart = kLogits / 16;
    QCOMPARE(needWith("fused-loss=16", kM), kOthers + kBlocks * kM + 2 * kPart);
    QCOMPARE(needWith("fused-loss=recompute-16", kM), kOthers + kBlocks * kM + 3 * kPart);
    QCOMPARE(needWith("fused-loss=16", 16 * kM),
             kOthers + kBlocks * 16 * kM + 2 * 16 * kM - kHidden - kPart);
}

void TstPassCompletion::blocksThatAreMadeAgainKeepTheirResultsOnly()
{
    // It dies in the last block, whose first thing is there.
    test::HandRun run(400 * kM);
    runBlocks(run, kElsewhere, 3 * (kBlocks - 1) + 1);
    run.oom(2 * kHidden, 2 * kM, Bucket::activation, Role::attention_matrix,
            "softmax /site-packages/torch/nn/functional.py:1841; forward /home/me/model.py:24");
    const Prediction p = test::predictionOf(run.finish(), "checkpointing=full");
    QCOMPARE(p.before_need.value, kBeforeHead + 3 * kLogits);
    QCOMPARE(p.after_need.value, 3 * kWeights + 2 * kTokens + kBlocks * kHidden + 3 * kLogits);
}

namespace {

/// A block of attention and an MLP, with a norm before each.
void runWideBlock(test::HandRun& run)
{
    struct Thing {
        std::int64_t bytes;
        const char* stack;
        bool is_kept = true;
    };
    const char* const norm =
        "layer_norm /site-packages/torch/nn/functional.py:2515; forward /home/me/model.py:30";
    const char* const sum = "forward /home/me/model.py:30";
    const char* const part = "forward /home/me/model.py:22";
    const char* const layer =
        "forward /site-packages/torch/nn/modules/linear.py:114; forward /home/me/model.py:30";
    const std::array<Thing, 12> all{
        {{kHidden, norm},
         {3 * kHidden,
          "forward /site-packages/torch/nn/modules/linear.py:114; forward /home/me/model.py:18",
          false},
         {kHidden, part},
         {kHidden, part},
         {2 * kHidden,
          "softmax /site-packages/torch/nn/functional.py:1841; "
          "forward /home/me/model.py:23"},
         {kHidden,
          "forward /site-packages/torch/nn/modules/linear.py:114; forward /home/me/model.py:24",
          false},
         {kHidden, sum},
         {kHidden, norm},
         {4 * kHidden, layer},
         {4 * kHidden,
          "gelu /site-packages/torch/nn/modules/activation.py:684; "
          "forward /home/me/model.py:30"},
         {kHidden, layer, false},
         {kHidden, sum}}};
    std::vector<test::HandRun::Handle> passing; // until the half ends
    for (const Thing& thing : all) {
        const auto made =
            run.alloc(thing.bytes, thing.is_kept ? Bucket::activation : Bucket::temporary,
                      Role::none, thing.stack);
        if (!thing.is_kept) {
            passing.push_back(made);
        }
        for (; thing.stack == sum && !passing.empty(); passing.pop_back()) {
            run.free(passing.back());
        }
    }
}

/// Its weights, four times, and a table and a head of that size; in no order that runs: what was
/// made before a recording lies as it may. Bytes of all.
std::int64_t makeWideWeights(test::HandRun& run, std::int64_t table)
{
    std::int64_t weights = 0;
    const auto weight = [&](std::int64_t bytes, int count) {
        for (int i = 0; i < count; ++i) {
            run.alloc(bytes, Bucket::parameter, Role::trainable);
            weights += bytes;
        }
    };
    run.phase(label::Phase::setup, 0);
    weight(table, 2);
    for (const std::int64_t bytes : {kM, 4 * kM, kVector, 3 * kM, 4 * kM, 3 * kVector, 4 * kVector,
                                     kVector, kVector, kVector, kVector, kVector}) {
        weight(bytes, kBlocks);
    }
    weight(kVector, 2);
    return weights;
}

/// A pass that dies where the last of four such blocks begins.
void dieInLastWideBlock(test::HandRun& run)
{
    run.phase(label::Phase::input, 1);
    run.alloc(kTokens, Bucket::input, Role::none, kElsewhere);
    run.phase(label::Phase::forward, 1);
    for (int b = 0; b + 1 < kBlocks; ++b) {
        runWideBlock(run);
    }
    run.oom(kHidden, 2 * kM, Bucket::activation, Role::none, "forward /home/me/model.py:30");
}

constexpr std::int64_t kWideBlock = (6 + 2 + 2 * 4) * kHidden; // What one keeps.

} // namespace

void TstPassCompletion::theNextBlockIsNoneThatIsMadeAgain()
{
    // It dies where the last block begins. They keep more than the largest thing in them, of which
    // backward has two gradients.
    test::HandRun run(900 * kM);
    const std::int64_t weights = makeWideWeights(run, kM / 2); // 256 words
    dieInLastWideBlock(run);
    QCOMPARE(test::deviceDiagnosisOf(run.finish()).need.value,
             3 * weights + kTokens + kBlocks * kWideBlock + 2 * 4 * kHidden);
}

void TstPassCompletion::adaptersAreNoLayersOfABlock()
{
    // Behind the weights two pairs of matrices per block, of rank 16; three blocks ran of four.
    constexpr std::int64_t kRank = 16;
    test::HandRun run(900 * kM);
    makeWideWeights(run, 8 * kM);
    for (int b = 0; b < kBlocks; ++b) {
        for (const std::int64_t rows : {1, 3, 1, 4}) {
            run.alloc(kRank * rows * kVector, Bucket::parameter, Role::trainable);
        }
    }
    dieInLastWideBlock(run);
    const test::GatheredRun found(run.finish());
    const PassCompletion completion = completeFirstPass(found.facts);
    QCOMPARE(completion.blocks, std::int64_t{kBlocks});
    QCOMPARE(completion.begun, std::int64_t{3});
}

TIDEMARK_TEST(TstPassCompletion)

} // namespace tidemark::tst_pass_completion

#include "tst_pass_completion.moc"
