// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/memory_map.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace tidemark::projection {
namespace {

using replay::BlockInState;
using replay::Hole;
using replay::MemoryState;
using replay::SegmentState;

constexpr double kFewestBytesPerPixel = 64;

/// Translates between bytes from the begin of a segment and pixels.
struct Scale {
    double left_bytes = 0;
    double bytes_per_px = 1;

    Scale(Bytes widest, const MapView& view)
        : left_bytes(view.offset * static_cast<double>(widest.value))
        , bytes_per_px(static_cast<double>(widest.value) / (std::max(1, view.width_px) * view.zoom))
    {
    }
    [[nodiscard]] double toX(double bytes) const
    {
        return (bytes - left_bytes) / bytes_per_px;
    }
    [[nodiscard]] double toBytes(double x_px) const
    {
        return left_bytes + x_px * bytes_per_px;
    }
};

double bytesFrom(const SegmentState& s, Address address)
{
    return static_cast<double>(address - s.address);
}

/// Collects blocks and holes of one row from left to right into cells.
class RowOfCells {
public:
    RowOfCells(std::uint32_t row, const label::DeviceLabels& labels, std::vector<MapCell>& out)
        : m_labels(labels)
        , m_out(out)
    {
        m_empty.row = row;
        m_cell = m_empty;
    }

    void add(const BlockInState& block, double left, double right)
    {
        begin(left, right);
        const label::Bucket bucket = m_labels.bucket[block.allocation.index()];
        m_bytes[label::indexOf(bucket)] += block.size.value;
        if (m_cell.allocation.isNone() || block.size > m_largest) {
            m_largest = block.size;
            m_cell.allocation = block.allocation;
        }
        ++m_cell.blocks;
        m_cell.block_bytes += block.size;
        m_cell.pending_bytes += block.is_pending ? block.size : Bytes{};
        finish(right);
    }
    void add(const Hole& hole, double left, double right)
    {
        begin(left, right);
        ++m_cell.holes;
        m_cell.hole_bytes += hole.size;
        finish(right);
    }
    void flush()
    {
        if (m_cell.blocks + m_cell.holes == 0) {
            return;
        }
        const auto most = std::ranges::max_element(m_bytes);
        if (*most > 0) {
            m_cell.bucket = label::bucketAt(static_cast<std::size_t>(most - m_bytes.begin()));
        }
        if (m_cell.blocks == 1 && m_cell.holes == 0) {
            m_cell.only = m_cell.allocation;
        }
        m_out.push_back(m_cell);
        m_cell = m_empty;
        m_bytes = {};
    }

private:
    void begin(double left, double right)
    {
        if (right - left >= 1) {
            flush();
        }
        if (m_cell.blocks + m_cell.holes == 0) {
            m_cell.left_px = left;
        }
    }
    void finish(double right)
    {
        m_cell.right_px = right;
        if (m_cell.right_px - m_cell.left_px >= 1) {
            flush();
        }
    }

    const label::DeviceLabels& m_labels;
    std::vector<MapCell>& m_out;
    MapCell m_empty;
    MapCell m_cell;
    Bytes m_largest;
    label::BucketBytes m_bytes{};
};

/// The first of some pieces in address order that ends behind an address.
template <class Piece>
auto firstBehind(std::span<const Piece> pieces, Address address)
{
    return std::ranges::partition_point(pieces, [&](const Piece& p) {
        return p.address + static_cast<Address>(p.size.value) <= address;
    });
}

void projectSegment(const MemoryState& memory, const SegmentState& s, const Scale& scale,
                    const MapView& view, RowOfCells& cells)
{
    const double left = std::max(0.0, scale.left_bytes);
    if (left >= static_cast<double>(s.size.value)) {
        return;
    }
    const Address from = s.address + static_cast<Address>(left);
    const std::span<const BlockInState> blocks = memory.blocksOf(s);
    const std::span<const Hole> holes = memory.holesOf(s);
    auto block = firstBehind(blocks, from);
    auto hole = firstBehind(holes, from);
    const auto addNext = [&](const auto& piece) {
        const double begin = scale.toX(bytesFrom(s, piece.address));
        if (begin >= view.width_px) {
            return false;
        }
        cells.add(piece, begin, begin + static_cast<double>(piece.size.value) / scale.bytes_per_px);
        return true;
    };
    while (block != blocks.end() || hole != holes.end()) {
        const bool takes_block =
            hole == holes.end() || (block != blocks.end() && block->address < hole->address);
        if (!(takes_block ? addNext(*block++) : addNext(*hole++))) {
            break;
        }
    }
    cells.flush();
}

} // namespace

MapLayout layoutMemoryMap(const MemoryState& memory)
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order; // pool, segment
    order.reserve(memory.segments.size());
    for (std::uint32_t i = 0; i < memory.segments.size(); ++i) {
        order.emplace_back(memory.segments[i].totals, i);
    }
    std::ranges::sort(order, {}, [&](const auto& entry) {
        const auto [pool, segment] = entry;
        return std::tuple(-memory.pools[pool].reserved.value, pool,
                          -memory.segments[segment].size.value, segment);
    });
    MapLayout layout;
    layout.rows.reserve(order.size() + memory.pools.size());
    layout.widest.resize(memory.pools.size());
    for (const auto& [pool, segment] : order) {
        if (layout.rows.empty() || layout.rows.back().pool != pool) {
            layout.rows.push_back({pool, MapRow::kHeading});
            layout.widest[pool] = memory.segments[segment].size;
        }
        layout.rows.push_back({pool, segment});
    }
    return layout;
}

