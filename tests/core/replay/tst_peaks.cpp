// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/peaks.h"
#include "tests/core/replay/wild_trace.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

#include <algorithm>
#include <random>

namespace tidemark::tst_peaks {

using replay::Peak;

namespace {

using Totals = std::vector<std::int64_t>;

std::vector<Peak> peaksOf(const Totals& totals, std::size_t count = 3)
{
    return replay::highestPeaks(totals, count);
}

} // namespace

class TstPeaks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void peaksArePartedByATenth()
    {
        QVERIFY(peaksOf({}).empty());
        QCOMPARE(peaksOf({5}), (std::vector<Peak>{{{0}, 5}}));
        QCOMPARE(peaksOf({0, 100, 50, 80, 10, 90}),
                 (std::vector<Peak>{{{1}, 100}, {{5}, 90}, {{3}, 80}}));
        QCOMPARE(peaksOf({100, 91, 95}), (std::vector<Peak>{{{0}, 100}}));
        QCOMPARE(peaksOf({100, 90, 100}), (std::vector<Peak>{{{0}, 100}, {{2}, 100}}));
        QCOMPARE(peaksOf({100, 90, 99}), (std::vector<Peak>{{{0}, 100}}));
        QCOMPARE(peaksOf({0, 0, 0}), (std::vector<Peak>{{{0}, 0}}));
        QCOMPARE(peaksOf({10, 5, 10, 5, 10, 5}, 2), (std::vector<Peak>{{{0}, 10}, {{2}, 10}}));
    }
    void theFirstPeakIsTheLargestTotalAndAllAreApart()
    {
        std::mt19937 random(5);
        for (int round = 0; round < 300; ++round) {
            Totals totals(1 + random() % 200);
            std::int64_t now = 500;
            for (std::int64_t& total : totals) {
                now = std::max<std::int64_t>(0,
                                             now + static_cast<std::int64_t>(random() % 201) - 100);
                total = now;
            }
            const std::vector<Peak> peaks = peaksOf(totals, 100);
            const auto largest = std::ranges::max_element(totals);
            QCOMPARE(peaks.front().state.index(),
                     static_cast<std::size_t>(largest - totals.begin()));
            for (const Peak& a : peaks) {
                QCOMPARE(totals[a.state.index()], a.bytes);
                for (const Peak& b : peaks) {
                    if (a.state < b.state) {
                        const auto valley = *std::min_element(totals.begin() + a.state.value,
                                                              totals.begin() + b.state.value);
                        QVERIFY(valley * 10 <= std::min(a.bytes, b.bytes) * 9);
                    }
                }
            }
        }
    }
    void measuresHaveTheirOwnPeaks()
    {
        // Many small blocks ask for little and take much.
        const trace::Snapshot snapshot = test::snapshotFromScript(
            "a +1\nb +1\nc +1\nsegment s +20M\na -\nb -\nc -\nsegment s -\nd +1100\nd -\n");
        NoProgress progress;
        const replay::Replay r = replay::run(snapshot, progress, {}).value();
        const auto sizes = replay::blockSizeBounds(snapshot, r)[0];
        const replay::MeasuredPeaks peaks =
            replay::highestPeaks(r.devices[0], replay::blockTotals(r.devices[0], sizes), 3);
        QCOMPARE(peaks.requested.front(), (Peak{{12}, 1100}));
        QCOMPARE(peaks.blocks_lower.front(), (Peak{{3}, 1536}));
        QCOMPARE(peaks.blocks_upper.front(), std::int64_t{1536});
        QCOMPARE(peaks.reserved.front(), (Peak{{4}, (22 << 20)}));
        QCOMPARE(peaks.requested[1], (Peak{{3}, 3}));
    }
    void peaksOfStretchesAreThoseOfAScan()
    {
        for (unsigned seed = 0; seed < 100; ++seed) {
            const test::WildTrace wild(seed);
            NoProgress progress;
            const replay::Replay r = replay::run(wild.snapshot, progress, {}).value();
            const replay::DeviceReplay& device = r.devices[0];
            const auto sizes = replay::blockSizeBounds(wild.snapshot, r)[0];
            const auto count = static_cast<std::uint32_t>(device.stateCount());
            const std::vector<Interval<StateId>> stretches{{{0}, {count}}, {{count / 2}, {count}}};
            const replay::BlockTotals totals = replay::blockTotals(device, sizes);
            const replay::MeasuredPeaks peaks = replay::peaksIn(device, totals, stretches);
            for (std::size_t i = 0; i < stretches.size(); ++i) {
                std::int64_t requested = INT64_MIN;
                std::int64_t blocks = INT64_MIN;
                for (std::uint32_t s = stretches[i].begin.value; s < count; ++s) {
                    std::int64_t lower = 0;
                    for (const AllocationId a : replay::livingAt(device, {s})) {
                        lower += sizes.lower[a.index()].value;
                    }
                    requested = std::max(requested, device.active[s]);
                    blocks = std::max(blocks, lower);
                }
                QCOMPARE(peaks.requested[i].bytes, requested);
                QCOMPARE(peaks.blocks_lower[i].bytes, blocks);
            }
            QCOMPARE(totals.private_lower.size(),
                     device.hasPrivatePools() ? device.stateCount() : 0);
            for (std::uint32_t s = 0; s < totals.private_upper.size(); ++s) {
                std::int64_t upper = 0;
                for (const AllocationId a : replay::livingAt(device, {s})) {
                    const bool is_inside = !device.allocations.pool.empty()
                        && device.allocations.pool[a.index()].isPrivate();
                    upper += is_inside ? sizes.upper[a.index()].value : 0;
                }
                QCOMPARE(totals.private_upper[s], upper);
            }
            const replay::BlockPeak whole = replay::peakOfBlocks(device, sizes);
            QCOMPARE(peaks.blocks_lower[0].bytes, whole.lower.value);
            QCOMPARE(peaks.blocks_lower[0].state.value, whole.state.value);
        }
    }
};

TIDEMARK_TEST(TstPeaks)

} // namespace tidemark::tst_peaks

#include "tst_peaks.moc"
