// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/unseen_states.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <string>

namespace tidemark::tst_frozen_ahead {

using namespace tidemark::diagnose;
using test::kM;

namespace {

using label::Bucket;
using label::Phase;
using label::Role;

std::int64_t frozenOf(const Facts& facts)
{
    return frozenAhead(facts, facts);
}

constexpr std::int64_t kRows = 4096;
constexpr std::int64_t kHidden = 512; // numbers of a row
constexpr std::int64_t kWidth = 4; // bytes of a number
constexpr std::int64_t kResult = kRows * kHidden * kWidth;
constexpr std::int64_t kWeight = (kHidden + 1) * kHidden * kWidth; // with its bias
constexpr std::int64_t kEmbedding = 5 * kM;
constexpr std::string_view kLinear =
    "forward /site-packages/torch/nn/modules/linear.py:114; forward /home/me/net.py:20";
constexpr std::string_view kOwn =
    "relu /site-packages/torch/nn/functional.py:1457; forward /home/me/net.py:20";

/// An embedding and square layers, of which so many save nothing. Dies at the head of backward.
Analysis fineTuning(int layers, int frozen, const std::string& caller = "",
                    std::int64_t embedding = kEmbedding)
{
    const std::string linear = std::string(kLinear) + caller;
    const std::string own = std::string(kOwn) + caller;
    test::HandRun run(400 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(embedding, Bucket::parameter, Role::none);
    for (int l = 0; l < layers; ++l) {
        run.alloc(kHidden * kHidden * kWidth, Bucket::parameter, Role::none);
        run.alloc(kHidden * kWidth, Bucket::parameter, Role::none);
    }
    run.phase(Phase::input, 1);
    run.alloc(kResult, Bucket::input);
    run.phase(Phase::forward, 1);
    run.free(run.alloc(kResult, Bucket::temporary, Role::none, own)); // of the embedding
    for (int l = 0; l < layers; ++l) {
        const auto passing = run.alloc(kResult, Bucket::temporary, Role::none, linear);
        const bool saves = l + 1 >= frozen; // the last frozen one's result is read by the next
        const auto result =
            run.alloc(kResult, saves ? Bucket::activation : Bucket::temporary, Role::none, own);
        run.free(passing);
        if (!saves) {
            run.free(result);
        }
    }
    run.phase(Phase::backward, 1);
    run.oom(kResult, 2 * kM, Bucket::temporary, Role::activation_gradient);
    return run.finish();
}

/// The same under autocast, with so few rows that a copy of a weight is as large as what it is read
/// beside: each layer copies its weight and its input, and its kernel works in something.
constexpr std::int64_t kHalf = kHidden / 2 * kHidden * 2; // what a layer makes
Analysis fineTuningUnderAutocast(int layers, int frozen, std::int64_t work)
{
    test::HandRun run(100 * kM);
    run.phase(Phase::setup, 0);
    run.alloc(kEmbedding, Bucket::parameter, Role::none);
    for (int l = 0; l < layers; ++l) {
        run.alloc(kHidden * kHidden * kWidth, Bucket::parameter, Role::none);
        run.alloc(kHidden * kWidth, Bucket::parameter, Role::none);
    }
    run.phase(Phase::input, 1);
    run.alloc(2 * kHalf, Bucket::input);
    run.phase(Phase::forward, 1);
    for (int l = 0; l < layers; ++l) {
        const Bucket kept = l + 1 > frozen ? Bucket::activation : Bucket::temporary;
        const auto wide = run.alloc(2 * kHalf, Bucket::temporary, Role::none, kOwn);
        const auto weight = run.alloc(2 * kHalf, kept, Role::weight_cast, kLinear);
        const auto input = run.alloc(kHalf, kept, Role::none, kLinear);
        const auto result = run.alloc(kHalf, Bucket::temporary, Role::none, kLinear);
        run.free(run.alloc(work, Bucket::temporary, Role::none, kLinear));
        for (const auto passing : {wide, result}) {
            run.free(passing);
        }
        if (kept == Bucket::temporary) {
            run.free(weight);
            run.free(input);
        }
    }
    run.phase(Phase::backward, 1);
    run.oom(kHalf, 0, Bucket::temporary, Role::activation_gradient);
    return run.finish();
}

} // namespace

class TstFrozenAhead : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatRanBeforeAnythingWasSavedIsFrozen();
    void copiesOfAutocastAreNoResults();
    void oneLayerMayHaveReadTheBatch();
    void anEmbeddingIsNoLayerThoughItsSizeWouldDo();
    void whereBlocksAreMadeAgainNothingIsKnown();
};

void TstFrozenAhead::whatRanBeforeAnythingWasSavedIsFrozen()
{
    const test::GatheredRun found(fineTuning(8, 5));
    const std::int64_t frozen = kEmbedding + 5 * kWeight;
    QCOMPARE(frozenOf(found.facts), frozen);
    QCOMPARE(found.facts.states.trainable, 3 * kWeight);
    // Gradients and two states for the others only, and it is said.
    const Prediction all = test::predictionOf(fineTuning(8, 0), "optimizer=sgd");
    const Prediction some = test::predictionOf(fineTuning(8, 5), "optimizer=sgd");
    QCOMPARE(all.before_need.value - some.before_need.value, 4 * kResult + 2 * frozen);
    QVERIFY(std::ranges::any_of(some.assumptions, [](const std::string& text) {
        return text.find("assumed frozen") != std::string::npos;
    }));
}

void TstFrozenAhead::copiesOfAutocastAreNoResults()
{
    for (const std::int64_t work : {kHalf / 8, 3 * kHalf}) {
        const test::GatheredRun found(fineTuningUnderAutocast(8, 5, work));
        QVERIFY(found.facts.sixteen_bit);
        QCOMPARE(found.facts.states.frozen_ahead, kEmbedding + 5 * kWeight);
        QCOMPARE(found.facts.states.trainable, 3 * kWeight);
    }
}

void TstFrozenAhead::oneLayerMayHaveReadTheBatch()
{
    QCOMPARE(frozenOf(test::GatheredRun(fineTuning(8, 0)).facts), 0);
    QCOMPARE(frozenOf(test::GatheredRun(fineTuning(8, 1)).facts), 0);
}

void TstFrozenAhead::anEmbeddingIsNoLayerThoughItsSizeWouldDo()
{
    // 2048 rows of 1024 numbers would become as many by a weight of 1024 times 1024; the bias of
    // the first layer says that there are 4096.
    const std::int64_t embedding = 4 * kM;
    QCOMPARE(frozenOf(test::GatheredRun(fineTuning(8, 5, "", embedding)).facts),
             embedding + 5 * kWeight);
}

void TstFrozenAhead::whereBlocksAreMadeAgainNothingIsKnown()
{
    const Analysis a =
        fineTuning(8, 5, "; checkpoint /site-packages/torch/utils/checkpoint.py:249");
    QCOMPARE(frozenOf(test::GatheredRun(a).facts), 0);
}

TIDEMARK_TEST(TstFrozenAhead)

} // namespace tidemark::tst_frozen_ahead

#include "tst_frozen_ahead.moc"
