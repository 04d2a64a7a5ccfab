// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/allocation_layers.h"

#include "core/projection/living.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace tidemark::projection {
namespace {

constexpr std::size_t kColumnsPerLook = 16; ///< Between two looks at the stop token.

/// Merges the allocations of one column into records of whole pixels, from the floor upwards.
class RecordMaker {
public:
    RecordMaker(const curves::DeviceCurves& curves, const LayersRequest& request,
                std::vector<LayerRecord>& records)
        : m_requested(curves.replay().allocations.requested.data())
        , m_bucket(curves.buckets().data())
        , m_visible(request.visible)
        , m_height(static_cast<std::uint32_t>(std::max(0, request.height_px)))
        , m_bottom(request.bottom_bytes)
        , m_pixels_per_byte(
              request.top_bytes > m_bottom ? request.height_px / (request.top_bytes - m_bottom) : 0)
        , m_records(records)
    {
    }

    /// Makes the records of a list of which the first `kept` entries are those of the list before.
    LayerColumn make(std::span<const Living> live, std::size_t kept)
    {
        LayerColumn column;
        // A last record that only ends because the list does is open to what follows now.
        const auto closed = m_ends.end() - (m_is_last_open ? 1 : 0);
        const auto reused = std::upper_bound(m_ends.begin(), closed, kept) - m_ends.begin();
        column.shared = static_cast<std::uint32_t>(reused);
        m_ends.resize(column.shared);
        m_tops.resize(column.shared);
        column.first = static_cast<std::uint32_t>(m_records.size());
        add(live);
        column.count = static_cast<std::uint32_t>(m_records.size()) - column.first;
        return column;
    }

    /// Bytes under the entry `index` of the list that the records were last made from.
    [[nodiscard]] std::int64_t levelUnder(std::span<const Living> live, std::size_t index) const
    {
        const auto above = std::ranges::upper_bound(m_ends, index);
        const auto record = static_cast<std::size_t>(above - m_ends.begin());
        std::int64_t level = record == 0 ? 0 : m_tops[record - 1].bytes;
        for (std::size_t i = record == 0 ? 0 : m_ends[record - 1]; i < index; ++i) {
            level += bytesOf(live[i]);
        }
        return level;
    }
    [[nodiscard]] std::int64_t bytesOf(Living living) const
    {
        const std::uint32_t id = living.allocation();
        return isVisible(m_bucket[id]) ? m_requested[id].value : 0;
    }

private:
    struct Top {
        std::int64_t bytes = 0;
        std::uint32_t px = 0;
    };

    [[nodiscard]] bool isVisible(label::Bucket bucket) const
    {
        return label::isIn(m_visible, bucket);
    }
    [[nodiscard]] std::uint32_t pixelsOf(std::int64_t level) const
    {
        const double px =
            std::floor((static_cast<double>(level) - m_bottom) * m_pixels_per_byte + 0.5);
        return px <= 0 ? 0 : px < m_height ? static_cast<std::uint32_t>(px) : m_height;
    }
    /// Bytes below which no level reaches the pixel above `px`; a few too small, never too large.
    [[nodiscard]] std::int64_t nextEdge(std::uint32_t px) const
    {
        if (px >= m_height || m_pixels_per_byte <= 0) {
            return std::numeric_limits<std::int64_t>::max();
        }
        return static_cast<std::int64_t>((m_bottom + (px + 0.5) / m_pixels_per_byte) * (1 - 1e-12))
            - 1;
    }

    void add(std::span<const Living> live)
    {
        std::size_t i = m_ends.empty() ? 0 : m_ends.back();
        Top top = m_tops.empty() ? Top{} : m_tops.back();
        std::int64_t level = top.bytes;
        std::int64_t edge = nextEdge(top.px);
        LayerRecord record;
        std::int64_t largest = -1;
        std::uint32_t buckets = 0;
        std::array<std::int64_t, label::kBucketCount> bytes; // of those in `buckets`
        for (; i < live.size(); ++i) {
            const std::uint32_t id = live[i].allocation();
            const label::Bucket bucket = m_bucket[id];
            if (!isVisible(bucket)) {
                continue;
            }
            const std::int64_t size = m_requested[id].value;
            const std::size_t b = label::indexOf(bucket);
            bytes[b] = (buckets >> b & 1U) != 0 ? bytes[b] + size : size;
            buckets |= 1U << b;
            ++record.count;
            if (size > largest) {
                largest = size;
                record.largest = AllocationId(id);
                record.bucket = bucket;
            }
            level += size;
            if (level < edge) {
                continue;
            }
            const std::uint32_t px = pixelsOf(level);
            if (px == top.px) {
                continue;
            }
            top = {level, px};
            close(record, buckets, bytes, top, i + 1);
            record = {};
            largest = -1;
            buckets = 0;
            edge = nextEdge(px);
        }
        m_is_last_open = record.count > 0;
        if (m_is_last_open) {
            close(record, buckets, bytes, {level, top.px}, live.size());
        }
    }

