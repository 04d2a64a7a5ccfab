// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/allocation_layers.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <cmath>
#include <random>

namespace tidemark::tst_allocation_layers {

using namespace tidemark::projection;

namespace {

constexpr std::uint32_t kAll = (1U << label::kBucketCount) - 1;

/// A trace with allocations from the start on, a few large ones and many tiny ones.
std::string randomScript(unsigned seed, int events, int most_live)
{
    std::mt19937 random(seed);
    std::string text;
    std::vector<std::string> live;
    for (int i = 0; i < 12; ++i) {
        text += fmt::format("live w{} {}\n", i, 1 + random() % 300000);
        live.push_back(fmt::format("w{}", i));
    }
    for (int i = 0; i < events; ++i) {
        const bool grows =
            live.size() < 3 || (static_cast<int>(live.size()) < most_live && random() % 5 < 3);
        if (grows) {
            const std::size_t size = random() % 4 == 0 ? 1 + random() % 400000 : 1 + random() % 900;
            text += fmt::format("n{} +{}\n", i, size);
            live.push_back(fmt::format("n{}", i));
        } else {
            const std::size_t k = random() % live.size();
            text += live[k] + " -\n";
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
        }
    }
    return text;
}

struct Trace {
    trace::Snapshot snapshot;
    std::shared_ptr<const replay::Replay> replay;
    curves::Curves curves;

    explicit Trace(const std::string& script)
        : snapshot(test::snapshotFromScript(script))
    {
        NoProgress progress;
        replay =
            std::make_shared<const replay::Replay>(replay::run(snapshot, progress, {}).value());
        // Where labels come from does not matter here; neighbours differ.
        label::Labels labels;
        label::DeviceLabels& l = labels.devices.emplace_back();
        for (std::size_t i = 0; i < device().allocations.count(); ++i) {
            l.bucket.push_back(label::bucketAt(i * 7 / 3 % label::kBucketCount));
        }
        curves = curves::build(replay, labels);
    }
    [[nodiscard]] const replay::DeviceReplay& device() const
    {
        return replay->devices[0];
    }
    [[nodiscard]] const curves::DeviceCurves& own() const
    {
        return curves.devices[0];
    }
    [[nodiscard]] TimelineProjection timeline(Axis axis, Interval<double> range, int width) const
    {
        return projectTimeline(own(), AxisMap(snapshot.devices[0], axis), range, width);
    }
    [[nodiscard]] std::int64_t bytesOf(AllocationId a) const
    {
        return device().allocations.requested[a.index()].value;
    }
    [[nodiscard]] bool isVisible(AllocationId a, std::uint32_t visible) const
    {
        return (visible >> label::indexOf(own().buckets()[a.index()]) & 1U) != 0;
    }
};

/// The records of one state by the words of the header: every allocation in turn, over all of them.
std::vector<LayerRecord> oracle(const Trace& trace, StateId state, const LayersRequest& request)
{
    std::vector<LayerRecord> records;
    LayerRecord open;
    label::BucketBytes bytes{};
    std::uint32_t from_px = 0;
    std::int64_t level = 0;
    std::int64_t largest = -1;
    const auto close = [&] {
        const auto most = std::ranges::max_element(bytes);
        if (*most > 0) {
            open.bucket = label::bucketAt(static_cast<std::size_t>(most - bytes.begin()));
        }
        open.top_bytes = level;
        records.push_back(open);
        from_px = open.top_px;
        open = {};
        bytes = {};
        largest = -1;
    };
    const replay::Allocations& all = trace.device().allocations;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId a(i);
        if (!all.isLive(a, state) || !trace.isVisible(a, request.visible)) {
            continue;
        }
        const std::int64_t size = trace.bytesOf(a);
        level += size;
        ++open.count;
        bytes[label::indexOf(trace.own().buckets()[i])] += size;
        if (size > largest) {
            largest = size;
            open.largest = a;
        }
        const double px = static_cast<double>(level) * (request.height_px / request.top_bytes);
        open.top_px =
            static_cast<std::uint32_t>(std::min<double>(request.height_px, std::floor(px + 0.5)));
        if (open.top_px > from_px) {
            close();
        }
    }
    if (open.count > 0) {
        close();
    }
    return records;
}

/// All columns against the oracle; returns how many records there were.
std::size_t compare(const Trace& trace, const TimelineProjection& timeline,
                    const LayersRequest& request)
{
    const AllocationLayers layers = projectAllocations(trace.own(), timeline, request);
    std::size_t count = 0;
    std::size_t wrong = layers.columns.size() == timeline.columns.size() ? 0U : 1U;
    forEachColumn(layers, [&](std::size_t c, std::span<const LayerRecord> records, std::size_t) {
        const TimelineColumn& column = timeline.columns[c];
        const auto expected =
            column.in_trace ? oracle(trace, column.state, request) : std::vector<LayerRecord>{};
        wrong += std::ranges::equal(records, expected) ? 0U : 1U;
        count += records.size();
    });
    return wrong == 0 ? count : 0;
}

} // namespace

