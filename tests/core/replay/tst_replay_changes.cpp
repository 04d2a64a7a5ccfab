// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/block_sizes.h"
#include "core/replay/changes.h"
#include "core/replay/replay.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <random>
#include <tuple>

using namespace tidemark;
using trace::Action;

namespace {

/// A trace in which nothing need fit: addresses are freed twice, handed out while in use, freed
/// with other sizes, and missing from the final blocks, or there twice.
class WildTrace {
public:
    explicit WildTrace(unsigned seed)
        : m_random(seed)
    {
        trace::Device device;
        const std::size_t events = m_random() % 120;
        while (device.events.count() < events) {
            addEvent(device.events);
        }
        Address at = 0;
        for (std::size_t i = m_random() % 4; i > 0; --i) {
            at = addSegment(device, at) + 64 * (m_random() % 2);
        }
        snapshot.devices.push_back(std::move(device));
    }
    trace::Snapshot snapshot;

private:
    std::int64_t size()
    {
        return static_cast<std::int64_t>(100 * (1 + m_random() % 9));
    }
    void addEvent(trace::Events& events)
    {
        static constexpr std::array kActions{Action::alloc,          Action::alloc,
                                             Action::alloc,          Action::free_requested,
                                             Action::free_completed, Action::free_completed,
                                             Action::segment_alloc,  Action::oom};
        events.action.push_back(kActions[m_random() % kActions.size()]);
        events.address.push_back(64 * (m_random() % 8));
        events.size.push_back({size()});
        events.stream.push_back(0);
        events.stack.push_back(StackId::none());
        if (events.action.back() == Action::free_requested && m_random() % 4 != 0) {
            events.action.push_back(Action::free_completed);
            events.address.push_back(events.address.back());
            events.size.push_back(events.size.back());
            events.stream.push_back(0);
            events.stack.push_back(StackId::none());
        }
    }
    Address addSegment(trace::Device& device, Address at)
    {
        trace::Segment s;
        s.address = at;
        s.pool.user = m_random() % 2;
        s.first_block = static_cast<std::uint32_t>(device.blocks.size());
        s.block_count = static_cast<std::uint32_t>(m_random() % 4);
        for (std::uint32_t i = 0; i < s.block_count; ++i) {
            const auto state = static_cast<trace::BlockState>(m_random() % 3);
            const bool active = state != trace::BlockState::inactive;
            device.blocks.push_back({at, {512}, {active ? size() : 0}, state, StackId::none()});
            at += 64 * static_cast<Address>(m_random() % 5 != 0);
            s.total_size += Bytes{512};
        }
        device.segments.push_back(s);
        return at;
    }
    std::mt19937 m_random;
};

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
    void cachedBytesOfPrivatePoolsAreReservedMinusLive()
    {
        for (unsigned seed = 0; seed < kSeeds; ++seed) {
            const Wild wild(seed);
            const replay::DeviceReplay& r = wild.device();
            if (r.private_cached.empty()) {
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
            QCOMPARE(r.private_cached.back(), std::max<std::int64_t>(0, cached));
        }
    }
};

TIDEMARK_TEST(TstReplayChanges)
#include "tst_replay_changes.moc"