    void close(LayerRecord record, std::uint32_t buckets,
               const std::array<std::int64_t, label::kBucketCount>& bytes, Top top, std::size_t end)
    {
        if (!std::has_single_bit(buckets)) {
            std::int64_t most = -1;
            for (; buckets != 0; buckets &= buckets - 1) {
                const auto b = static_cast<std::size_t>(std::countr_zero(buckets));
                if (bytes[b] > most) {
                    most = bytes[b];
                    record.bucket = label::bucketAt(b);
                }
            }
        }
        record.top_bytes = top.bytes;
        record.top_px = top.px;
        m_records.push_back(record);
        m_ends.push_back(static_cast<std::uint32_t>(end));
        m_tops.push_back(top);
    }

    const Bytes* m_requested;
    const label::Bucket* m_bucket;
    std::uint32_t m_visible;
    std::uint32_t m_height;
    double m_bottom;
    double m_pixels_per_byte;
    std::vector<LayerRecord>& m_records;
    // Of the records of the column at hand, those shared with the columns before it, too.
    std::vector<std::uint32_t> m_ends; ///< One past the last entry of the list.
    std::vector<Top> m_tops;
    bool m_is_last_open = false; ///< The last one ends in the pixel it begins in.
};

/// Where the selected allocation lies in a column.
Interval<std::int64_t> placeOf(AllocationId selected, std::span<const Living> live,
                               const RecordMaker& maker)
{
    if (selected.isNone()) {
        return {};
    }
    const auto at = std::ranges::lower_bound(live, selected.value, {}, &Living::allocation);
    if (at == live.end() || at->allocation() != selected.value) {
        return {};
    }
    const std::int64_t under = maker.levelUnder(live, static_cast<std::size_t>(at - live.begin()));
    return {under, under + maker.bytesOf(*at)};
}

/// The column of [first, last) with the largest total.
const TimelineColumn& fullest(const TimelineProjection& timeline, std::size_t first,
                              std::size_t last)
{
    const auto begin = timeline.columns.begin();
    return *std::max_element(
        begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
        [](const TimelineColumn& a, const TimelineColumn& b) { return a.total < b.total; });
}

} // namespace

AllocationLayers projectAllocations(const curves::DeviceCurves& curves,
                                    const TimelineProjection& timeline,
                                    const LayersRequest& request, const std::stop_token& stop,
                                    AllocationLayers recycled)
{
    AllocationLayers layers = std::move(recycled);
    layers.height_px = request.height_px;
    layers.top_bytes = request.top_bytes;
    layers.bottom_bytes = request.bottom_bytes;
    layers.stride = std::max(1, request.stride);
    layers.columns.clear();
    layers.records.clear();
    LivingWalk walk(curves.replay());
    RecordMaker maker(curves, request, layers.records);
    const std::size_t count = timeline.columns.size();
    const auto stride = static_cast<std::size_t>(layers.stride);
    layers.columns.reserve(count);
    for (std::size_t c = 0; c < count; c += stride) {
        if (c % kColumnsPerLook < stride && stop.stop_requested()) {
            break;
        }
        const std::size_t end = std::min(c + stride, count);
        const TimelineColumn& shown = fullest(timeline, c, end);
        const std::size_t kept = shown.in_trace ? walk.goTo(shown.state) : walk.leave();
        LayerColumn column = maker.make(walk.live(), kept);
        column.state = shown.state;
        column.selected = placeOf(request.selected, walk.live(), maker);
        layers.columns.push_back(column);
        column.shared += column.count;
        column.count = 0;
        layers.columns.resize(end, column);
    }
    return layers;
}

int layersStride(const curves::DeviceCurves& curves, const TimelineProjection& timeline,
                 std::int64_t budget)
{
    constexpr std::size_t kSamples = 9;
    const replay::DeviceReplay& r = curves.replay();
    std::vector<std::uint32_t> live;
    std::int64_t sum = 0;
    std::int64_t samples = 0;
    const std::size_t count = timeline.columns.size();
    for (std::size_t i = 0; i < kSamples && count > 0; ++i) {
        const TimelineColumn& column = timeline.columns[i * (count - 1) / (kSamples - 1)];
        if (column.in_trace) {
            r.live_index.liveAt(r.allocations.lifetimes(), column.state, live);
            sum += static_cast<std::int64_t>(live.size());
        }
        ++samples;
    }
    if (samples == 0 || budget <= 0) {
        return 1;
    }
    const std::int64_t visits = sum * static_cast<std::int64_t>(count) / samples;
    return static_cast<int>(std::clamp<std::int64_t>((visits + budget - 1) / budget, 1,
                                                     static_cast<std::int64_t>(count)));
}

std::optional<LayerHit> allocationAt(const curves::DeviceCurves& curves, StateId state,
                                     std::int64_t bytes, std::uint32_t visible)
{
    if (bytes < 0) {
        return std::nullopt;
    }
    const replay::DeviceReplay& r = curves.replay();
    std::vector<std::uint32_t> live;
    r.live_index.liveAt(r.allocations.lifetimes(), state, live);
    std::int64_t level = 0;
    for (const std::uint32_t id : live) {
        if (!label::isIn(visible, curves.buckets()[id])) {
            continue;
        }
        const std::int64_t top = level + r.allocations.requested[id].value;
        if (bytes < top) {
            return LayerHit{AllocationId(id), {level, top}};
        }
        level = top;
    }
    return std::nullopt;
}

} // namespace tidemark::projection
