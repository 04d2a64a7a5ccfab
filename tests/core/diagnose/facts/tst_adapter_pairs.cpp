// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/adapter_pairs.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <set>
#include <vector>

namespace tidemark::tst_adapter_pairs {

using namespace tidemark::diagnose;
using label::Bucket;
using label::Phase;
using label::Role;
using test::HandRun;
using test::kM;

namespace {

constexpr std::int64_t kHidden = 256;

/// Elements: an embedding, two blocks of a norm and three matrices, the last norm.
std::vector<std::int64_t> model()
{
    std::vector<std::int64_t> elements{1000 * kHidden};
    for (int block = 0; block < 2; ++block) {
        for (const std::int64_t columns :
             {std::int64_t{1}, std::int64_t{1}, kHidden, 3 * kHidden, 4 * kHidden}) {
            elements.push_back(columns * kHidden);
        }
    }
    elements.insert(elements.end(), {kHidden, kHidden});
    return elements;
}

/// Of a first pass that has begun.
std::int64_t found(const std::vector<std::int64_t>& elements, std::int64_t width = 4)
{
    HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    for (const std::int64_t count : elements) {
        run.alloc(count * width, Bucket::parameter, Role::none, "__init__ /home/me/model.py:5");
    }
    run.phase(Phase::forward, 1);
    run.alloc(kM, Bucket::activation);
    run.oom(kM, 0, Bucket::activation);
    return adapterPairs(test::GatheredRun(run.finish()).facts);
}

std::vector<std::int64_t> with(std::vector<std::int64_t> elements,
                               const std::vector<std::int64_t>& more)
{
    elements.insert(elements.end(), more.begin(), more.end());
    return elements;
}

/// One pass of two blocks whose queries and MLP have adapters of that rank beside each matrix, as
/// libraries order the weights of a model that is moved as a whole.
LowRank ranked(std::int64_t rank, std::int64_t rows = 512)
{
    HandRun run(256 * kM);
    run.phase(Phase::setup, 0);
    const auto weight = [&](std::int64_t elements, Role role) {
        run.alloc(elements * 4, Bucket::parameter, role, "convert /home/me/train.py:5");
    };
    weight(1000 * kHidden, Role::frozen);
    for (int block = 0; block < 2; ++block) {
        weight(kHidden, Role::frozen);
        for (const std::int64_t columns : {kHidden, 3 * kHidden}) {
            weight(columns * kHidden, Role::frozen);
            weight(rank * kHidden, Role::trainable);
            weight(columns * rank, Role::trainable);
        }
    }
    run.phase(Phase::forward, 1);
    for (const std::int64_t numbers : {rank, kHidden, rank, 3 * kHidden, kHidden / 2}) {
        run.alloc(rows * numbers * 4, Bucket::activation);
    }
    run.oom(kM, 0, Bucket::activation);
    return lowRank(test::GatheredRun(run.finish()).facts).value_or(LowRank());
}

} // namespace

class TstAdapterPairs : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pairsOfOneRankBehindTheModel()
    {
        const std::vector<std::int64_t> pairs{8 * kHidden, 8 * 3 * kHidden, 8 * kHidden,
                                              8 * 4 * kHidden};
        QCOMPARE(found(with(model(), pairs)), (1 + 3 + 1 + 4) * 8 * kHidden * 4);
        QCOMPARE(found(with(model(), pairs), 2), (1 + 3 + 1 + 4) * 8 * kHidden * 2);
    }
    void aModelAloneHasNone()
    {
        QCOMPARE(found(model()), 0);
        QCOMPARE(found(with(model(), {kHidden * kHidden, kHidden})), 0); // a head with its bias
    }
    void onePairOrTwoRanksAreNone()
    {
        QCOMPARE(found(with(model(), {8 * kHidden, 8 * kHidden})), 0);
        QCOMPARE(found(with(model(), {8 * kHidden, 8 * kHidden, 4 * kHidden, 4 * kHidden})), 0);
    }
    void biasesTellTheRankAlone()
    {
        // As if all sizes were 16 times as large: no product of sides is a weight.
        std::vector<std::int64_t> elements = model();
        elements.insert(elements.begin() + 4, 3 * kHidden);
        elements = with(elements, {8 * kHidden, 8 * 3 * kHidden, 8 * kHidden, 8 * 3 * kHidden});
        QCOMPARE(found(elements, 64), (1 + 3) * 2 * 8 * kHidden * 64);
    }
    void trainedPairsAmongFrozenWeightsHaveOneRank_data()
    {
        QTest::addColumn<qint64>("rank");
        for (const int rank : {4, 8, 16, 64}) {
            QTest::addRow("%d", rank) << qint64{rank};
        }
    }
    void trainedPairsAmongFrozenWeightsHaveOneRank()
    {
        QFETCH(qint64, rank);
        const LowRank found = ranked(rank);
        QCOMPARE(qint64{found.rank}, rank);
        QVERIFY(
            (found.sizes == std::set<std::int64_t>{rank * kHidden * 4, 3 * rank * kHidden * 4}));
        QVERIFY(found.between == std::set<std::int64_t>{512 * rank * 4});
    }
    void aModelThatIsTrainedWholeHasNoRank()
    {
        HandRun run(256 * kM);
        run.phase(Phase::setup, 0);
        for (const std::int64_t count : model()) {
            run.alloc(count * 4, Bucket::parameter, Role::trainable);
        }
        run.phase(Phase::forward, 1);
        run.alloc(kM, Bucket::activation);
        run.oom(kM, 0, Bucket::activation);
        QVERIFY(!lowRank(test::GatheredRun(run.finish()).facts));
    }
    void aTrainedHeadOfAFrozenModelHasNone()
    {
        HandRun run(256 * kM);
        run.phase(Phase::setup, 0);
        for (const std::int64_t count : model()) {
            run.alloc(count * 4, Bucket::parameter, Role::frozen);
        }
        run.alloc(100 * kHidden * 4, Bucket::parameter, Role::trainable);
        run.alloc(100 * 4, Bucket::parameter, Role::trainable);
        run.phase(Phase::forward, 1);
        run.alloc(kM, Bucket::activation);
        run.oom(kM, 0, Bucket::activation);
        QVERIFY(!lowRank(test::GatheredRun(run.finish()).facts));
    }
    void sidesAreManyRanksWide()
    {
        const std::int64_t wide = 192 * kHidden;
        QCOMPARE(found(with(model(), {wide, wide, wide, wide})), 0);
    }
};

TIDEMARK_TEST(TstAdapterPairs)

} // namespace tidemark::tst_adapter_pairs

#include "tst_adapter_pairs.moc"
