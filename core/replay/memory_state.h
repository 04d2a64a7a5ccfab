// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"

#include <vector>

namespace tidemark::replay {

/// A free stretch inside a segment.
struct Hole {
    Address address = 0;
    Bytes size;
};

/// A segment in some state of the trace, with its holes in address order.
struct SegmentState {
    Address address = 0;
    Bytes size;
    std::uint64_t stream = 0;
    bool is_small_pool = false;
    bool is_expandable = false;
    trace::PoolId pool;
    std::vector<AllocationId> allocations; ///< Live ones inside, by address.
    std::vector<Hole> holes;
};

struct MemoryState {
    StateId state;
    std::vector<SegmentState> segments; ///< By address.
};

/// Segments, live allocations and holes in a state, from the final segments by undoing the events
/// after it. Block extents use the lower bounds of `sizes`; a gap the allocator could not have
/// split off (up to 1 MiB in a large non-expandable segment) belongs to the block before it.
/// O(events + segments log n).
MemoryState memoryStateAt(const trace::Device& device, const DeviceReplay& replay,
                          const BlockSizes& sizes, StateId state);

/// Largest hole that a request of `rounded` bytes on `stream` could use: same pool kind, same
/// stream, default pool. Zero if none.
Bytes largestUsableHole(const MemoryState& memory, Bytes rounded, std::uint64_t stream);

} // namespace tidemark::replay
