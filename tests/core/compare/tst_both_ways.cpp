// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/shares.h"
#include "core/compare/size_routes.h"
#include "tests/core/compare/decoder_run.h"
#include "tests/core/compare/difference_probe.h"
#include "tests/support/labelled.h"
#include "tests/support/random_memory.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace tidemark::tst_both_ways {

using namespace tidemark::test;
using compare::ChangeFactor;
using compare::ChangeOf;
using compare::Difference;

namespace {

/// What is said of a row that differs, as it reads from the other run when `sign` is −1.
using Row = std::tuple<label::Bucket, label::Bucket, std::int64_t, std::int64_t, std::int64_t, int,
                       std::int64_t, std::int64_t>;

std::vector<Row> rowsOf(const Difference& d, int sign)
{
    std::vector<Row> rows;
    for (const compare::PlaceDifference& place : d.parts.places) {
        if (place.delta().value == 0) {
            continue;
        }
        rows.emplace_back(sign > 0 ? place.bucket_a : place.bucket,
                          sign > 0 ? place.bucket : place.bucket_a, sign * place.delta().value,
                          sign * place.unexplained.value, place.a.value + place.b.value,
                          place.change ? static_cast<int>(*place.change) : -1,
                          place.count_a + place.count_b, place.count_a * place.count_b);
    }
    std::ranges::sort(rows);
    return rows;
}

std::vector<std::pair<int, std::int64_t>> changesOf(const Difference& d, int sign)
{
    std::vector<std::pair<int, std::int64_t>> changes;
    for (const compare::RunChange& change : d.parts.changes) {
        changes.emplace_back(static_cast<int>(change.of), sign * change.explains.value);
    }
    std::ranges::sort(changes);
    return changes;
}

void negate(const diagnose::Analysis& a, const diagnose::Analysis& b)
{
    const Difference there = between(a, b);
    const Difference back = between(b, a);
    QCOMPARE(sumOfParts(there), delta(there));
    QCOMPARE(sumOfParts(back), delta(back));
    QCOMPARE(back.parts.unexplained.value, -there.parts.unexplained.value);
    QVERIFY(changesOf(back, -1) == changesOf(there, 1));
    QVERIFY(rowsOf(back, -1) == rowsOf(there, 1));
}

} // namespace

