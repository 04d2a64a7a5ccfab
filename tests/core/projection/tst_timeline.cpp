// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/timeline.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <numeric>
#include <random>

namespace tidemark::tst_timeline {

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
    void everyColumnIsWhatAScanOfItsStatesFinds()
    {
        std::string script = spiky(900, 300);
        for (int i = 0; i < 40; ++i) {
            script.insert(
                script.find('\n', script.size() / 41 * static_cast<std::size_t>(i)) + 1,
                fmt::format("segment s{} +2M\n segment s{} {}\n", i, i, i % 3 == 0 ? "-" : "+2M"));
        }
        const Projected p(script);
        const replay::DeviceReplay& r = p.replay->devices[0];
        std::mt19937 random(4);
        for (int i = 0; i < 60; ++i) {
            const Axis axis = i % 2 == 0 ? Axis::event : Axis::time;
            const AxisMap map(p.snapshot.devices[0], axis);
            const double end = map.extent().end;
            const double begin = end * static_cast<double>(random() % 100) / 80 - end * 0.1;
            const Interval<double> range{begin, begin + end / (1U << random() % 11)};
            const int width = 1 + static_cast<int>(random() % 300);
            const auto projection = p.at(axis, range, width);
            const double per_px = (range.end - range.begin) / width;
            StateId before = StateId::start();
            for (int c = 0; c < width; ++c) {
                const TimelineColumn& column = projection.columns[static_cast<std::size_t>(c)];
                if (!column.in_trace) {
                    QCOMPARE(column.total, 0);
                    continue;
                }
                const double left = range.begin + c * per_px;
                const double right = range.begin + (c + 1) * per_px;
                const StateId first = map.toState(left);
                std::int64_t total = 0;
                std::int64_t reserved = 0;
                for (std::size_t s = first.index(); s == first.index()
                     || (s < r.stateCount()
                         && map.toX(StateId{static_cast<std::uint32_t>(s)}) < right);
                     ++s) {
                    total = std::max(total, r.active[s]);
                    reserved = std::max(reserved, r.reserved[s]);
                }
                QCOMPARE(column.total, total);
                QCOMPARE(column.reserved, reserved);
                QVERIFY(column.buckets == p.curves.devices[0].at(column.state));
                QVERIFY(before <= column.state);
                before = column.state;
            }
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
    void timesThatGoBackwardsCountAsTheLatestBefore()
    {
        Projected p("a +1M\n b +1M\n c +1M\n d +1M\n");
        trace::Device& device = p.snapshot.devices[0];
        std::swap(device.events.time[1], device.events.time[2]); // 0, 20, 10, 30
        const AxisMap map(device, Axis::time);
        const std::vector<double> expected{0, 0, 20, 20, 30};
        for (std::uint32_t s = 0; s < expected.size(); ++s) {
            QCOMPARE(map.toX({s}), expected[s]);
        }
        QCOMPARE(map.toState(19).value, 1U);
        QCOMPARE(map.toState(20).value, 3U);
        const AxisMap copy = map; // is no worse when the first is gone
        QCOMPARE(copy.toState(20, StateId{2}).value, 3U);
        QCOMPARE(copy.toState(1e9, StateId{4}).value, 4U);
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

} // namespace tidemark::tst_timeline

#include "tst_timeline.moc"
