// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/timeline_shapes.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_timeline_shapes {

using namespace tidemark::projection;
using label::Phase;

namespace {

constexpr std::uint32_t kAll = (1U << label::kBucketCount) - 1;

/// A column of the first bands.
TimelineColumn column(std::initializer_list<std::int64_t> bands, std::int64_t reserved = 0,
                      std::int64_t private_cached = 0)
{
    TimelineColumn c;
    std::size_t b = 0;
    for (const std::int64_t bytes : bands) {
        c.buckets[b++] = bytes;
        c.total += bytes;
    }
    c.reserved = reserved;
    c.private_cached = private_cached;
    return c;
}

/// Phases one after the other from event 0, each so many events long.
label::DeviceLabels phases(std::initializer_list<std::pair<Phase, std::uint32_t>> lengths)
{
    label::DeviceLabels labels;
    std::uint32_t at = 0;
    for (const auto& [phase, length] : lengths) {
        labels.phases.push_back({EventId(at), EventId(at + length), phase, 0});
        at += length;
    }
    return labels;
}

trace::Device deviceOf(std::size_t events)
{
    trace::Device device;
    device.events.action.resize(events);
    return device;
}

} // namespace

class TstTimelineShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalNeighboursAreOneStep()
    {
        const std::vector<TimelineColumn> columns{column({5}), column({5}), column({7}),
                                                  column({5})};
        const std::vector<OutlineStep> wanted{{0, 2, 5}, {2, 3, 7}, {3, 4, 5}};
        QVERIFY(outline(columns, [](const TimelineColumn& c) { return c.total; }) == wanted);
        QVERIFY(outline({}, privateTop).empty());
    }
    void bandsStandOnThoseBelowTheUppermostFirst()
    {
        const std::vector<TimelineColumn> columns{column({1, 2, 0, 4}), column({1, 3, 0, 4})};
        const std::vector<BandOutline> outlines = bandOutlines(columns, kAll);
        QCOMPARE(outlines.size(), std::size_t{3});
        QCOMPARE(outlines[0].band, std::size_t{3});
        QVERIFY((outlines[0].top == std::vector<OutlineStep>{{0, 1, 7}, {1, 2, 8}}));
        QVERIFY((outlines[1].top == std::vector<OutlineStep>{{0, 1, 3}, {1, 2, 4}}));
        QVERIFY((outlines[2].top == std::vector<OutlineStep>{{0, 2, 1}}));
    }
    void hiddenBandsLeaveTheStack()
    {
        const std::vector<TimelineColumn> columns{column({1, 2, 4})};
        const std::vector<BandOutline> outlines = bandOutlines(columns, kAll & ~2U);
        QCOMPARE(outlines.size(), std::size_t{2});
        QCOMPARE(outlines[0].top.front().bytes, std::int64_t{5});
        QCOMPARE(visibleTotal(columns[0], 2U), std::int64_t{2});
    }
    void poolsAndCacheLieAboveTheBandsAndNeverBelow()
    {
        QCOMPARE(privateTop(column({10}, 30, 5)), std::int64_t{15});
        QCOMPARE(cachedTop(column({10}, 30, 5)), std::int64_t{30});
        QCOMPARE(privateTop(column({10}, 12, 5)), std::int64_t{12}); // no more than reserved
        QCOMPARE(cachedTop(column({10}, 8, 5)), std::int64_t{10}); // contradictory: never below
    }
    void aColumnHasThePhaseThatCoversMostOfIt()
    {
        const trace::Device device = deviceOf(10);
        const AxisMap axis(device, Axis::event);
        const auto labels = phases({{Phase::forward, 3}, {Phase::backward, 4}, {Phase::other, 3}});
        // Columns of two and a half events.
        const std::vector<PhaseInterval> wanted{
            {Phase::forward, 0, 1}, {Phase::backward, 1, 3}, {Phase::other, 3, 4}};
        QVERIFY(phaseIntervals(labels, axis, {0, 10}, 4) == wanted);
    }
    void outsideTheTraceThereIsNoPhase()
    {
        const trace::Device device = deviceOf(4);
        const AxisMap axis(device, Axis::event);
        const auto stretches = phaseIntervals(phases({{Phase::forward, 4}}), axis, {-4, 8}, 12);
        QCOMPARE(stretches.size(), std::size_t{1});
        QCOMPARE(stretches.front(), (PhaseInterval{Phase::forward, 4, 8}));
    }
};

TIDEMARK_TEST(TstTimelineShapes)

} // namespace tidemark::tst_timeline_shapes

#include "tst_timeline_shapes.moc"
