// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/block_sizes.h"
#include "core/replay/rounding.h"

#include <limits>

namespace tidemark::replay {

/// What decides where the allocator cuts a block off its free block.
struct SplitRules {
    Rounding rounding;
    /// Blocks at least this large are never split (`max_split_size`), bytes.
    std::int64_t max_split = std::numeric_limits<std::int64_t>::max();
    /// `expandable_segments` is on: every remainder of 512 B and more is split off.
    bool splits_all = false;
};

/// Sizes of the blocks as the allocator's own rules give them, from nothing but the trace.
///
/// A block takes the front of a free block, which reaches to the next live block or the end of the
/// segment. Of large ones (above 1 MiB) a remainder of up to 1 MiB stays with the block, a larger
/// one is split off; small pools and expandable segments split off everything. So the gap behind an
/// address, at the moment it is handed out, gives the exact size. And since the block before a free
/// block is live, the next allocation behind a block shows where that one ends: this makes blocks
/// exact that were there before the trace. What stays open are blocks at the start with a gap of
/// more than 1 MiB behind them that nobody uses, user pools (they may never split), and addresses
/// in no known segment.
/// Source: get_free_block, should_split, alloc_found_block, same file as in rounding.h; checked
/// against the final blocks of real files.
///
/// Takes the segments from the replay. Fills the bounds and counts `contradictions`. O(states +
/// large allocations · log segments).
BlockSizes extentsFromTrace(const DeviceReplay& replay, const SplitRules& rules);

} // namespace tidemark::replay
