// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"
#include "core/replay/rounding.h"

#include <cstdint>
#include <vector>

namespace tidemark::replay {

/// What the allocator set aside for each allocation of one device, as bounds; exact where equal.
/// Index = AllocationId. Separate from the replay: a model of the allocator may return a better
/// one.
struct BlockSizes {
    std::vector<Bytes> lower;
    std::vector<Bytes> upper;
    /// Blocks of which the file, or the place of another block, says something else than the
    /// allocator's rules. With any of these no size is exact that the file does not give.
    std::int64_t contradictions = 0;

    [[nodiscard]] bool isExact(AllocationId a) const
    {
        return lower[a.index()] == upper[a.index()];
    }
};

/// Bounds from what the file proves: the sizes of the final blocks, and for all others the room
/// there was for them when they were made (block_extents.h). One entry per device. O(states).
std::vector<BlockSizes> blockSizeBounds(const trace::Snapshot& snapshot, const Replay& replay);

/// Totals of block sizes per state, bytes: lower and upper bounds.
struct BlockTotals {
    std::vector<std::int64_t> lower;
    std::vector<std::int64_t> upper;
    /// The part of them inside private pools; empty when the file has none.
    std::vector<std::int64_t> private_lower;
    std::vector<std::int64_t> private_upper;
};
BlockTotals blockTotals(const DeviceReplay& replay, const BlockSizes& sizes);

/// Largest total of block sizes over all states, as bounds, and whether it is exact.
struct BlockPeak {
    Bytes lower;
    Bytes upper;
    StateId state; ///< The first with the largest lower bound.
    [[nodiscard]] bool isExact() const
    {
        return lower == upper;
    }
};
BlockPeak peakOfBlocks(const DeviceReplay& replay, const BlockSizes& sizes);

} // namespace tidemark::replay
