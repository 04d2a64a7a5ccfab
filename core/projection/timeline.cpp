// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/timeline.h"

#include <algorithm>
#include <cmath>

namespace tidemark::projection {

AxisMap::AxisMap(const trace::Device& device, Axis axis)
    : m_axis(axis == Axis::time && hasTimes(device) ? Axis::time : Axis::event)
    , m_state_count(device.events.count() + 1)
{
    if (m_axis == Axis::event) {
        return;
    }
    const auto& times = device.events.time;
    m_times.reserve(m_state_count);
    m_times.push_back(0);
    std::int64_t latest = 0;
    for (const TimePoint t : times) {
        latest = std::max(latest, (t - times.front()).count());
        m_times.push_back(latest);
    }
}

double AxisMap::toX(StateId state) const
{
    return m_axis == Axis::event ? static_cast<double>(state.value)
                                 : static_cast<double>(m_times[state.index()]);
}

StateId AxisMap::toState(double x) const
{
    const double last = static_cast<double>(m_state_count - 1);
    if (m_axis == Axis::event) {
        return {static_cast<std::uint32_t>(std::clamp(std::floor(x), 0.0, last))};
    }
    const auto it =
        std::upper_bound(m_times.begin(), m_times.end(), x, [](double value, std::int64_t t) {
            return value < static_cast<double>(t);
        });
    const auto index = it == m_times.begin() ? 0 : it - m_times.begin() - 1;
    return {static_cast<std::uint32_t>(index)};
}

Interval<double> AxisMap::extent() const
{
    const double last = toX({static_cast<std::uint32_t>(m_state_count - 1)});
    return {0.0, std::max(1.0, last)};
}

TimelineProjection projectTimeline(const curves::DeviceCurves& curves, const AxisMap& axis,
                                   Interval<double> range, int width_px)
{
    TimelineProjection projection{range, {}};
    if (width_px <= 0 || range.isEmpty() || curves.stateCount() == 0) {
        return projection;
    }
    const replay::DeviceReplay& r = curves.replay();
    const auto extent = axis.extent();
    const double per_px = (range.end - range.begin) / width_px;
    projection.columns.resize(static_cast<std::size_t>(width_px));
    for (int c = 0; c < width_px; ++c) {
        const double left = range.begin + c * per_px;
        const double right = left + per_px;
        TimelineColumn& column = projection.columns[static_cast<std::size_t>(c)];
        if (right < extent.begin || left > extent.end) {
            continue;
        }
        // What holds in the column: the state it begins in, and every one that begins inside it.
        const StateId first = axis.toState(left);
        const StateId last = std::max(first, axis.toState(std::nextafter(right, left)));
        column.state = curves.largest({first, {last.value + 1}});
        column.buckets = curves.at(column.state);
        column.total = r.active[column.state.index()];
        column.private_cached =
            r.private_cached.empty() ? 0 : r.private_cached[column.state.index()];
        column.reserved = *std::max_element(r.reserved.begin() + first.value,
                                            r.reserved.begin() + last.value + 1);
    }
    return projection;
}

TimelineHeights heights(const TimelineProjection& projection)
{
    TimelineHeights h;
    for (const TimelineColumn& c : projection.columns) {
        h.total = std::max(h.total, c.total);
        h.reserved = std::max(h.reserved, c.reserved);
    }
    return h;
}

std::optional<label::Bucket> bandAt(const TimelineColumn& column, std::int64_t bytes,
                                    std::uint32_t visible)
{
    if (bytes < 0) {
        return std::nullopt;
    }
    std::int64_t top = 0;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        if ((visible & (1U << b)) == 0) {
            continue;
        }
        top += column.buckets[b];
        if (bytes < top) {
            return label::bucketAt(b);
        }
    }
    return std::nullopt;
}

} // namespace tidemark::projection
