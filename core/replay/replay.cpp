// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/replay.h"

#include "core/base/column.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/replay/changes.h"
#include "core/replay/irregularities.h"
#include "core/replay/lifetimes.h"
#include "core/replay/pool_lookup.h"
#include "core/trace/cut_trace.h"

#include <algorithm>
#include <numeric>

namespace tidemark::replay {
namespace {

using trace::Action;

/// Signed change of reserved bytes by an event.
std::int64_t reservedChange(const trace::Events& events, std::size_t i)
{
    switch (events.action[i]) {
    case Action::segment_alloc:
    case Action::segment_map:
        return events.size[i].value;
    case Action::segment_free:
    case Action::segment_unmap:
        return -events.size[i].value;
    default:
        return 0;
    }
}

/// What one pass over the events tells before any total is known.
struct Overview {
    std::int64_t reserved_change = 0; ///< Over the whole trace, bytes.
    std::int64_t lowest_change = 0; ///< The lowest that the change so far gets, 0 at most.
    std::size_t lowest_state = 0; ///< The first state where it does.
    std::vector<EventId> ooms;
};

Overview overviewOf(const trace::Events& events)
{
    Overview overview;
    for (std::size_t i = 0; i < events.count(); ++i) {
        overview.reserved_change += reservedChange(events, i);
        if (overview.reserved_change < overview.lowest_change) {
            overview.lowest_change = overview.reserved_change;
            overview.lowest_state = i + 1;
        }
        if (events.action[i] == Action::oom) {
            overview.ooms.emplace_back(i);
        }
    }
    return overview;
}

/// Reserved bytes at the start, from those at the end.
std::int64_t reservedAtStart(const trace::Device& device, const Overview& overview,
                             DeviceReplay& replay)
{
    std::int64_t start = -overview.reserved_change;
    for (const trace::Segment& s : device.segments) {
        start += s.total_size.value;
    }
    const std::int64_t least = start + overview.lowest_change;
    if (least < 0) {
        // Counting back from the end went below zero, so segment events are missing or the dump
        // raced.
        ++replay.violations;
        replay.notes.add("reserved-negative",
                         say("Counting segments back from the end gives {} reserved at state {}; "
                             "segment events are missing, so the reserved line is raised by that.",
                             formatExactBytes({least}), overview.lowest_state));
        start -= least;
    }
    return start;
}

/// States in which more is live than reserved.
struct Excess {
    std::int64_t count = 0;
    std::size_t first = 0;
};

/// Fills the totals of every state from the changes between states.
Excess sumTotals(const trace::Events& events, std::int64_t reserved, DeviceReplay& replay)
{
    Excess excess;
    std::int64_t active = 0;
    reserveColumn(replay.reserved, replay.stateCount());
    for (std::size_t s = 0; s < replay.stateCount(); ++s) {
        active += replay.active[s];
        reserved += s == 0 ? 0 : reservedChange(events, s - 1);
        replay.active[s] = active;
        replay.reserved.push_back(reserved);
        if (active > reserved) {
            excess.first = excess.count == 0 ? s : excess.first;
            ++excess.count;
        }
    }
    return excess;
}

/// Totals inside private pools per state; they stay empty when the file has no such pool.
void sumPrivatePools(const trace::Device& device, DeviceReplay& replay)
{
    const PoolLookup pools(device);
    if (!pools.hasPrivatePools()) {
        return;
    }
    const std::size_t n = device.events.count();
    std::vector<std::int64_t>& reserved = replay.private_reserved;
    assignColumn(reserved, n + 1, std::int64_t{0});
    const SegmentSpans& spans = replay.segments;
    for (std::size_t i = 0; i < spans.count(); ++i) {
        if (spans.pool[i].isPrivate()) {
            reserved[spans.begin[i].index()] += spans.size[i].value;
            if (spans.end[i].index() <= n) {
                reserved[spans.end[i].index()] -= spans.size[i].value;
            }
        }
    }
    std::partial_sum(reserved.begin(), reserved.end(), reserved.begin());
    const Allocations& a = replay.allocations;
    std::vector<std::int64_t>& active = replay.private_active;
    assignColumn(active, n + 1, std::int64_t{0});
    if (!a.pool.empty()) {
        forEachChange(replay, [&](StateId s, AllocationId id, bool begins) {
            const std::size_t i = id.index();
            const std::int64_t bytes = a.pool[i].isPrivate() ? a.requested[i].value : 0;
            active[s.index()] += begins ? bytes : -bytes;
        });
    }
    std::partial_sum(active.begin(), active.end(), active.begin());
}

void checkTotals(const trace::Device& device, const Excess& excess, DeviceReplay& replay)
{
    std::int64_t end = 0;
    for (const trace::Block& b : device.blocks) {
        end += b.requested.value;
    }
    replay.end_matches_segments = replay.active.back() == end;
    if (excess.count > 0) {
        replay.violations += 1;
        replay.notes.add("active-above-reserved",
                         say("At {} more is allocated than reserved ({} against {}); device {}'s "
                             "trace and segments do not match, or segment events are missing.",
                             excess.first == 0
                                 ? say("the start")
                                 : formatEventNumber(static_cast<std::int64_t>(excess.first) - 1),
                             Bytes{replay.active[excess.first]},
                             Bytes{replay.reserved[excess.first]}, device.index),
                         excess.count);
    }
}

/// What the trace cannot show, said once per device.
void addCoverageNotes(const trace::Device& device, bool ends_early, DeviceReplay& replay)
{
    const auto before = static_cast<std::int64_t>(countAtStart(replay.allocations));
    if (device.events.count() == 0 && before > 0 && !ends_early) {
        replay.notes.add("no-trace",
                         say("Device {} has a final state but no trace: history was off, or "
                             "switched off before the dump. There is only the last moment.",
                             device.index));
    } else if (before > 0) {
        replay.notes.add("before-recording",
                         say("{} allocations ({}) on device {} are from before the trace: no "
                             "allocation event, often no stack.",
                             before, Bytes{replay.active.front()}, device.index),
                         before);
    }
}

Result<DeviceReplay> runDevice(const trace::Device& device, StringId prefix_tag, bool ends_early,
                               ProgressSink& progress, const std::stop_token& stop)
{
    const Error cancelled{ErrorCode::cancelled, say("Reading was cancelled."), {}};
    DeviceReplay replay;
    if (!buildLifetimes(device, prefix_tag, replay, progress, stop)) {
        return cancelled;
    }
    Overview overview = overviewOf(device.events);
    const std::int64_t reserved = reservedAtStart(device, overview, replay);
    const Excess excess = sumTotals(device.events, reserved, replay);
    if (stop.stop_requested()) {
        return cancelled;
    }
    replay.segments = buildSegmentSpans(device, replay.notes, replay.violations, stop);
    sumPrivatePools(device, replay);
    checkTotals(device, excess, replay);
    addCoverageNotes(device, ends_early, replay);
    noteIrregularities(device, prefix_tag, replay);
    replay.active_pyramid = MaxPyramid(replay.active);
    replay.live_index = LiveIndex(replay.allocations.lifetimes());
    replay.pending_without_request = pendingWithoutRequest(device, replay.allocations);
    replay.peak = StateId{static_cast<std::uint32_t>(
        replay.active_pyramid.argMax(replay.active, {0, replay.active.size()}))};
    replay.ooms = std::move(overview.ooms);
    return replay;
}

} // namespace

Result<Replay> run(const trace::Snapshot& snapshot, ProgressSink& progress, std::stop_token stop)
{
    Replay replay;
    const StringId prefix_tag = snapshot.strings.find(kPrefixTag);
    const bool ends_early = trace::endsEarly(snapshot.notes);
    for (const trace::Device& device : snapshot.devices) {
        Result<DeviceReplay> one = runDevice(device, prefix_tag, ends_early, progress, stop);
        if (!one.has_value()) {
            return one.error();
        }
        replay.devices.push_back(std::move(one).value());
    }
    noteCoverage(snapshot, replay);
    return replay;
}

std::vector<AllocationId> livingAt(const DeviceReplay& replay, StateId state)
{
    std::vector<std::uint32_t> numbers;
    replay.live_index.liveAt(replay.allocations.lifetimes(), state, numbers);
    std::vector<AllocationId> live;
    live.reserve(numbers.size());
    for (const std::uint32_t number : numbers) {
        live.emplace_back(number);
    }
    return live;
}

std::vector<AllocationId> liveAt(const DeviceReplay& replay, StateId state)
{
    const Allocations& a = replay.allocations;
    std::vector<AllocationId> live = livingAt(replay, state);
    std::ranges::stable_sort(live, std::ranges::greater(),
                             [&](AllocationId id) { return a.requested[id.index()]; });
    return live;
}

} // namespace tidemark::replay
