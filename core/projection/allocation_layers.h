// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/curves/curves.h"
#include "core/projection/timeline.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace tidemark::projection {

/// An interval of one pixel column: one allocation at least a pixel high, or several of which all
/// but the uppermost end in the same pixel. It begins where the record below it ends.
struct LayerRecord {
    std::int64_t top_bytes = 0; ///< Visible bytes from the floor.
    std::uint32_t top_px = 0; ///< Pixels from the lower edge.
    std::uint32_t count = 0; ///< Allocations in it.
    AllocationId largest; ///< Of these; the oldest of several.
    label::Bucket bucket = label::Bucket::unknown; ///< That with most bytes in it.
    friend bool operator==(const LayerRecord&, const LayerRecord&) = default;
};

/// One pixel column: the first `shared` records of the column before it, then its own.
struct LayerColumn {
    StateId state;
    std::uint32_t shared = 0;
    std::uint32_t first = 0; ///< Of its own records in `records`.
    std::uint32_t count = 0;
    Interval<std::int64_t> selected; ///< Bytes from the floor; empty where it is not live.
};

/// All allocations that live in the state of each column, stacked in the order they were made,
/// oldest at the bottom, none left out.
struct AllocationLayers {
    int height_px = 0;
    double top_bytes = 0;
    double bottom_bytes = 0;
    int stride = 1; ///< Above 1 a coarse picture: so many columns show the fullest state of theirs.
    std::vector<LayerColumn> columns;
    std::vector<LayerRecord> records;
};

struct LayersRequest {
    int height_px = 0;
    double top_bytes = 0; ///< Bytes at the upper edge; what lies above ends in a last record.
    std::uint32_t visible = 0; ///< Bit i: bucket i; the allocations of others take no height.
    AllocationId selected; ///< Whose place is to be told; may be none.
    int stride = 1;
    double bottom_bytes = 0; ///< At the lower edge; what lies below has no height.
    friend bool operator==(const LayersRequest&, const LayersRequest&) = default;
};

/// `timeline`: a projection of the same device, which says the state of each column. `recycled`:
/// one that is not needed any more, for its memory. O(allocations that live or change per column);
/// columns of the same state cost nothing. Stopped, it returns what it has, with fewer columns.
AllocationLayers projectAllocations(const curves::DeviceCurves& curves,
                                    const TimelineProjection& timeline,
                                    const LayersRequest& request, const std::stop_token& stop = {},
                                    AllocationLayers recycled = {});

/// Smallest stride at which about `budget` live allocations have to be visited. O(live).
int layersStride(const curves::DeviceCurves& curves, const TimelineProjection& timeline,
                 std::int64_t budget);

/// Calls `visit(column, records, shared)` for every column from left to right with all its records,
/// bottom first; the first `shared` are those of the call before.
template <class Visit>
void forEachColumn(const AllocationLayers& layers, const Visit& visit)
{
    std::vector<LayerRecord> stack;
    for (std::size_t c = 0; c < layers.columns.size(); ++c) {
        const LayerColumn& column = layers.columns[c];
        stack.resize(column.shared);
        const auto own = layers.records.begin() + column.first;
        stack.insert(stack.end(), own, own + column.count);
        visit(c, std::span<const LayerRecord>(stack), std::size_t{column.shared});
    }
}

/// An allocation in the stack of a state.
struct LayerHit {
    AllocationId allocation;
    Interval<std::int64_t> bytes; ///< Visible bytes from the floor.
};

/// The allocation at a height in a state, however thin it is; nullopt below the floor and above
/// all. O(live).
std::optional<LayerHit> allocationAt(const curves::DeviceCurves& curves, StateId state,
                                     std::int64_t bytes, std::uint32_t visible);

} // namespace tidemark::projection
