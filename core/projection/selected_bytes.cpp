// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/selected_bytes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tidemark::projection {

SelectedBytes::SelectedBytes(const curves::DeviceCurves& curves, std::span<const AllocationId> ids,
                             const std::stop_token& stop)
{
    const replay::Allocations& all = curves.replay().allocations;
    m_changes.reserve(2 * ids.size());
    for (const AllocationId id : ids) {
        const std::size_t i = id.index();
        const auto band = static_cast<std::uint32_t>(label::indexOf(curves.buckets()[i]));
        m_changes.push_back({all.begin[i], band, true, all.requested[i].value});
        if (all.end[i].index() < curves.stateCount()) {
            m_changes.push_back({all.end[i], band, false, -all.requested[i].value});
        }
    }
    if (stop.stop_requested()) {
        return;
    }
    // What ends comes first, so that no sum is larger than one that a state has.
    std::ranges::sort(m_changes, {},
                      [](const Change& change) { return std::tuple(change.state, change.begins); });
    label::BucketBytes now{};
    std::int64_t total = 0;
    std::uint32_t count = 0;
    m_totals.reserve(m_changes.size());
    m_counts.reserve(m_changes.size());
    for (const Change& change : m_changes) {
        if (m_totals.size() % kDistance == 0) {
            m_checkpoints.push_back(now);
        }
        now[change.band] += change.bytes;
        total += change.bytes;
        m_totals.push_back(total);
        m_counts.push_back(change.begins ? ++count : --count);
    }
    m_pyramid = MaxPyramid(m_totals);
}

std::size_t SelectedBytes::changesUntil(StateId state) const
{
    return static_cast<std::size_t>(std::ranges::upper_bound(m_changes, state, {}, &Change::state)
                                    - m_changes.begin());
}

label::BucketBytes SelectedBytes::at(StateId state) const
{
    const std::size_t count = changesUntil(state);
    if (count == 0) {
        return {};
    }
    const std::size_t checkpoint = (count - 1) / kDistance;
    label::BucketBytes bytes = m_checkpoints[checkpoint];
    for (std::size_t i = checkpoint * kDistance; i < count; ++i) {
        bytes[m_changes[i].band] += m_changes[i].bytes;
    }
    return bytes;
}

std::int64_t SelectedBytes::countAt(StateId state) const
{
    const std::size_t count = changesUntil(state);
    return count == 0 ? 0 : std::int64_t{m_counts[count - 1]};
}

std::int64_t SelectedBytes::largest(Interval<StateId> range) const
{
    const std::size_t first = changesUntil(range.begin); // With what the first state inherits.
    const std::size_t last = changesUntil(StateId{range.end.value - 1});
    const std::int64_t at_first = first == 0 ? 0 : m_totals[first - 1];
    return last > first ? std::max(at_first, m_pyramid.largest(m_totals, {first, last})) : at_first;
}

std::vector<SelectedColumn> projectSelected(const SelectedBytes& selected, const AxisMap& axis,
                                            const TimelineProjection& timeline)
{
    std::vector<SelectedColumn> columns(timeline.columns.size());
    const Interval<double> range = timeline.range;
    const double step = (range.end - range.begin) / static_cast<double>(columns.size());
    StateId known = StateId::start();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!timeline.columns[i].in_trace) {
            continue;
        }
        const double left = range.begin + step * static_cast<double>(i);
        const StateId first = axis.toState(left, known);
        const StateId last = axis.toState(std::nextafter(left + step, left), first);
        known = first;
        columns[i].largest = selected.largest({first, StateId{std::max(first, last).value + 1}});
        if (columns[i].largest > 0) {
            columns[i].bands = selected.at(timeline.columns[i].state);
        }
    }
    return columns;
}

} // namespace tidemark::projection
