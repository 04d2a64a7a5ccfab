// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/block_sizes.h"
#include "core/replay/changes.h"
#include "core/replay/replay.h"
#include "tests/core/replay/wild_trace.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <tuple>

namespace tidemark::tst_replay_changes {

using test::WildTrace;

namespace {

struct Wild {
    explicit Wild(unsigned seed)
        : trace(seed)
    {
        NoProgress progress;
        replay = replay::run(trace.snapshot, progress, {}).value();
    }
    [[nodiscard]] const replay::DeviceReplay& device() const
    {
        return replay.devices[0];
    }
    WildTrace trace;
    replay::Replay replay;
};

constexpr unsigned kSeeds = 400;

} // namespace

class TstReplayChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTotalIsTheSumOfWhatLives()
    {
        for (unsigned seed = 0; seed < kSeeds; ++seed) {
            const Wild wild(seed);
            const replay::DeviceReplay& r = wild.device();
            for (std::size_t s = 0; s < r.stateCount(); ++s) {
                std::int64_t sum = 0;
                for (const AllocationId a :
                     replay::liveAt(r, StateId{static_cast<std::uint32_t>(s)})) {
                    sum += r.allocations.requested[a.index()].value;
                }
                QVERIFY2(r.active[s] == sum, fmt::format("seed {} state {}", seed, s).c_str());
            }
        }
    }
    void allocationsAreOrderedAndKnowTheirEvents()
    {
        for (unsigned seed = 0; seed < kSeeds; ++seed) {
            const Wild wild(seed);
            const replay::DeviceReplay& r = wild.device();
            const replay::Allocations& a = r.allocations;
            std::vector<AllocationId> owner(r.event_allocation.size());
            for (std::size_t i = 0; i < a.count(); ++i) {
                QVERIFY(i == 0
                        || std::tuple(a.begin[i - 1], a.address[i - 1])
                            < std::tuple(a.begin[i], a.address[i]));
                QVERIFY(a.begin[i] <= a.end[i]);
                for (const EventId e :
                     {a.alloc_event[i], a.free_requested_event[i], a.free_event[i]}) {
                    if (!e.isNone()) {
                        QVERIFY(owner[e.index()].isNone());
                        owner[e.index()] = AllocationId(i);
                    }
                }
            }
            QVERIFY(owner == r.event_allocation);
        }
    }
    void changesLeadFromEachStateToTheNext()
    {
        for (unsigned seed = 0; seed < kSeeds; ++seed) {
            const Wild wild(seed);
            const replay::DeviceReplay& r = wild.device();
            std::vector<bool> live(r.allocations.count(), false);
            std::fill_n(live.begin(), replay::countAtStart(r.allocations), true);
            for (std::uint32_t s = 0; s < r.stateCount(); ++s) {
                bool began = false;
                replay::forEachChange(r, {{s}, {s + 1}}, [&](StateId at, AllocationId a, bool b) {
                    QCOMPARE(at.value, s);
                    QVERIFY(b || !began); // Ends come first.
                    began = b;
                    // Where both lie in one state, nothing ever lived.
                    const auto& all = r.allocations;
                    QVERIFY(all.begin[a.index()] == all.end[a.index()] || live[a.index()] != b);
                    live[a.index()] = b && all.end[a.index()] != at;
                });
                for (std::size_t i = 0; i < live.size(); ++i) {
                    QVERIFY2(live[i] == r.allocations.isLive(AllocationId(i), {s}),
                             fmt::format("seed {} state {} allocation {}", seed, s, i).c_str());
                }
            }
        }
    }
    void thePeakOfBlocksIsThatOfAScan()
    {
        for (unsigned seed = 0; seed < kSeeds; ++seed) {
            const Wild wild(seed);
            const replay::DeviceReplay& r = wild.device();
            const auto sizes = replay::blockSizeBounds(wild.trace.snapshot, wild.replay)[0];
            Bytes lower;
            Bytes upper;
            for (std::uint32_t s = 0; s < r.stateCount(); ++s) {
                Bytes low;
                Bytes high;
                for (const AllocationId a : replay::liveAt(r, StateId{s})) {
                    low += sizes.lower[a.index()];
                    high += sizes.upper[a.index()];
                }
                lower = std::max(lower, low);
                upper = std::max(upper, high);
            }
            const replay::BlockPeak peak = replay::peakOfBlocks(r, sizes);
            QCOMPARE(peak.lower.value, lower.value);
            QCOMPARE(peak.upper.value, upper.value);
        }
    }
    void thePrivatePartEndsWithThePrivateSegmentsAndWhatLivesInThem()
    {
        for (unsigned seed = 0; seed < kSeeds; ++seed) {
            const Wild wild(seed);
            const replay::DeviceReplay& r = wild.device();
            if (!r.hasPrivatePools() || r.notes.find("overlapping-segments") != nullptr) {
                continue;
            }
            // Segment events of these traces may be anywhere; the last state is certain.
            std::int64_t cached = 0;
            for (const trace::Segment& s : wild.trace.snapshot.devices[0].segments) {
                cached += s.pool.isPrivate() ? s.total_size.value : 0;
            }
            for (const AllocationId a : replay::liveAt(r, r.lastState())) {
                const bool is_in =
                    !r.allocations.pool.empty() && r.allocations.pool[a.index()].isPrivate();
                cached -= is_in ? r.allocations.requested[a.index()].value : 0;
            }
            QCOMPARE(r.private_reserved.back() - r.private_active.back(), cached);
        }
    }
};

TIDEMARK_TEST(TstReplayChanges)

} // namespace tidemark::tst_replay_changes

#include "tst_replay_changes.moc"
