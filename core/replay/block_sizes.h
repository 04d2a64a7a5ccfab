// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"

#include <vector>

namespace tidemark::replay {

/// What the allocator set aside for each allocation of one device, as bounds; exact where equal.
/// Index = AllocationId. Separate from the replay: a model of the allocator may return a better
/// one.
struct BlockSizes {
    std::vector<Bytes> lower;
    std::vector<Bytes> upper;

    [[nodiscard]] bool isExact(AllocationId a) const
    {
        return lower[a.index()] == upper[a.index()];
    }
};

/// The smallest block the CUDA allocator makes for a request: the next multiple of 512 B.
/// Source: c10/cuda/CUDACachingAllocator.cpp, round_size, without roundup_power2_divisions.
Bytes roundToBlock(Bytes requested);

/// What the allocator asks the driver for when a (rounded) request finds no free block: 2 MiB up to
/// 1 MiB, 20 MiB below 10 MiB, else the next multiple of 2 MiB. Source: get_allocation_size, same
/// file. This is the figure in an out-of-memory message.
Bytes segmentSizeFor(Bytes rounded_request);

/// Bounds from what the file proves: the final blocks' own sizes, the rounding rule, and how much
/// the allocator may leave unsplit (nothing in small pools and expandable segments, up to 1 MiB in
/// large ones, more with max_split_size). Bounds are widened where the file's final blocks
/// contradict the rule (other backends round differently). One entry per device.
std::vector<BlockSizes> blockSizeBounds(const trace::Snapshot& snapshot, const Replay& replay);

/// Largest total of block sizes over all states, as bounds, and whether it is exact.
struct BlockPeak {
    Bytes lower;
    Bytes upper;
    [[nodiscard]] bool isExact() const
    {
        return lower == upper;
    }
};
BlockPeak peakOfBlocks(const DeviceReplay& replay, const BlockSizes& sizes);

} // namespace tidemark::replay
