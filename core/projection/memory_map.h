// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/replay/memory_state.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::projection {

/// A row of the map: the heading of a pool, or a segment of the pool above it.
struct MapRow {
    std::uint32_t pool = 0; ///< Index into MemoryState::pools.
    std::uint32_t segment = kHeading; ///< Index into MemoryState::segments.

    static constexpr std::uint32_t kHeading = ~std::uint32_t{0};
    [[nodiscard]] bool isHeading() const
    {
        return segment == kHeading;
    }
};

/// Which segment lies where: by pool, that with the most bytes first, then the largest first, then
/// by address.
struct MapLayout {
    std::vector<MapRow> rows;
    std::vector<Bytes> widest; ///< Per pool: its largest segment, which the width stands for.
};
/// O(segments log segments).
MapLayout layoutMemoryMap(const replay::MemoryState& memory);

/// What is looked at. All rows are equally high; segments of one pool are drawn to one scale, in
/// which its largest is as wide as the view at zoom 1.
struct MapView {
    int width_px = 0;
    int height_px = 0;
    int row_px = 1;
    std::int64_t scroll_px = 0; ///< Of the rows, downwards.
    double zoom = 1; ///< Of the address axis, 1 or more.
    double offset = 0; ///< Left edge as a share of the widest segment, 0 to 1 − 1 / zoom.
    friend bool operator==(const MapView&, const MapView&) = default;
};
/// With zoom, offset and scroll brought inside their bounds. The largest zoom shows 64 bytes a
/// pixel.
MapView bounded(MapView view, const MapLayout& layout);
/// Zoomed by a factor (above 1: closer) around a pixel that stays where it is. Not yet bounded.
MapView zoomedAround(MapView view, double x_px, double factor);
/// Moved so that what was under the pixel (0, 0) lies at (dx, dy). Not yet bounded.
MapView panned(MapView view, double dx_px, double dy_px);

/// A block or a hole at least a pixel wide, or neighbours of which each is thinner.
struct MapCell {
    double left_px = 0;
    double right_px = 0;
    std::uint32_t row = 0; ///< Index into MapLayout::rows.
    std::uint32_t blocks = 0;
    std::uint32_t holes = 0;
    Bytes block_bytes; ///< With pending ones.
    Bytes pending_bytes;
    Bytes hole_bytes;
    label::Bucket bucket = label::Bucket::unknown; ///< That with most bytes among the blocks.
    AllocationId allocation; ///< The largest of the blocks; none without any.
    AllocationId only; ///< The allocation where there is but one and nothing else.
};

/// A row in view.
struct MapBar {
    std::uint32_t row = 0;
    int top_px = 0;
    double left_px = 0; ///< Of the segment, cut off at the view's edges; empty beyond them.
    double right_px = 0;
};

struct MemoryMapProjection {
    MapView view;
    std::vector<MapBar> bars; ///< From top to bottom.
    std::vector<MapCell> cells; ///< By row, then from left to right.
};

/// Every block and hole of the rows and addresses in view, none left out: what is thinner than a
/// pixel is merged with its neighbours. At most two cells per pixel and row. O(blocks and holes in
/// view + rows in view).
MemoryMapProjection projectMemoryMap(const replay::MemoryState& memory, const MapLayout& layout,
                                     const label::DeviceLabels& labels, const MapView& view);

/// What lies under a pixel, whether or not it has a cell of its own.
struct MapHit {
    std::uint32_t row = 0;
    std::optional<std::uint32_t> block; ///< Index into MemoryState::blocks.
    std::optional<std::uint32_t> hole; ///< Index into MemoryState::holes.
    Address address = 0; ///< Under the pixel; 0 on headings and beside segments.
};
/// Nothing above and below the rows. O(log blocks).
std::optional<MapHit> hitMemoryMap(const replay::MemoryState& memory, const MapLayout& layout,
                                   const MapView& view, double x_px, double y_px);

/// Where a block lies, also outside of the view; pixels as in cells, not cut off.
struct MapPlace {
    std::uint32_t row = 0;
    double left_px = 0;
    double right_px = 0;
};
std::optional<MapPlace> placeInMemoryMap(const replay::MemoryState& memory, const MapLayout& layout,
                                         const MapView& view, AllocationId allocation);

/// Streams numbered by first appearance, since the file's own numbers are pointers: 0 stays 0, the
/// others are 1, 2, … O(ranges).
std::vector<std::uint64_t> streamsByAppearance(const replay::SegmentSpans& segments);
/// Index of a stream in that list; its length where it is not there.
std::size_t streamNumber(const std::vector<std::uint64_t>& streams, std::uint64_t stream);

} // namespace tidemark::projection
