// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/cast_shares.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <vector>

namespace tidemark::tst_cast_shares {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

constexpr std::int64_t kSmall = 1 * kM; // two weights of 32 bits, and a copy of half
constexpr std::int64_t kLarge = 4 * kM;
constexpr std::string_view kLinear = "forward /opt/torch/nn/modules/linear.py:114";
constexpr std::string_view kOther = "forward /home/me/model.py:20";

void addWeights(HandRun& run, std::initializer_list<std::int64_t> sizes)
{
    run.phase(Phase::setup, 0);
    for (const std::int64_t bytes : sizes) {
        run.alloc(bytes, Bucket::parameter, Role::trainable, "__init__ /home/me/model.py:5");
    }
    run.phase(Phase::forward, 1);
}

void save(HandRun& run, std::int64_t bytes, std::string_view line, int count = 1)
{
    for (int i = 0; i < count; ++i) {
        run.alloc(bytes, Bucket::activation, Role::none, line);
    }
}

/// The share of the last allocation that is a copy of a weight.
double shareOfLast(HandRun& run)
{
    const test::GatheredRun found(run.finish());
    const Facts& facts = found.facts;
    const AllocationId last(facts.allocations().count() - 1);
    return facts.casts->share(facts, facts.allocations().stack[last.index()], facts.bytes(last));
}

} // namespace

class TstCastShares : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void halfAsLargeAsEveryWeightIsACopy();
    void whichOfEqualOnesIsACopyIsNotKnown();
    void tablesHaveNone();
    void aTableSmallerThanAnotherIsNoHead();
    void whereOthersAreFrozenThoseTrainedAreEnough();
    void anotherLineCopiesNothing();
    void anotherSizeIsNoCopy();
    void oneSizeAloneMayBeChance();
    void whatNothingOfItsLineFollowsIsAnOutput();
    void aFewWeightsMayBeChance();
};

void TstCastShares::halfAsLargeAsEveryWeightIsACopy()
{
    HandRun run(256 * kM);
    addWeights(run, {kSmall, kSmall, kLarge});
    save(run, kLarge / 2, kLinear);
    save(run, kSmall / 2, kLinear, 2);
    QCOMPARE(shareOfLast(run), 1.0);
}

void TstCastShares::tablesHaveNone()
{
    const auto shareWith = [](int of_small) {
        HandRun run(256 * kM);
        run.phase(Phase::setup, 0);
        for (int i = 0; i < 3; ++i) {
            run.alloc(2 * kLarge, Bucket::parameter, Role::none,
                      "__init__ /opt/torch/nn/modules/sparse.py:141");
        }
        addWeights(run, {kSmall, kSmall, kLarge});
        save(run, kLarge / 2, kLinear);
        save(run, kSmall / 2, kLinear, of_small);
        return shareOfLast(run);
    };
    QCOMPARE(shareWith(2), 1.0);
    QCOMPARE(shareWith(1), 0.0); // a weight is without
}

void TstCastShares::aTableSmallerThanAnotherIsNoHead()
{
    // Half as large as a table of positions, or as one of words that may be the head.
    const auto shareWith = [](std::int64_t bytes) {
        HandRun run(256 * kM);
        run.phase(Phase::setup, 0);
        for (const std::int64_t table : {2 * kLarge, kLarge / 2}) {
            run.alloc(table, Bucket::parameter, Role::none,
                      "__init__ /opt/torch/nn/modules/sparse.py:141");
        }
        addWeights(run, {kSmall, kSmall, kLarge, kLarge});
        save(run, kLarge / 2, kLinear, 2);
        save(run, kSmall / 2, kLinear, 2);
        save(run, bytes, kLinear);
        return shareOfLast(run);
    };
    QCOMPARE(shareWith(kLarge), 1.0);
    QCOMPARE(shareWith(kLarge / 4), 0.0);
}

void TstCastShares::whereOthersAreFrozenThoseTrainedAreEnough()
{
    // Copies of 5 of 14 MiB: too few, unless these are all that get gradients.
    const auto shareWith = [](std::initializer_list<std::int64_t> gradients) {
        HandRun run(256 * kM);
        addWeights(run, {kLarge, kLarge, kLarge, kSmall, kSmall});
        save(run, kLarge / 2, kLinear);
        const AllocationId copy(run.alloc(kSmall / 2, Bucket::activation, Role::none, kLinear));
        save(run, 3 * kM, kLinear);
        run.phase(Phase::backward, 1);
        for (const std::int64_t bytes : gradients) {
            run.alloc(bytes, Bucket::gradient, Role::none, "");
        }
        const test::GatheredRun found(run.finish());
        const Facts& facts = found.facts;
        return facts.casts->share(facts, facts.allocations().stack[copy.index()],
                                  facts.bytes(copy));
    };
    QCOMPARE(shareWith({kSmall, kLarge}), 1.0);
    QCOMPARE(shareWith({kLarge, kLarge, kSmall, kSmall, kLarge}), 0.0);
    QCOMPARE(shareWith({kSmall}), 0.0);
}

void TstCastShares::whichOfEqualOnesIsACopyIsNotKnown()
{
    // Five of that size for two weights.
    HandRun run(256 * kM);
    addWeights(run, {kSmall, kSmall, kLarge});
    save(run, kLarge / 2, kLinear);
    save(run, kSmall / 2, kLinear, 5);
    QCOMPARE(shareOfLast(run), 0.4);
}

void TstCastShares::anotherLineCopiesNothing()
{
    HandRun run(256 * kM);
    addWeights(run, {kSmall, kSmall, kLarge});
    save(run, kLarge / 2, kLinear);
    save(run, kSmall / 2, kLinear, 2);
    save(run, kSmall / 2, kOther);
    QCOMPARE(shareOfLast(run), 0.0);
}

void TstCastShares::anotherSizeIsNoCopy()
{
    HandRun run(256 * kM);
    addWeights(run, {kSmall, kSmall, kLarge});
    save(run, kLarge / 2, kLinear);
    save(run, kSmall / 2, kLinear, 2);
    save(run, 3 * kM, kLinear);
    QCOMPARE(shareOfLast(run), 0.0);
}

void TstCastShares::oneSizeAloneMayBeChance()
{
    HandRun run(256 * kM);
    addWeights(run, {kLarge, kLarge, kLarge});
    save(run, kLarge / 2, kLinear, 3);
    QCOMPARE(shareOfLast(run), 0.0);
}

void TstCastShares::whatNothingOfItsLineFollowsIsAnOutput()
{
    // Of convolutions whose outputs halve where their weights double, each is as large as a copy.
    HandRun run(256 * kM);
    addWeights(run, {kSmall, kSmall, kLarge});
    const auto read = [&] { save(run, kM, kOther); };
    save(run, kLarge / 2, kLinear);
    read();
    save(run, kSmall / 2, kLinear);
    read();
    save(run, kSmall / 2, kLinear);
    QCOMPARE(shareOfLast(run), 0.0);
}

void TstCastShares::aFewWeightsMayBeChance()
{
    // 5 of 13 MiB of weights: less than six tenths.
    HandRun run(256 * kM);
    addWeights(run, {kSmall, kLarge, 8 * kM});
    save(run, kLarge / 2, kLinear);
    save(run, kSmall / 2, kLinear);
    QCOMPARE(shareOfLast(run), 0.0);
}

TIDEMARK_TEST(TstCastShares)

} // namespace tidemark::tst_cast_shares

#include "tst_cast_shares.moc"