class TstAllocationLayers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyColumnIsTheStackOfItsState()
    {
        std::mt19937 random(3);
        for (unsigned seed = 1; seed <= 12; ++seed) {
            const Trace trace(randomScript(seed, 900, seed % 2 == 0 ? 200 : 30));
            const double top =
                static_cast<double>(trace.device().active[trace.device().peak.index()]);
            for (const Axis axis : {Axis::event, Axis::time}) {
                const auto extent = AxisMap(trace.snapshot.devices[0], axis).extent();
                const double whole = extent.end - extent.begin;
                for (const double share : {1.2, 0.3, 0.04}) {
                    const double begin = extent.begin
                        + (share < 1 ? static_cast<double>(random() % 100) / 150.0 : -0.1) * whole;
                    const auto timeline = trace.timeline(axis, {begin, begin + share * whole}, 160);
                    QVERIFY(compare(trace, timeline, {90, top * 1.1, kAll, {}, 1}) > 0);
                    // Many to a pixel, the upper ones out of the picture, buckets hidden.
                    QVERIFY(compare(trace, timeline, {7, top * 0.6, kAll & ~0x15U, {}, 1}) > 0);
                    QVERIFY(compare(trace, timeline, {4000, top, kAll, {}, 1}) > 0);
                }
            }
        }
    }
    void manyEventsBetweenTwoColumnsAreJumpedOver()
    {
        const Trace trace(randomScript(21, 60000, 40));
        const AxisMap axis(trace.snapshot.devices[0], Axis::event);
        for (const int width : {3, 5, 40}) {
            const auto timeline = trace.timeline(Axis::event, axis.extent(), width);
            QVERIFY(compare(trace, timeline, {200, 8e6, kAll, {}, 1}) > 0);
        }
    }
    void noAllocationIsLostAtAnyZoom()
    {
        const Trace trace(randomScript(5, 2000, 400));
        const replay::DeviceReplay& r = trace.device();
        const AxisMap axis(trace.snapshot.devices[0], Axis::event);
        for (double events = axis.extent().end; events >= 2; events /= 7) {
            const auto timeline = trace.timeline(Axis::event, {100, 100 + events}, 50);
            for (const int height : {1, 30, 5000}) {
                const auto layers =
                    projectAllocations(trace.own(), timeline, {height, 9e6, kAll, {}, 1});
                forEachColumn(
                    layers, [&](std::size_t c, std::span<const LayerRecord> records, std::size_t) {
                        if (!timeline.columns[c].in_trace) {
                            return;
                        }
                        const StateId state = timeline.columns[c].state;
                        QCOMPARE(records.back().top_bytes, r.active[state.index()]);
                        std::size_t count = 0;
                        for (const LayerRecord& record : records) {
                            count += record.count;
                        }
                        QCOMPARE(count, replay::livingAt(r, state).size());
                    });
            }
        }
    }
    void theAllocationUnderEveryByteBoundaryIsFound()
    {
        for (unsigned seed = 30; seed < 34; ++seed) {
            const Trace trace(randomScript(seed, 300, 60));
            for (const std::uint32_t visible : {kAll, kAll & ~0x2AU}) {
                for (std::uint32_t s = 0; s < trace.device().stateCount(); s += 17) {
                    std::int64_t level = 0;
                    for (const AllocationId a : replay::livingAt(trace.device(), {s})) {
                        if (!trace.isVisible(a, visible)) {
                            continue;
                        }
                        const std::int64_t top = level + trace.bytesOf(a);
                        for (const std::int64_t bytes : {level, top - 1}) {
                            const auto hit = allocationAt(trace.own(), {s}, bytes, visible);
                            QVERIFY(hit && hit->allocation == a);
                            QVERIFY((hit->bytes == Interval<std::int64_t>{level, top}));
                        }
                        level = top;
                    }
                    QVERIFY(!allocationAt(trace.own(), {s}, level, visible));
                    QVERIFY(!allocationAt(trace.own(), {s}, -1, visible));
                }
            }
        }
    }
    void theSelectedOneIsWhereAHitFindsIt()
    {
        const Trace trace(randomScript(8, 800, 50));
        const auto timeline = trace.timeline(
            Axis::event, AxisMap(trace.snapshot.devices[0], Axis::event).extent(), 200);
        const std::uint32_t visible = kAll & ~4U;
        std::size_t seen = 0;
        for (std::size_t i = 0; i < trace.device().allocations.count(); i += 5) {
            const AllocationId a(i);
            const auto layers = projectAllocations(trace.own(), timeline, {60, 5e6, visible, a, 1});
            for (const LayerColumn& column : layers.columns) {
                const bool is_there = trace.device().allocations.isLive(a, column.state)
                    && trace.isVisible(a, visible);
                QCOMPARE(!column.selected.isEmpty(), is_there);
                if (is_there) {
                    const auto hit =
                        allocationAt(trace.own(), column.state, column.selected.begin, visible);
                    QVERIFY(hit && hit->allocation == a && hit->bytes == column.selected);
                    ++seen;
                }
            }
        }
        QVERIFY(seen > 100);
    }
    void aCoarsePictureShowsTheFullestStateOfEachGroup()
    {
        const Trace trace(randomScript(9, 1500, 80));
        const auto timeline = trace.timeline(
            Axis::event, AxisMap(trace.snapshot.devices[0], Axis::event).extent(), 101);
        const AllocationLayers layers =
            projectAllocations(trace.own(), timeline, {60, 5e6, kAll, {}, 8});
        QCOMPARE(layers.columns.size(), 101UL);
        forEachColumn(layers,
                      [&](std::size_t c, std::span<const LayerRecord> records, std::size_t) {
                          std::int64_t most = 0;
                          for (std::size_t i = c / 8 * 8;
                               i < std::min<std::size_t>(101, c / 8 * 8 + 8); ++i) {
                              most = std::max(most, timeline.columns[i].total);
                          }
                          QCOMPARE(records.back().top_bytes, most);
                      });
    }
    void theStrideFollowsTheBudget()
    {
        const Trace trace(randomScript(10, 1500, 80));
        const auto timeline = trace.timeline(
            Axis::event, AxisMap(trace.snapshot.devices[0], Axis::event).extent(), 100);
        QCOMPARE(layersStride(trace.own(), timeline, 1'000'000), 1);
        const int stride = layersStride(trace.own(), timeline, 1000);
        QVERIFY2(stride >= 2 && stride <= 8, qPrintable(QString::number(stride)));
        QCOMPARE(layersStride(trace.own(), timeline, 1), 100);
    }
    void stoppedItHasFewerColumns()
    {
        const Trace trace(randomScript(11, 500, 80));
        const auto timeline = trace.timeline(
            Axis::event, AxisMap(trace.snapshot.devices[0], Axis::event).extent(), 100);
        std::stop_source stop;
        stop.request_stop();
        const auto layers =
            projectAllocations(trace.own(), timeline, {60, 5e6, kAll, {}, 1}, stop.get_token(), {});
        QVERIFY(layers.columns.size() < 100);
    }
    void usedMemoryMayBeUsedAgain()
    {
        const Trace trace(randomScript(12, 700, 80));
        const auto extent = AxisMap(trace.snapshot.devices[0], Axis::event).extent();
        const LayersRequest request{60, 5e6, kAll, {}, 1};
        AllocationLayers other =
            projectAllocations(trace.own(), trace.timeline(Axis::event, {10, 50}, 300), request);
        const auto timeline = trace.timeline(Axis::event, extent, 100);
        const auto fresh = projectAllocations(trace.own(), timeline, request);
        const auto again = projectAllocations(trace.own(), timeline, request, {}, std::move(other));
        QVERIFY(fresh.records == again.records);
        QCOMPARE(fresh.columns.size(), again.columns.size());
    }
};

TIDEMARK_TEST(TstAllocationLayers)

} // namespace tidemark::tst_allocation_layers

#include "tst_allocation_layers.moc"