/// What is explained does not depend on which run is called A.
class TstBothWays : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoChangesShareWhatTheyMakeTogether()
    {
        const std::vector<ChangeFactor> factors{{ChangeOf::sequence, 8},
                                                {ChangeOf::precision, 0.5}};
        const std::vector<compare::ChangeShare> shares = compare::sharesOf(400, 1600, factors);
        QCOMPARE(shares[0].bytes, 2100); // half of 2800 and 1400
        QCOMPARE(shares[1].bytes, -900); // half of −1600 and −200
    }
    void whatComesIsSharedWithWhatMakesItLarger()
    {
        const std::vector<ChangeFactor> factors{{ChangeOf::sequence, 4},
                                                {ChangeOf::graph, compare::kComes}};
        const std::vector<compare::ChangeShare> shares = compare::sharesOf(0, 400, factors);
        QCOMPARE(shares[0].bytes, 150); // half of 0 and 300
        QCOMPARE(shares[1].bytes, 250); // half of 100 and 400
    }
    void threeChangesAddUpAndNegate()
    {
        for (const std::int64_t a : {1, 7, 1001, 123'456'789}) {
            for (const double r : {1.0 / 3, 0.75, 2.0, 7.0}) {
                const std::vector<ChangeFactor> factors{{ChangeOf::sequence, r},
                                                        {ChangeOf::micro_batch, 1.5},
                                                        {ChangeOf::precision, 0.5}};
                const std::vector<ChangeFactor> inverse{{ChangeOf::sequence, 1 / r},
                                                        {ChangeOf::micro_batch, 1 / 1.5},
                                                        {ChangeOf::precision, 2}};
                const std::int64_t b = std::llround(static_cast<double>(a) * r * 0.75) + 1;
                const auto there = compare::sharesOf(a, b, factors);
                const auto back = compare::sharesOf(b, a, inverse);
                std::int64_t sum = 0;
                for (std::size_t i = 0; i < there.size() && a != b; ++i) {
                    QCOMPARE(back[i].bytes, -there[i].bytes);
                    sum += there[i].bytes;
                }
                QCOMPARE(sum, b - a);
            }
        }
    }
    void aSizeWithAConstantPartFollowsAllTheSame()
    {
        // A convolution over the sequence pads it on both sides.
        program::SizeUse a;
        program::SizeUse b;
        a.bytes = (40 + 3) * 1000;
        b.bytes = (80 + 3) * 1000;
        compare::Growths growths;
        growths.rows = 2;
        QCOMPARE(compare::routeBetween(a, b, growths)->rows, 1);
        growths.rows = 0.5;
        QCOMPARE(compare::routeBetween(b, a, growths)->rows, 1);
        b.bytes = 60'000;
        QVERIFY(!compare::routeBetween(b, a, growths).has_value());
    }
    void anotherWidthQuadruplesNothing()
    {
        // A table of positions that is not read as one.
        program::SizeUse a;
        program::SizeUse b;
        a.bytes = 16'384;
        b.bytes = 65'536;
        a.expressions.emplace_back();
        b.expressions.emplace_back();
        const auto there = compare::routeBetween(a, b, {.sequence = 4, .width = 0.5});
        const auto back = compare::routeBetween(b, a, {.sequence = 0.25, .width = 2});
        QCOMPARE(there->sequence, 1);
        QCOMPARE(there->width, 1.0);
        QCOMPARE(back->sequence, 1);
        QCOMPARE(back->width, 1.0);
        QVERIFY(!compare::routeBetween(a, b, {.width = 0.5}).has_value());
    }
    void nothingChangedIsNoRouteToAnotherSize()
    {
        program::SizeUse a;
        program::SizeUse b;
        a.bytes = 100'000;
        b.bytes = 101'000; // as near as a stated size may be
        a.expressions.emplace_back();
        QVERIFY(!compare::routeBetween(a, b, {}).has_value());
        QVERIFY(!compare::routeBetween(b, a, {}).has_value());
    }
    void aRunHeldAgainstAnotherIsNegatedTheOtherWayRound()
    {
        const std::vector<DecoderOptions> runs{
            {},
            {.sequence = 256},
            {.batch = 12},
            {.batch = 2, .sequence = 512, .is_autocast = true},
            {.sequence = 1024, .is_autocast = true},
            {.sequence = 96, .is_fused = true},
            {.sequence = 384, .is_inference = true},
            {.batch = 3, .micro_batches = 4},
            {.micro_batches = 4, .in_flight = 3},
            {.layers = 6},
            {.hidden = 640, .feed_forward = 2560, .heads = 10},
            {.sequence = 256, .states = 0, .kept_per_step = 3'000'001},
            {.steps = 4, .gathered = 40'000'000, .states = 1}};
        std::vector<diagnose::Analysis> made;
        for (const DecoderOptions& options : runs) {
            made.push_back(decoderRun(options));
        }
        for (std::size_t i = 0; i < made.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                negate(made[i], made[j]);
                QVERIFY2(!QTest::currentTestFailed(),
                         qPrintable(QStringLiteral("%1, %2").arg(i).arg(j)));
            }
        }
    }
    void aLaterDumpIsNegatedToo()
    {
        negate(decoderRun({.steps = 2, .kept_per_step = 8'000'000}),
               decoderRun({.steps = 4, .kept_per_step = 8'000'000}));
    }
    void anyTwoFilesAreNegated()
    {
        for (unsigned seed = 0; seed < 20; ++seed) {
            negate(labelledAnalysis(RandomMemory(seed, 150, true).snapshot(seed)),
                   labelledAnalysis(RandomMemory(seed + 100, 200, false).snapshot(0)));
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(QString::number(seed)));
        }
    }
};

TIDEMARK_TEST(TstBothWays)

} // namespace tidemark::tst_both_ways

#include "tst_both_ways.moc"
