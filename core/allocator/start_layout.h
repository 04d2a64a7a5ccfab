// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/caching_allocator.h"
#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"

#include <map>
#include <vector>

namespace tidemark::allocator {

/// The addresses that expandable segments reserve: for each kind of block from its lowest mapped
/// address of the whole trace. The file does not say where a range ends; they reach to the next
/// one.
using ReservedRanges = std::map<Home, Interval<Address>>;
ReservedRanges reservedRanges(const replay::SegmentSpans& spans);

/// A segment at the start of the trace, and which allocation lies in each of its blocks.
struct StartSegment {
    SegmentView view;
    std::vector<AllocationId> allocations; ///< As long as `view.blocks`; none for free ones.
};

/// The layout at the start of the trace, from the walk back and the lower bounds of the sizes.
/// O(live log live).
std::vector<StartSegment> startLayout(const replay::DeviceReplay& replay,
                                      const replay::BlockSizes& sizes,
                                      const ReservedRanges& ranges);

} // namespace tidemark::allocator
