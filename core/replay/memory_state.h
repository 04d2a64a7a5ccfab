// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace tidemark::replay {

/// An allocation where it lies.
struct BlockInState {
    AllocationId allocation;
    Address address = 0;
    /// What it takes of its segment: the lower bound of its block size, with the unsplit rest
    /// behind it, and cut off where the next block or the segment's end leaves less.
    Bytes size;
    bool is_exact = false; ///< `size` is the block's own; else it may be larger.
    bool is_pending = false; ///< Freed, but not yet free: another stream may be using it.
};

/// A free stretch inside a segment, and the allocations that keep it from being larger.
struct Hole {
    Address address = 0;
    Bytes size;
    AllocationId before; ///< None: the segment begins here.
    AllocationId behind; ///< None: the segment ends here.
};

/// A segment; of an expandable one a stretch of mapped pages.
struct SegmentState {
    Address address = 0;
    Bytes size;
    std::uint64_t stream = 0; ///< Raw, as in the file.
    trace::PoolId pool;
    bool is_pool_known = false; ///< Else it counts as the default pool.
    bool is_small_pool = false;
    bool is_expandable = false;
    StackId stack;
    Bytes active; ///< Its blocks, pending ones too. `size` − `active` is free.
    Bytes pending;
    Bytes largest_hole;
    std::uint32_t totals = 0; ///< Its pool: index into MemoryState::pools.
    std::uint32_t first_block = 0; ///< Of MemoryState::blocks.
    std::uint32_t block_count = 0;
    std::uint32_t first_hole = 0; ///< Of MemoryState::holes.
    std::uint32_t hole_count = 0;

    [[nodiscard]] Bytes free() const
    {
        return size - active;
    }
};

/// Sums over the segments of one pool, kind and stream: what can stand in for each other.
struct PoolTotals {
    trace::PoolId pool;
    bool is_pool_known = false;
    bool is_small_pool = false;
    std::uint64_t stream = 0;
    Bytes reserved;
    Bytes active; ///< With pending ones.
    Bytes pending;
    Bytes free; ///< reserved − active.
    Bytes largest_hole;
    std::uint32_t segments = 0;
    std::uint32_t blocks = 0;
    std::uint32_t holes = 0;
};

/// The memory of a device in one state.
struct MemoryState {
    StateId state;
    std::vector<SegmentState> segments; ///< By address.
    std::vector<BlockInState> blocks; ///< By segment, then address.
    std::vector<Hole> holes; ///< By segment, then address.
    std::vector<PoolTotals> pools; ///< By pool (default first), small before large, stream.
    PoolTotals total; ///< Over all of them; its pool, kind and stream mean nothing.
    std::vector<AllocationId> outside; ///< Live, but in no segment: the trace contradicts itself.
    std::uint32_t clipped = 0; ///< Blocks that would overlap the next one or the segment's end.

    [[nodiscard]] std::span<const BlockInState> blocksOf(const SegmentState& s) const
    {
        return std::span(blocks).subspan(s.first_block, s.block_count);
    }
    [[nodiscard]] std::span<const Hole> holesOf(const SegmentState& s) const
    {
        return std::span(holes).subspan(s.first_hole, s.hole_count);
    }
};

/// Segments, live allocations and holes in a state. Block extents use the lower bounds of `sizes`;
/// a gap that the allocator could not have split off (up to 1 MiB behind a block of a large
/// non-expandable segment) belongs to the block, unless that one's size is known exactly. Mapped
/// pages that touch are one segment if stream, pool and kind are the same. O(live · log live).
MemoryState memoryStateAt(const DeviceReplay& replay, const BlockSizes& sizes, StateId state);

/// Largest hole that a request of `rounded` bytes on `stream` could use: same pool kind, same
/// stream, default pool. Zero if none. O(pools).
Bytes largestUsableHole(const MemoryState& memory, Bytes rounded, std::uint64_t stream);

/// The free memory and how scattered it is. Private pools are left out, since what is free there is
/// no use to others; holes count over all streams.
struct Fragmentation {
    Bytes free;
    Bytes largest_hole;

    /// Free bytes that a request as large as the largest hole cannot use, as a share of what is
    /// reserved: what holes cost. 0 without any.
    [[nodiscard]] double shareOf(Bytes reserved) const
    {
        return reserved.value <= 0 ? 0
                                   : static_cast<double>((free - largest_hole).value)
                / static_cast<double>(reserved.value);
    }
};
Fragmentation fragmentationOf(const MemoryState& memory);

/// The same for many states, such as evenly spread ones, in their order. O(states · live log live).
/// Errors: cancelled.
Result<std::vector<Fragmentation>> fragmentationOver(const DeviceReplay& replay,
                                                     const BlockSizes& sizes,
                                                     std::span<const StateId> states,
                                                     ProgressSink& progress, std::stop_token stop);

} // namespace tidemark::replay