MapView bounded(MapView view, const MapLayout& layout)
{
    Bytes widest;
    for (const Bytes of_pool : layout.widest) {
        widest = std::max(widest, of_pool);
    }
    const double closest =
        static_cast<double>(widest.value) / (kFewestBytesPerPixel * std::max(1, view.width_px));
    view.zoom = std::clamp(view.zoom, 1.0, std::max(1.0, closest));
    view.offset = std::clamp(view.offset, 0.0, 1.0 - 1.0 / view.zoom);
    view.row_px = std::max(1, view.row_px);
    const std::int64_t rows_px =
        static_cast<std::int64_t>(layout.rows.size()) * std::int64_t{view.row_px};
    view.scroll_px = std::clamp<std::int64_t>(view.scroll_px, 0,
                                              std::max<std::int64_t>(0, rows_px - view.height_px));
    return view;
}

MapView zoomedAround(MapView view, double x_px, double factor)
{
    const double share = x_px / std::max(1, view.width_px);
    const double at = view.offset + share / view.zoom;
    view.zoom *= factor;
    view.offset = at - share / view.zoom;
    return view;
}

MapView panned(MapView view, double dx_px, double dy_px)
{
    view.offset -= dx_px / (std::max(1, view.width_px) * view.zoom);
    view.scroll_px -= std::llround(dy_px);
    return view;
}

MemoryMapProjection projectMemoryMap(const MemoryState& memory, const MapLayout& layout,
                                     const label::DeviceLabels& labels, const MapView& view)
{
    MemoryMapProjection projection;
    projection.view = view;
    const std::int64_t first = view.scroll_px / view.row_px;
    for (auto row = static_cast<std::size_t>(first); row < layout.rows.size(); ++row) {
        const std::int64_t top = static_cast<std::int64_t>(row) * view.row_px - view.scroll_px;
        if (top >= view.height_px) {
            break;
        }
        const MapRow& of = layout.rows[row];
        MapBar bar{static_cast<std::uint32_t>(row), static_cast<int>(top), 0, 0};
        if (!of.isHeading()) {
            const SegmentState& s = memory.segments[of.segment];
            const Scale scale(layout.widest[of.pool], view);
            bar.left_px = std::max(0.0, scale.toX(0));
            bar.right_px =
                std::min<double>(view.width_px, scale.toX(static_cast<double>(s.size.value)));
            RowOfCells cells(bar.row, labels, projection.cells);
            projectSegment(memory, s, scale, view, cells);
        }
        projection.bars.push_back(bar);
    }
    return projection;
}

std::optional<MapHit> hitMemoryMap(const MemoryState& memory, const MapLayout& layout,
                                   const MapView& view, double x_px, double y_px)
{
    const double y = y_px + static_cast<double>(view.scroll_px);
    const double row = std::floor(y / view.row_px);
    if (y_px < 0 || y_px >= view.height_px || row >= static_cast<double>(layout.rows.size())) {
        return std::nullopt;
    }
    MapHit hit;
    hit.row = static_cast<std::uint32_t>(row);
    const MapRow& of = layout.rows[hit.row];
    if (of.isHeading() || x_px < 0 || x_px >= view.width_px) {
        return hit;
    }
    const SegmentState& s = memory.segments[of.segment];
    const double bytes = Scale(layout.widest[of.pool], view).toBytes(x_px);
    if (bytes >= static_cast<double>(s.size.value)) {
        return hit;
    }
    hit.address = s.address + static_cast<Address>(std::max(0.0, bytes));
    const auto blocks = memory.blocksOf(s);
    const auto block = firstBehind(blocks, hit.address);
    const auto holes = memory.holesOf(s);
    const auto hole = firstBehind(holes, hit.address);
    if (block != blocks.end() && block->address <= hit.address) {
        hit.block = s.first_block + static_cast<std::uint32_t>(block - blocks.begin());
    } else if (hole != holes.end() && hole->address <= hit.address) {
        hit.hole = s.first_hole + static_cast<std::uint32_t>(hole - holes.begin());
    }
    return hit;
}

std::optional<MapPlace> placeInMemoryMap(const MemoryState& memory, const MapLayout& layout,
                                         const MapView& view, AllocationId allocation)
{
    const auto block = std::ranges::find(memory.blocks, allocation, &BlockInState::allocation);
    if (block == memory.blocks.end()) {
        return std::nullopt;
    }
    const auto number = static_cast<std::uint32_t>(block - memory.blocks.begin());
    for (std::uint32_t row = 0; row < layout.rows.size(); ++row) {
        const MapRow& of = layout.rows[row];
        if (of.isHeading()) {
            continue;
        }
        const SegmentState& s = memory.segments[of.segment];
        if (number >= s.first_block && number < s.first_block + s.block_count) {
            const Scale scale(layout.widest[of.pool], view);
            const double begin = bytesFrom(s, block->address);
            return MapPlace{row, scale.toX(begin),
                            scale.toX(begin + static_cast<double>(block->size.value))};
        }
    }
    return std::nullopt;
}

std::vector<std::uint64_t> streamsByAppearance(const replay::SegmentSpans& segments)
{
    std::vector<std::uint64_t> streams{0};
    std::unordered_set<std::uint64_t> known{0};
    for (const std::uint64_t stream : segments.stream) {
        if (known.insert(stream).second) {
            streams.push_back(stream);
        }
    }
    return streams;
}

std::size_t streamNumber(const std::vector<std::uint64_t>& streams, std::uint64_t stream)
{
    return static_cast<std::size_t>(std::ranges::find(streams, stream) - streams.begin());
}

} // namespace tidemark::projection
