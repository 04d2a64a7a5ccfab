// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/timeline.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <numeric>
#include <random>

using namespace tidemark;
using namespace tidemark::projection;

namespace {

struct Projected {
    trace::Snapshot snapshot;
    std::shared_ptr<const replay::Replay> replay;
    curves::Curves curves;

    explicit Projected(const std::string& script)
        : snapshot(test::snapshotFromScript(script))
    {
        NoProgress progress;
        replay =
            std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
        curves = curves::build(replay, label::apply(snapshot, *replay, progress, {}).value());
    }
    TimelineProjection at(Axis axis, Interval<double> range, int width) const
    {
        return projectTimeline(curves.devices[0], AxisMap(snapshot.devices[0], axis), range, width);
    }
};

/// A long trace with one spike of a single event.
std::string spiky(int events, int spike)
{
    std::string text;
    for (int i = 0; i < events; ++i) {
        text += i == spike ? "big +900M\n big -\n" : fmt::format("n{0} +1K\n n{0} -\n", i);
    }
    return text;
}

} // namespace

class TstTimeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSpikeOfOneEventIsSeenAtEveryWidth()
    {
        const Projected p(spiky(3000, 1234));
        for (const int width : {1, 2, 7, 100, 999, 4000}) {
            for (const Axis axis : {Axis::event, Axis::time}) {
                const AxisMap map(p.snapshot.devices[0], axis);
                const auto projection = p.at(axis, map.extent(), width);
                QCOMPARE(projection.columns.size(), static_cast<std::size_t>(width));
                QCOMPARE(heights(projection).total, std::int64_t(900) << 20);
            }
        }
    }
    void aColumnsBucketsAddUpToItsTotal()
    {
        const Projected p(spiky(500, 77));
        const auto projection =
            p.at(Axis::event, AxisMap(p.snapshot.devices[0], Axis::event).extent(), 40);
        for (const TimelineColumn& c : projection.columns) {
            QCOMPARE(std::accumulate(c.buckets.begin(), c.buckets.end(), std::int64_t(0)), c.total);
            QVERIFY(c.reserved >= c.total);
        }
    }
    void columnsOutsideOfTheTraceAreEmpty()
    {
        const Projected p("a +1M\n");
        const auto projection = p.at(Axis::event, {-10, -5}, 5);
        QCOMPARE(heights(projection).total, 0);
        QCOMPARE(p.at(Axis::event, {0, 1}, 0).columns.size(), 0UL);
        QCOMPARE(p.at(Axis::event, {3, 3}, 5).columns.size(), 0UL);
    }
    void axesTranslateBothWays()
    {
        const Projected p("a +1M\n b +1M\n c +1M\n");
        const AxisMap events(p.snapshot.devices[0], Axis::event);
        QCOMPARE(events.toX({2}), 2.0);
        QCOMPARE(events.toState(2.9).value, 2U);
        QCOMPARE(events.toState(-5).value, 0U);
        QCOMPARE(events.toState(99).value, 3U);
        const AxisMap times(p.snapshot.devices[0], Axis::time);
        QCOMPARE(times.toX({1}), 0.0);
        QCOMPARE(times.toX({3}), 20.0);
        QCOMPARE(times.toState(20).value, 3U);
        QCOMPARE(times.toState(19.5).value, 2U);
        QCOMPARE(times.toState(1e9).value, 3U);
    }
    void withoutTimesTheTimeAxisIsTheEventAxis()
    {
        const Projected p("no-times\n a +1M\n b +1M\n");
        const AxisMap map(p.snapshot.devices[0], Axis::time);
        QVERIFY(map.axis() == Axis::event);
        QVERIFY(!AxisMap::hasTimes(p.snapshot.devices[0]));
    }
    void anEmptyTraceStillHasAnExtent()
    {
        const Projected p("live w 1M\n");
        const AxisMap map(p.snapshot.devices[0], Axis::event);
        QVERIFY(!map.extent().isEmpty());
        QCOMPARE(heights(p.at(Axis::event, map.extent(), 10)).total, std::int64_t(1) << 20);
    }
    void theBandUnderAHeightSkipsHiddenBuckets()
    {
        TimelineColumn c;
        c.buckets[label::indexOf(label::Bucket::parameter)] = 10;
        c.buckets[label::indexOf(label::Bucket::activation)] = 20;
        const std::uint32_t all = ~0U;
        QVERIFY(bandAt(c, 0, all) == label::Bucket::parameter);
        QVERIFY(bandAt(c, 9, all) == label::Bucket::parameter);
        QVERIFY(bandAt(c, 10, all) == label::Bucket::activation);
        QVERIFY(!bandAt(c, 30, all).has_value());
        QVERIFY(!bandAt(c, -1, all).has_value());
        QVERIFY(bandAt(c, 0, all & ~1U) == label::Bucket::activation);
    }
};

TIDEMARK_TEST(TstTimeline)
#include "tst_timeline.moc"
