// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/delta.h"

#include <algorithm>
#include <cstddef>

namespace tidemark::projection {

std::int64_t DeltaColumn::net(std::uint32_t visible) const
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        sum += label::isIn(visible, label::bucketAt(i)) ? buckets[i] : 0;
    }
    return sum;
}

std::int64_t DeltaColumn::reach(std::size_t band, bool is_above, std::uint32_t visible) const
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i <= band; ++i) {
        const bool counts =
            label::isIn(visible, label::bucketAt(i)) && (buckets[i] > 0) == is_above;
        sum += counts ? buckets[i] : 0;
    }
    return sum;
}

std::vector<DeltaColumn> deltaColumns(const TimelineProjection& a, const TimelineProjection& b)
{
    std::vector<DeltaColumn> columns(std::min(a.columns.size(), b.columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const TimelineColumn& of_a = a.columns[c];
        const TimelineColumn& of_b = b.columns[c];
        columns[c].in_both = of_a.in_trace && of_b.in_trace;
        for (std::size_t i = 0; columns[c].in_both && i < label::kBucketCount; ++i) {
            columns[c].buckets[i] = of_b.buckets[i] - of_a.buckets[i];
        }
    }
    return columns;
}

DeltaHeights heights(const std::vector<DeltaColumn>& columns, std::uint32_t visible)
{
    DeltaHeights most;
    for (const DeltaColumn& column : columns) {
        DeltaHeights of_column;
        for (std::size_t i = 0; i < label::kBucketCount; ++i) {
            if (label::isIn(visible, label::bucketAt(i))) {
                of_column.above += std::max<std::int64_t>(0, column.buckets[i]);
                of_column.below += std::max<std::int64_t>(0, -column.buckets[i]);
            }
        }
        most.above = std::max(most.above, of_column.above);
        most.below = std::max(most.below, of_column.below);
    }
    return most;
}

DeltaSides sidesFor(const DeltaHeights& heights)
{
    constexpr double kRoom = 1.08; // Above and below the bands.
    constexpr double kLeastSide = 0.12; // Of both sides together.
    const double above = static_cast<double>(heights.above) * kRoom;
    const double below = static_cast<double>(heights.below) * kRoom;
    const double least = std::max(1.0, (above + below) * kLeastSide);
    return {std::max(above, least), std::max(below, least)};
}

std::optional<label::Bucket> bandAt(const DeltaColumn& column, std::int64_t bytes,
                                    std::uint32_t visible)
{
    std::int64_t end = 0;
    const bool is_above = bytes >= 0;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const std::int64_t delta = is_above ? column.buckets[i] : -column.buckets[i];
        if (!label::isIn(visible, label::bucketAt(i)) || delta <= 0) {
            continue;
        }
        end += delta;
        if ((is_above ? bytes : -bytes) < end) {
            return label::bucketAt(i);
        }
    }
    return std::nullopt;
}

} // namespace tidemark::projection
