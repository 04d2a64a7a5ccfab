// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/timeline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tidemark::projection {
namespace {

/// Where a state lies between two knots.
double between(const AxisKnot& left, const AxisKnot& right, StateId state)
{
    const auto states = static_cast<double>(right.state.value - left.state.value);
    return left.x + (right.x - left.x) * (state.value - left.state.value) / states;
}

double toX(const AxisKnots& knots, StateId state)
{
    const auto right = std::ranges::lower_bound(knots, state, {}, &AxisKnot::state);
    if (right == knots.end()) {
        return knots.back().x;
    }
    return right == knots.begin() || right->state == state
        ? right->x
        : between(*std::prev(right), *right, state);
}

StateId toState(const AxisKnots& knots, double x)
{
    const auto right = std::ranges::upper_bound(knots, x, {}, &AxisKnot::x);
    if (right == knots.begin() || right == knots.end()) {
        return right == knots.begin() ? right->state : std::prev(right)->state;
    }
    const AxisKnot& left = *std::prev(right);
    const auto states = static_cast<double>(right->state.value - left.state.value);
    const double share = (x - left.x) / (right->x - left.x);
    StateId state{left.state.value + static_cast<std::uint32_t>(share * states)};
    // Rounding must not move a state off its own coordinate, which follows from these two knots.
    const auto x_of = [&](StateId of) {
        return of == right->state ? right->x : between(left, *right, of);
    };
    while (state < right->state && x_of({state.value + 1}) <= x) {
        ++state.value;
    }
    while (state > left.state && x_of(state) > x) {
        --state.value;
    }
    return state;
}

} // namespace

AxisMap::AxisMap(const trace::Device& device, Axis axis)
    : m_axis(axis == Axis::time && hasTimes(device) ? Axis::time : Axis::event) // Shared: no knots.
    , m_state_count(device.events.count() + 1)
{
    if (m_axis == Axis::event) {
        return;
    }
    m_times = device.events.time;
    if (std::ranges::is_sorted(m_times)) {
        return;
    }
    m_ordered.reserve(m_times.size());
    std::int64_t latest = 0;
    for (const TimePoint t : m_times) {
        latest = std::max(latest, (t - m_times.front()).count());
        m_ordered.push_back(latest);
    }
}

AxisMap::AxisMap(const trace::Device& device, std::shared_ptr<const AxisKnots> knots)
    : m_axis(knots->size() > 1 ? Axis::shared : Axis::event)
    , m_state_count(device.events.count() + 1)
    , m_knots(m_axis == Axis::shared ? std::move(knots) : nullptr)
{
}

double AxisMap::toX(StateId state) const
{
    if (m_knots) {
        return projection::toX(*m_knots, state);
    }
    if (m_axis == Axis::event) {
        return static_cast<double>(state.value);
    }
    return state == StateId::start() ? 0.0 : static_cast<double>(timeOf(state.index() - 1));
}

double AxisMap::toX(StateId state, std::size_t& knot) const
{
    if (!m_knots) {
        return toX(state);
    }
    // The first knot that is not before the state, looked for in strides that double.
    const AxisKnots& knots = *m_knots;
    std::size_t end = knot;
    for (std::size_t stride = 1; end < knots.size() && knots[end].state < state; stride *= 2) {
        knot = end + 1;
        end += stride;
    }
    const auto right =
        std::lower_bound(knots.begin() + static_cast<std::ptrdiff_t>(knot),
                         knots.begin() + static_cast<std::ptrdiff_t>(std::min(end, knots.size())),
                         state, [](const AxisKnot& k, StateId wanted) { return k.state < wanted; });
    knot = static_cast<std::size_t>(right - knots.begin());
    if (right == knots.end()) {
        return knots.back().x;
    }
    return knot == 0 || right->state == state ? right->x : between(knots[knot - 1], *right, state);
}

StateId AxisMap::toState(double x) const
{
    return toState(x, StateId::start());
}

StateId AxisMap::toState(double x, StateId known) const
{
    if (m_knots) {
        return projection::toState(*m_knots, x);
    }
    const double last = static_cast<double>(m_state_count - 1);
    if (m_axis == Axis::event) {
        return {static_cast<std::uint32_t>(std::clamp(std::floor(x), 0.0, last))};
    }
    // State k begins with event k − 1, so the state sought is the number of events up to x.
    const auto isUpTo = [&](std::size_t event) { return static_cast<double>(timeOf(event)) <= x; };
    std::size_t begin = known.index();
    std::size_t end = m_state_count - 1;
    for (std::size_t step = 1; begin + step <= end; step *= 2) {
        if (!isUpTo(begin + step - 1)) {
            end = begin + step - 1;
            break;
        }
        begin += step;
    }
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (isUpTo(middle)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return {static_cast<std::uint32_t>(begin)};
}

bool AxisMap::waitsAt(double x) const
{
    if (!m_knots) {
        return false;
    }
    const auto right = std::ranges::upper_bound(*m_knots, x, {}, &AxisKnot::x);
    if (right == m_knots->begin() || right == m_knots->end()) {
        return x != m_knots->back().x;
    }
    return right->state == std::prev(right)->state;
}

Interval<double> AxisMap::extent() const
{
    if (m_knots) {
        const double first = m_knots->front().x;
        return {first, std::max(first + 1, m_knots->back().x)};
    }
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
    StateId next = axis.toState(range.begin);
    const TimelineColumn* before = nullptr;
    for (int c = 0; c < width_px; ++c) {
        const double left = range.begin + c * per_px;
        const double right = range.begin + (c + 1) * per_px;
        TimelineColumn& column = projection.columns[static_cast<std::size_t>(c)];
        if (right < extent.begin || left > extent.end) {
            continue;
        }
        // What holds in the column: the state it begins in, and every one that begins inside it.
        const StateId first = next;
        const StateId last = std::max(first, axis.toState(std::nextafter(right, left), first));
        const Interval<StateId> states{first, {last.value + 1}};
        next = axis.toState(right, last);
        column.in_trace = true;
        column.state = curves.largest(states);
        column.buckets = before != nullptr ? curves.at(column.state, before->state, before->buckets)
                                           : curves.at(column.state);
        column.total = r.active[column.state.index()];
        column.private_cached = r.privateCachedAt(column.state).value;
        column.reserved = curves.largestReserved(states);
        before = &column;
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
        if (!label::isIn(visible, label::bucketAt(b))) {
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
