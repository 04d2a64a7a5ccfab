// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/timeline_shapes.h"

#include <algorithm>
#include <array>
#include <optional>

namespace tidemark::projection {

std::int64_t visibleTotal(const TimelineColumn& column, std::uint32_t visible)
{
    std::int64_t total = 0;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (label::isIn(visible, label::bucketAt(i))) {
            total += column.buckets[i];
        }
    }
    return total;
}

std::int64_t privateTop(const TimelineColumn& column)
{
    return std::min(column.total + column.private_cached, std::max(column.reserved, column.total));
}

std::int64_t cachedTop(const TimelineColumn& column)
{
    return std::max(column.reserved, privateTop(column));
}

std::vector<BandOutline> bandOutlines(std::span<const TimelineColumn> columns,
                                      std::uint32_t visible)
{
    std::vector<BandOutline> outlines;
    for (std::size_t b = label::kBucketCount; b-- > 0;) {
        const bool occurs = label::isIn(visible, label::bucketAt(b))
            && std::ranges::any_of(columns,
                                   [&](const TimelineColumn& c) { return c.buckets[b] > 0; });
        if (occurs) {
            const std::uint32_t below = visible & ((1U << (b + 1)) - 1);
            outlines.push_back({b, outline(columns, [&](const TimelineColumn& c) {
                                    return visibleTotal(c, below);
                                })});
        }
    }
    return outlines;
}

std::vector<PhaseInterval> phaseIntervals(const label::DeviceLabels& labels, const AxisMap& axis,
                                          Interval<double> range, std::size_t count)
{
    std::vector<std::array<float, label::kPhaseCount>> covered(count);
    const auto& spans = labels.phases;
    // Those that end before the range are passed over; the first one behind it ends the walk.
    const StateId first = axis.toState(range.begin);
    auto span = std::ranges::partition_point(
        spans, [first](const label::PhaseSpan& s) { return StateId::before(s.end) < first; });
    std::size_t knot = 0;
    std::optional<StateId> known;
    double known_column = 0;
    const auto columnOf = [&](StateId state) {
        if (state != known) { // Mostly a span begins where the one before ends.
            known = state;
            known_column = (axis.toX(state, knot) - range.begin) / (range.end - range.begin)
                * static_cast<double>(count);
        }
        return known_column;
    };
    for (; span != spans.end(); ++span) {
        const double begin = std::max(columnOf(StateId::before(span->first)), 0.0);
        if (begin >= static_cast<double>(count)) {
            break;
        }
        const double end =
            std::min(columnOf(StateId::before(span->end)), static_cast<double>(count));
        for (auto column = static_cast<std::size_t>(begin);
             column < count && static_cast<double>(column) < end; ++column) {
            const double left = std::max(begin, static_cast<double>(column));
            const double right = std::min(end, static_cast<double>(column + 1));
            covered[column][static_cast<std::size_t>(span->phase)] +=
                static_cast<float>(right - left);
        }
    }
    std::vector<PhaseInterval> intervals;
    for (std::size_t i = 0; i < count; ++i) {
        const auto largest = std::ranges::max_element(covered[i]);
        if (*largest <= 0) {
            continue;
        }
        const auto phase = static_cast<label::Phase>(largest - covered[i].begin());
        if (!intervals.empty() && intervals.back().phase == phase && intervals.back().end == i) {
            ++intervals.back().end;
        } else {
            intervals.push_back({phase, i, i + 1});
        }
    }
    return intervals;
}

} // namespace tidemark::projection
