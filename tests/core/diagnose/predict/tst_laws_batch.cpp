// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string_view>

namespace tidemark::tst_laws_batch {

using namespace tidemark::diagnose;
using test::kM;

namespace {

using label::Bucket;
using label::Phase;
using label::Role;

constexpr std::string_view kLinear =
    "forward /site-packages/torch/nn/modules/linear.py:114; forward /home/me/net.py:20";
constexpr std::string_view kOwn = "relu /site-packages/torch/nn/functional.py:1457; forward "
                                  "/home/me/net.py:20";
constexpr std::string_view kScores = "scores /home/me/train.py:30";

constexpr std::int64_t kRows = 2048;
constexpr std::int64_t kHidden = 512; // numbers of a row
constexpr std::int64_t kWidth = 4; // bytes of a number
constexpr std::int64_t kResult = kRows * kHidden * kWidth; // 4 MiB
constexpr std::int64_t kPairs = kRows * kRows * kWidth; // 16 MiB

constexpr std::int64_t kCopy = kHidden * kHidden * kWidth / 2; // of a weight, in 16 bits

struct Pairs {
    Role role = Role::none;
    std::string_view stack = kScores;
    bool is_last = true; ///< No linear layer comes after them.
    std::int64_t embedding = 0; ///< Bytes of a weight that no layer multiplies with.
    bool is_narrow = false; ///< Layers make 16 bits, of which each against each is in 32.
    bool has_head = false; ///< A layer makes as many numbers as that.
};

/// Three square layers; of their results each sample against each, and a loss of that.
Analysis contrasts(const Pairs& pairs)
{
    test::HandRun run(200 * kM);
    run.phase(Phase::setup, 0);
    for (int l = 0; l < 3; ++l) {
        run.alloc(kHidden * kHidden * kWidth, Bucket::parameter, Role::trainable);
        run.alloc(kHidden * kWidth, Bucket::parameter, Role::trainable);
    }
    if (pairs.has_head) {
        run.alloc(kHidden * kRows * kWidth, Bucket::parameter, Role::trainable);
    }
    const std::int64_t result = pairs.is_narrow ? kResult / 2 : kResult;
    if (pairs.embedding > 0) {
        run.alloc(pairs.embedding, Bucket::parameter, Role::trainable);
    }
    run.phase(Phase::input, 1);
    run.alloc(result, Bucket::input);
    run.phase(Phase::forward, 1);
    for (int l = 0; l < 3; ++l) {
        if (l == 2 && !pairs.is_last) {
            run.alloc(kPairs, Bucket::activation, pairs.role, pairs.stack);
        }
        if (pairs.is_narrow) {
            run.alloc(kCopy, Bucket::activation, Role::weight_cast, kLinear);
        }
        const auto passing = run.alloc(result, Bucket::temporary, Role::none, kLinear);
        run.alloc(result, Bucket::activation, Role::none, kOwn);
        run.free(passing);
    }
    if (pairs.has_head) {
        const std::int64_t made = pairs.is_narrow ? kPairs / 2 : kPairs;
        run.free(run.alloc(made, Bucket::temporary, Role::none, kLinear));
    }
    if (pairs.is_last) {
        run.alloc(kPairs, Bucket::activation, pairs.role, pairs.stack);
    }
    run.phase(Phase::backward, 1);
    run.free(run.alloc(kPairs, Bucket::temporary, Role::none, ""));
    return run.finish();
}

constexpr std::int64_t kWeights = 3 * (kHidden * kHidden + kHidden) * kWidth;

constexpr std::string_view kConvolution =
    "_conv_forward /site-packages/torch/nn/modules/conv.py:459";

/// A weight's gradient, what a library works in for it, and something that follows the batch.
Analysis worksIn(std::int64_t scratch, std::int64_t saved, std::string_view stack = kConvolution)
{
    test::HandRun run(200 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(8 * kM, Bucket::parameter, Role::trainable);
    run.phase(Phase::forward, 1);
    run.alloc(saved, Bucket::activation, Role::none, stack);
    run.phase(Phase::backward, 1);
    run.alloc(8 * kM, Bucket::gradient, Role::none, "");
    const auto work = run.alloc(scratch, Bucket::temporary, Role::none, "");
    run.free(run.alloc(1024, Bucket::temporary, Role::none, ""));
    run.free(work);
    return run.finish();
}

/// Blocks are made again, so forward drops what a function makes of a layer's result, and backward
/// makes something as large; a weight happens to be of that size, too.
Analysis dropsAllOf(std::int64_t bytes, std::string_view function)
{
    test::HandRun run(200 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(bytes, Bucket::parameter, Role::trainable);
    run.phase(Phase::forward, 1);
    run.free(run.alloc(bytes, Bucket::temporary, Role::none, function));
    run.alloc(kM, Bucket::activation, Role::none, kOwn);
    run.phase(Phase::backward, 1);
    run.free(run.alloc(bytes, Bucket::temporary, Role::none, ""));
    return run.finish();
}

} // namespace

class TstLawsBatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachSampleAgainstEachFollowsTheSquareOfTheBatch();
    void otherSquaresFollowTheBatch_data();
    void otherSquaresFollowTheBatch();
    void aSquareAsLargeAsAWeightIsNoPairs();
    void copiesOfALayersResultAreNoPairs();
    void theLengthDoesNotChangePairsOfSamples();
    void whatForwardMakesAsLargeIsNoScratch();
    void aWeightWithPaddedRowsStays_data();
    void aWeightWithPaddedRowsStays();
    void noWeightIsCopiedByAnActivationFunction();
};

void TstLawsBatch::eachSampleAgainstEachFollowsTheSquareOfTheBatch()
{
    const Prediction p = test::predictionOf(contrasts({}), "micro-batch=0.5");
    QCOMPARE(p.before_peak.value, kWeights + 4 * kResult + 2 * kPairs);
    QCOMPARE(p.after_peak.value, kWeights + 2 * kResult + kPairs / 2);
    QVERIFY(p.after_high.value >= kWeights + 2 * kResult + kPairs);
}

void TstLawsBatch::otherSquaresFollowTheBatch_data()
{
    QTest::addColumn<int>("role");
    QTest::addColumn<QString>("stack");
    QTest::addColumn<bool>("is_last");
    const auto scores = QString::fromUtf8(kScores.data(), static_cast<int>(kScores.size()));
    QTest::newRow("attention") << static_cast<int>(Role::attention_matrix) << scores << true;
    QTest::newRow("a layer's result")
        << static_cast<int>(Role::none) << "forward /site-packages/torch/nn/modules/activation.py:9"
        << true;
    QTest::newRow("within the network") << static_cast<int>(Role::none) << scores << false;
}

void TstLawsBatch::otherSquaresFollowTheBatch()
{
    QFETCH(int, role);
    QFETCH(QString, stack);
    QFETCH(bool, is_last);
    const std::string frames = stack.toStdString();
    const Analysis a = contrasts({static_cast<Role>(role), frames, is_last});
    const Prediction p = test::predictionOf(a, "micro-batch=0.5");
    QCOMPARE(p.after_peak.value, kWeights + 2 * kResult + kPairs);
}

void TstLawsBatch::aSquareAsLargeAsAWeightIsNoPairs()
{
    const Prediction p = test::predictionOf(contrasts({.embedding = kPairs}), "micro-batch=0.5");
    QVERIFY(p.after_peak.value >= kWeights + kPairs + 2 * kResult + kPairs);
}

void TstLawsBatch::copiesOfALayersResultAreNoPairs()
{
    // Under autocast a loss has the head's result in 32 bits, by chance as many words as rows.
    const auto halved = [](const Pairs& pairs) {
        return test::predictionOf(contrasts(pairs), "micro-batch=0.5").after_peak.value;
    };
    const std::int64_t others = kWeights + 3 * kCopy + 4 * (kResult / 2) / 2;
    QCOMPARE(halved({.is_narrow = true}), others + kPairs / 2);
    QCOMPARE(halved({.is_narrow = true, .has_head = true}),
             others + kHidden * kRows * kWidth + kPairs);
}

void TstLawsBatch::theLengthDoesNotChangePairsOfSamples()
{
    const Prediction p = test::predictionOf(contrasts({}), "sequence=0.5");
    QCOMPARE(p.after_peak.value, kWeights + 2 * kResult + 2 * kPairs);
}

void TstLawsBatch::whatForwardMakesAsLargeIsNoScratch()
{
    const Prediction p = test::predictionOf(worksIn(32 * kM, 32 * kM), "micro-batch=0.5");
    QCOMPARE(p.after_peak.value, (8 + 16 + 8 + 16) * kM + 512);
    // Nor is anything where nothing convolves.
    QCOMPARE(
        test::predictionOf(worksIn(32 * kM, 10 * kM, kOwn), "micro-batch=0.5").after_peak.value,
        (8 + 5 + 8 + 16) * kM + 512);
}

void TstLawsBatch::noWeightIsCopiedByAnActivationFunction()
{
    const auto halved = [](std::string_view function) {
        return test::predictionOf(dropsAllOf(8 * kM, function), "micro-batch=0.5").after_peak.value;
    };
    const std::int64_t halves = 8 * kM + (8 * kM + kM) / 2;
    QCOMPARE(halved("forward /site-packages/torch/nn/modules/activation.py:684"), halves);
    QCOMPARE(halved(kOwn), halves);
    QCOMPARE(halved(kLinear), halves + 8 * kM / 2); // a copy of the weight, perhaps
}

void TstLawsBatch::aWeightWithPaddedRowsStays_data()
{
    QTest::addColumn<int>("padding"); // columns
    QTest::addColumn<bool>("is_saved");
    QTest::addColumn<bool>("stays");
    QTest::newRow("padded") << 16 << false << true;
    QTest::newRow("by too much") << 64 << false << false;
    QTest::newRow("saved elsewhere") << 16 << true << false;
}

/// A recurrent layer's kernel computes the gradient of its weight in rows of its own length.
void TstLawsBatch::aWeightWithPaddedRowsStays()
{
    QFETCH(int, padding);
    QFETCH(bool, is_saved);
    QFETCH(bool, stays);
    const std::int64_t weight = kRows * kHidden * kWidth;
    const std::int64_t padded = kRows * (kHidden + padding) * kWidth;
    test::HandRun run(200 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(weight, Bucket::parameter, Role::trainable);
    run.phase(Phase::forward, 1);
    run.alloc(kM, Bucket::activation);
    if (is_saved) {
        run.alloc(padded, Bucket::activation);
    }
    run.phase(Phase::backward, 1);
    const auto work = run.alloc(padded, Bucket::temporary, Role::none, "");
    run.alloc(weight, Bucket::gradient, Role::none, "");
    run.free(work);
    const Prediction p = test::predictionOf(run.finish(), "micro-batch=0.5");
    const std::int64_t states = 2 * weight + kM / 2 + (is_saved ? padded / 2 : 0);
    QCOMPARE(p.after_peak.value, states + (stays ? padded : padded / 2));
    QVERIFY(p.after_low.value <= states + padded / 2);
}

TIDEMARK_TEST(TstLawsBatch)

} // namespace tidemark::tst_laws_batch

#include "tst_laws_batch.moc"
