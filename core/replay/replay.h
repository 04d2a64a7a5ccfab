// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/base/max_pyramid.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/replay/live_index.h"
#include "core/replay/pending_frees.h"
#include "core/replay/segment_spans.h"
#include "core/trace/snapshot.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace tidemark::replay {

/// All allocations of a device as columns; index = AllocationId. Ordered by `begin`; those that
/// lived at the start of the trace come first, by address.
struct Allocations {
    std::vector<Address> address;
    std::vector<Bytes> requested;
    /// The allocation is live in every state of [begin, end). Alive at the dump: end = states + 0,
    /// that is, one past the last state.
    std::vector<StateId> begin;
    std::vector<StateId> end;
    std::vector<EventId> alloc_event; ///< None: made before the trace (or its event was lost).
    std::vector<EventId> free_requested_event; ///< None: not freed, or the event is missing.
    std::vector<EventId> free_event; ///< `free_completed`; none: alive at the dump.
    std::vector<StackId>
        stack; ///< The allocating stack; from the final block if the event is gone.
    std::vector<std::uint64_t> stream;
    /// Optional: empty when all are in the default pool, which also counts where it is not known.
    std::vector<trace::PoolId> pool;

    [[nodiscard]] std::size_t count() const
    {
        return address.size();
    }
    [[nodiscard]] bool isLive(AllocationId a, StateId s) const
    {
        return begin[a.index()] <= s && s < end[a.index()];
    }
    [[nodiscard]] Interval<StateId> lifetime(AllocationId a) const
    {
        return {begin[a.index()], end[a.index()]};
    }
    [[nodiscard]] LiveIndex::Lifetimes lifetimes() const
    {
        return {begin, end};
    }
};

/// Where an allocation begins or ends because of an event of another one: an event was lost, and
/// the next event at its address shows that it must have happened by then.
struct LooseEnd {
    StateId state; ///< The first one with (or without) the allocation.
    AllocationId allocation;
    bool begins = false;
};

/// What the trace of one device means. Totals are per state: entry k holds after k events, entry 0
/// is the start, so there are events + 1 of them. Totals of requested bytes include pending frees.
struct DeviceReplay {
    Allocations allocations;
    std::vector<AllocationId>
        event_allocation; ///< Per event: the allocation it makes or frees, or none.
    /// By state, ends before begins: what `event_allocation` does not show. Empty in a trace
    /// without contradictions.
    std::vector<LooseEnd> loose_ends;
    std::vector<std::int64_t> active; ///< Requested bytes of live allocations, bytes.
    std::vector<std::int64_t> reserved; ///< Sum of segments, bytes.
    /// The part of `active` and `reserved` inside private pools; empty when the file has none.
    std::vector<std::int64_t> private_active;
    std::vector<std::int64_t> private_reserved;
    MaxPyramid active_pyramid; ///< Over `active`.
    LiveIndex live_index; ///< Over the lifetimes of `allocations`.
    SegmentSpans segments; ///< Reserved memory, range by range.
    std::vector<PendingSince> pending_without_request;
    StateId peak; ///< First state with the largest `active`.
    std::vector<EventId> ooms;
    std::int64_t violations = 0; ///< Places where trace and segments contradict each other.
    bool end_matches_segments = true; ///< `active` ends at the file's own sum of requested bytes.
    trace::InputNotes notes;

    [[nodiscard]] std::size_t stateCount() const
    {
        return active.size();
    }
    [[nodiscard]] StateId lastState() const
    {
        return {static_cast<std::uint32_t>(active.size() - 1)};
    }
    [[nodiscard]] Bytes activeAt(StateId s) const
    {
        return {active[s.index()]};
    }
    [[nodiscard]] Bytes reservedAt(StateId s) const
    {
        return {reserved[s.index()]};
    }
    [[nodiscard]] bool hasPrivatePools() const
    {
        return !private_reserved.empty();
    }
    /// Reserved − active inside private pools: free there and useless outside. 0 where the file has
    /// none, or where it contradicts itself.
    [[nodiscard]] Bytes privateCachedAt(StateId s) const
    {
        return hasPrivatePools()
            ? std::max(Bytes{}, Bytes{private_reserved[s.index()] - private_active[s.index()]})
            : Bytes{};
    }
};

/// One entry per device of the snapshot, in its order.
struct Replay {
    std::vector<DeviceReplay> devices;
};

/// Walks every device back from its final segments to the start of the trace, which works at any
/// truncation (the segments are complete whatever the ring buffer lost). O(events) per device.
/// Never fails on contradictory input: it counts and notes it. Errors: cancelled.
Result<Replay> run(const trace::Snapshot& snapshot, ProgressSink& progress, std::stop_token stop);

/// Allocations live in a state, oldest first. O(live + log allocations).
std::vector<AllocationId> livingAt(const DeviceReplay& replay, StateId state);
/// The same, largest requested size first (ties: older first). O(live log live + log allocations).
std::vector<AllocationId> liveAt(const DeviceReplay& replay, StateId state);

} // namespace tidemark::replay
