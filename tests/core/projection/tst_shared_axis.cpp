// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/delta.h"
#include "core/projection/shared_axis.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <random>

namespace tidemark::tst_shared_axis {

using projection::AxisMap;
using projection::shareAxis;

namespace {

using Pairs = std::vector<std::pair<StateId, StateId>>;

/// A trace of that many events.
trace::Snapshot traceOf(std::uint32_t events)
{
    std::string script;
    for (std::uint32_t i = 0; i < events; ++i) {
        script += fmt::format("a{} +1M\n", i);
    }
    return test::snapshotFromScript(script);
}

/// The first states of a script, one column each.
projection::TimelineProjection columnsOf(std::string_view script)
{
    const trace::Snapshot snapshot = test::snapshotFromScript(script);
    NoProgress progress;
    const auto replay =
        std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
    const auto curves =
        curves::build(replay, label::apply(snapshot, *replay, progress, {}).value());
    return projectTimeline(curves.devices[0], AxisMap(snapshot.devices[0], projection::Axis::event),
                           {0, 4}, 4);
}

StateId s(std::uint32_t value)
{
    return {value};
}

} // namespace

class TstSharedAxis : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matchedMomentsCoincideWhereverTheRunsAre()
    {
        const auto a = traceOf(20);
        const auto b = traceOf(50);
        const Pairs matched{{s(3), s(5)}, {s(10), s(12)}, {s(12), s(40)}};
        const auto axis = shareAxis(matched, s(20), s(50));
        const AxisMap of_a(a.devices[0], axis.a);
        const AxisMap of_b(b.devices[0], axis.b);
        QCOMPARE(of_a.axis(), projection::Axis::shared);
        for (const auto& [x, y] : matched) {
            QCOMPARE(of_a.toX(x), of_b.toX(y));
            QCOMPARE(of_a.toState(of_a.toX(x)).value, x.value);
            QCOMPARE(of_b.toState(of_b.toX(y)).value, y.value);
        }
        // B begins earlier, and both end with one unit per event behind the last moment.
        QCOMPARE(of_b.extent().begin, 0.0);
        QCOMPARE(of_a.extent().begin, 2.0);
        QCOMPARE(of_a.extent().end - of_a.toX(s(12)), 8.0);
        QCOMPARE(of_b.extent().end - of_b.toX(s(40)), 10.0);
        // Two events of A lie beside 28 of B, so A is stretched.
        QCOMPARE(of_a.toX(s(11)) - of_a.toX(s(10)), 14.0);
    }
    void everyStateKeepsItsCoordinate()
    {
        std::mt19937 random(7);
        const auto below = [&random](std::uint32_t end) {
            return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
        };
        for (int round = 0; round < 50; ++round) {
            Pairs matched;
            StateId x;
            StateId y;
            for (int i = 0; i < 12; ++i) {
                x.value += below(9);
                y.value += below(9);
                matched.emplace_back(x, y);
            }
            const StateId last{x.value + below(5)};
            const auto trace = traceOf(std::max(1U, last.value));
            const AxisMap axis(trace.devices[0], shareAxis(matched, last, y).a);
            double before = axis.toX(StateId::start());
            for (std::uint32_t i = 0; i <= last.value; ++i) {
                const double at = axis.toX(s(i));
                QVERIFY(i == 0 || at > before);
                QCOMPARE(axis.toState(at).value, i);
                before = at;
            }
            // A walk over rising states, in steps of any length, finds the same.
            std::size_t knot = 0;
            for (std::uint32_t i = 0; i <= last.value; i += below(9)) {
                QCOMPARE(axis.toX(s(i), knot), axis.toX(s(i)));
                i += below(2);
            }
        }
    }
    void aRunWaitsWhereTheOtherIsAlone()
    {
        const auto a = traceOf(10);
        const Pairs matched{{s(4), s(4)}, {s(4), s(9)}, {s(6), s(11)}};
        const auto axis = shareAxis(matched, s(10), s(15));
        const AxisMap of_a(a.devices[0], axis.a);
        QCOMPARE(of_a.toX(s(4)), 4.0);
        QCOMPARE(of_a.toState(8.5).value, 4U);
        QVERIFY(of_a.waitsAt(8.5));
        QVERIFY(!of_a.waitsAt(3.5));
        QVERIFY(!of_a.waitsAt(10.0));
        QVERIFY(of_a.waitsAt(1000));
    }
    void withoutMomentsBothBeginTogether()
    {
        const auto axis = shareAxis({}, s(4), s(9));
        QCOMPARE(axis.a->front().x, 0.0);
        QCOMPARE(axis.b->front().x, 0.0);
        QCOMPARE(axis.b->back().x, 9.0);
        const auto a = traceOf(4);
        // A single knot is no axis.
        const AxisMap map(a.devices[0], shareAxis({}, s(0), s(0)).a);
        QCOMPARE(map.axis(), projection::Axis::event);
    }
    void columnsDifferBucketByBucket()
    {
        const auto of_a = columnsOf("x +4M\ny +2M\ny -\n");
        const auto of_b = columnsOf("x +4M\ny +7M\nz +1M\n");
        const auto deltas = projection::deltaColumns(of_a, of_b);
        QCOMPARE(deltas.size(), 4UL);
        constexpr std::uint32_t kAll = (1U << label::kBucketCount) - 1;
        std::int64_t most = 0;
        for (std::size_t i = 0; i < deltas.size(); ++i) {
            QCOMPARE(deltas[i].net(kAll), of_b.columns[i].total - of_a.columns[i].total);
            most = std::max(most, deltas[i].net(kAll));
        }
        QCOMPARE(most, std::int64_t(6) << 20); // 12 MiB against 6: y is not freed yet.
        QCOMPARE(projection::heights(deltas, kAll).above, most);
        QCOMPARE(projection::heights(deltas, kAll).below, 0);
        QCOMPARE(projection::heights(deltas, 0).above, 0);
    }
    void bandsLieAboveAndBelowZero()
    {
        projection::DeltaColumn column;
        column.in_both = true;
        column.buckets[0] = 10;
        column.buckets[2] = -5;
        column.buckets[3] = 7;
        constexpr std::uint32_t kAll = (1U << label::kBucketCount) - 1;
        QVERIFY(bandAt(column, 9, kAll) == label::bucketAt(0));
        QVERIFY(bandAt(column, 10, kAll) == label::bucketAt(3));
        QVERIFY(bandAt(column, 17, kAll) == std::nullopt);
        QVERIFY(bandAt(column, -1, kAll) == label::bucketAt(2));
        QVERIFY(bandAt(column, -5, kAll) == std::nullopt);
        QVERIFY(bandAt(column, 3, kAll & ~1U) == label::bucketAt(3));
    }
    void aRunThatIsOverDiffersInNothing()
    {
        projection::TimelineProjection a{{0, 1}, {{}}};
        projection::TimelineProjection b{{0, 1}, {{}}};
        b.columns[0].in_trace = true;
        b.columns[0].buckets[0] = 5;
        const auto deltas = projection::deltaColumns(a, b);
        QVERIFY(!deltas[0].in_both);
        QCOMPARE(deltas[0].buckets[0], 0);
    }
};

TIDEMARK_TEST(TstSharedAxis)

} // namespace tidemark::tst_shared_axis

#include "tst_shared_axis.moc"
