// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/norm_intervals.h"
#include "core/program/order_evidence.h"
#include "core/program/weight_set.h"
#include "tests/core/program/made_program.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>

namespace tidemark::tst_order_evidence {

using namespace tidemark::program;
using tidemark::test::MadeProgram;
using tidemark::test::MadeShape;
using tidemark::test::madeTransformer;

namespace {

OrderEvidence orderOf(const MadeProgram& made, const Widths& widths = {})
{
    const auto replay = made.replay();
    const Observed observed = observe(replay, made.evidence);
    const SizeTable sizes(observed, findWeights(observed), 4);
    return findOrder(observed, sizes, widths);
}

} // namespace

class TstOrderEvidence : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void positionsAndTheirSquareShowTheSequence()
    {
        MadeProgram made;
        for (int layer = 0; layer < 3; ++layer) {
            made.scratch(200 * 8);
            made.scratch(200 * 200);
            made.scratch(999);
        }
        made.scratch(128 * 8);
        made.scratch(128 * 128 + 1);
        const OrderEvidence order = orderOf(made);
        QCOMPARE(order.squares.size(), std::size_t(1));
        QCOMPARE(order.forSequence(200, 3), 1.0);
        QCOMPARE(order.forSequence(200, 6), 0.5);
        QCOMPARE(order.forSequence(128, 3), 0.0);
    }
    void maximaShowHeads()
    {
        MadeProgram made;
        const std::int64_t tokens = 4 * 96;
        made.scratch(tokens * 5 * 96 * 4);
        made.scratch(tokens * 5 * 4);
        made.scratch(tokens * 5 * 8);
        const OrderEvidence order = orderOf(made);
        QCOMPARE(order.forHeads(tokens, 5, 96, 1), 1.0);
        QCOMPARE(order.forHeads(tokens, 10, 48, 1), 0.0);
    }
    void outputsAfterCopiesOfWeightsAreRowsOfTwoBytes()
    {
        MadeProgram made;
        const std::int64_t d = 320;
        const std::int64_t f = 1280;
        for (int layer = 0; layer < 4; ++layer) {
            made.before(d * f * 4, Usage::weight);
            made.before(f * 4, Usage::weight);
        }
        const std::int64_t tokens = 300;
        for (int layer = 0; layer < 4; ++layer) {
            made.scratch(tokens * d * 2);
            const std::size_t copy = made.make(d * f * 2, Usage::saved);
            made.scratch(f * 2);
            made.scratch(tokens * f * 2);
            made.free(copy);
        }
        const Widths widths{{d, {Factor::hidden, 1, false}}, {f, {Factor::feed_forward, 1, false}}};
        const OrderEvidence order = orderOf(made, widths);
        QCOMPARE(order.forTokens(tokens, widths), 1.0);
        QCOMPARE(order.forTokens(2 * tokens, widths), 0.0);
        QCOMPARE(orderOf({}, widths).forTokens(tokens, widths), 0.5);
    }
    void statisticsCutALayerIntoTwoIntervals()
    {
        const MadeShape shape;
        const MadeProgram made = madeTransformer(shape);
        const auto replay = made.replay();
        const Observed observed = observe(replay, made.evidence);
        const std::int64_t tokens = shape.batch * shape.sequence;
        const std::int64_t scores = tokens * shape.heads * shape.sequence * 4;
        const std::int64_t wide = tokens * shape.feed_forward * 4;
        const auto passes = findNormIntervals(observed, tokens * 4, {scores, wide}, shape.layers);
        QCOMPARE(passes.size(), static_cast<std::size_t>(shape.steps));
        for (const PassIntervals& pass : passes) {
            QCOMPARE(pass.size(), static_cast<std::size_t>(2 * shape.layers));
            for (std::size_t i = 0; i < pass.size(); ++i) {
                for (const std::size_t a : pass[i].allocations) {
                    QCOMPARE(observed.size(a), i % 2 == 0 ? scores : wide);
                }
            }
        }
        QVERIFY(findNormIntervals(observed, 12345, {scores}, shape.layers).empty());
    }
    void aliveAtMostAgreesWithACountOfEveryState()
    {
        std::mt19937 random(5);
        for (int i = 0; i < 30; ++i) {
            MadeProgram made;
            std::vector<std::size_t> living;
            std::vector<std::size_t> all;
            for (int event = 0; event < 60; ++event) {
                if (living.empty() || random() % 2 == 0) {
                    living.push_back(
                        made.make(1 + static_cast<std::int64_t>(random() % 100), Usage::unknown));
                    all.push_back(living.back());
                } else {
                    const std::size_t at = random() % living.size();
                    made.free(living[at]);
                    living.erase(living.begin() + static_cast<std::ptrdiff_t>(at));
                }
            }
            const auto replay = made.replay();
            const Observed observed = observe(replay, made.evidence);
            std::int64_t most = 0;
            for (std::uint32_t state = 0; state < observed.stateCount(); ++state) {
                std::int64_t bytes = 0;
                for (const std::size_t a : all) {
                    bytes += replay.allocations.isLive(AllocationId(a), StateId{state})
                        ? observed.size(a)
                        : 0;
                }
                most = std::max(most, bytes);
            }
            std::int64_t bytes = 0;
            for (const std::size_t a : aliveAtMost(observed, all)) {
                bytes += observed.size(a);
            }
            QCOMPARE(bytes, most);
        }
    }
};

TIDEMARK_TEST(TstOrderEvidence)

} // namespace tidemark::tst_order_evidence

#include "tst_order_evidence.moc"
