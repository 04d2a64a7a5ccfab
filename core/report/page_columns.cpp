// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/page_columns.h"

#include <algorithm>
#include <cmath>

namespace tidemark::report {
namespace {

using projection::TimelineColumn;

/// Around each of `near`, inside `all`, in order and apart from each other.
std::vector<Interval<std::int64_t>> exactParts(std::span<const double> near,
                                               Interval<std::int64_t> all, std::int64_t around)
{
    std::vector<Interval<std::int64_t>> parts;
    for (const double x : near) {
        const auto at = static_cast<std::int64_t>(std::floor(x));
        parts.push_back({std::clamp(at - around, all.begin, all.end),
                         std::clamp(at + around, all.begin, all.end)});
    }
    std::ranges::sort(parts, {}, &Interval<std::int64_t>::begin);
    std::vector<Interval<std::int64_t>> apart;
    for (const Interval<std::int64_t>& part : parts) {
        if (!apart.empty() && part.begin <= apart.back().end) {
            apart.back().end = std::max(apart.back().end, part.end);
        } else if (part.begin < part.end) {
            apart.push_back(part);
        }
    }
    return apart;
}

} // namespace

void ColumnPacker::put(std::uint64_t value)
{
    static constexpr std::uint64_t kMore = 0x80;
    for (; value >= kMore; value >>= 7U) {
        m_bytes += static_cast<char>(value | kMore);
    }
    m_bytes += static_cast<char>(value);
}

void ColumnPacker::putSigned(std::int64_t value)
{
    const auto bits = static_cast<std::uint64_t>(value);
    put(bits << 1U ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ColumnPacker::add(std::int64_t position, const TimelineColumn& column)
{
    constexpr std::size_t kValues = label::kBucketCount + 2;
    std::array<std::int64_t, kValues> changes{};
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < kValues; ++i) {
        changes[i] = i < label::kBucketCount ? column.buckets[i] - m_last.buckets[i]
            : i == label::kBucketCount       ? column.reserved - m_last.reserved
                                             : column.private_cached - m_last.private_cached;
        changed |= changes[i] == 0 ? 0 : std::uint64_t{1} << i;
    }
    changed |= column.in_trace == m_last.in_trace ? 0 : std::uint64_t{1} << kValues;
    put(static_cast<std::uint64_t>(position - m_position));
    putSigned(std::int64_t{column.state.value} - std::int64_t{m_last.state.value});
    put(changed);
    for (const std::int64_t change : changes) {
        if (change != 0) {
            putSigned(change);
        }
    }
    m_position = position;
    m_last = column;
    ++m_count;
}

std::string packedRises(std::span<const std::int64_t> values)
{
    ColumnPacker packer;
    std::int64_t last = 0;
    for (const std::int64_t value : values) {
        packer.put(static_cast<std::uint64_t>(value - last));
        last = value;
    }
    return packer.packed();
}

PageColumns pageColumns(const curves::DeviceCurves& curves, const projection::AxisMap& axis,
                        Interval<double> extent, std::span<const double> near,
                        const ColumnLimits& limits)
{
    const Interval<std::int64_t> all{std::llround(extent.begin), std::llround(extent.end)};
    const std::int64_t length = all.end - all.begin;
    PageColumns columns;
    if (length > limits.most_exact) {
        columns.stride = (length + limits.coarse - 1) / limits.coarse;
        columns.exact = exactParts(near, all, limits.exact_around);
    }
    ColumnPacker packer;
    const auto add = [&](Interval<std::int64_t> part, std::int64_t stride) {
        const std::int64_t count = (part.end - part.begin) / stride;
        const Interval<double> range{static_cast<double>(part.begin),
                                     static_cast<double>(part.begin + count * stride)};
        std::int64_t position = part.begin;
        for (const TimelineColumn& column :
             projectTimeline(curves, axis, range, static_cast<int>(count)).columns) {
            packer.add(position, column);
            columns.positions.push_back(position);
            position += stride;
        }
        return part.begin + count * stride;
    };
    const auto addCoarse = [&](Interval<std::int64_t> part) {
        const std::int64_t rest = add(part, columns.stride);
        if (rest < part.end) {
            add({rest, part.end}, part.end - rest);
        }
    };
    std::int64_t done = all.begin;
    for (const Interval<std::int64_t>& part : columns.exact) {
        addCoarse({done, part.begin});
        add(part, 1);
        done = part.end;
    }
    addCoarse({done, all.end});
    columns.bytes = packer.packed();
    columns.count = packer.count();
    return columns;
}

} // namespace tidemark::report
