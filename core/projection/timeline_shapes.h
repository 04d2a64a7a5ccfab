// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/projection/timeline.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::projection {

// What every picture of the timeline shows, in columns and bytes; the backends add colours and
// units.
//
//     columns ─▶ bands, private pools, cached, reserved ─┐
//                                                        ├─▶ window (pixels), paper and pictures
//     labels ──▶ phases ─────────────────────────────────┘   (QPainter), SVG

/// Columns [begin, end) at one height.
struct OutlineStep {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t bytes = 0;
    friend constexpr bool operator==(const OutlineStep&, const OutlineStep&) = default;
};

/// The heights of `value(column)` from left to right, equal neighbours as one step. O(columns).
template <class Value>
std::vector<OutlineStep> outline(std::span<const TimelineColumn> columns, Value value)
{
    std::vector<OutlineStep> steps;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::int64_t bytes = value(columns[i]);
        if (!steps.empty() && steps.back().bytes == bytes) {
            ++steps.back().end;
        } else {
            steps.push_back({i, i + 1, bytes});
        }
    }
    return steps;
}

/// Sum of the visible bands of a column (bit i of `visible` = band i).
std::int64_t visibleTotal(const TimelineColumn& column, std::uint32_t visible);

/// Under which private pools end: they lie between the bands and the cached memory.
std::int64_t privateTop(const TimelineColumn& column);

/// Under which cached memory ends, above private pools.
std::int64_t cachedTop(const TimelineColumn& column);

/// A band with what lies under it, down to the floor. Painted in this order, each over the one
/// before, bands have no seams.
struct BandOutline {
    std::size_t band = 0;
    std::vector<OutlineStep> top;
};

/// The visible bands that have bytes in any column, the uppermost first. O(bands · columns).
std::vector<BandOutline> bandOutlines(std::span<const TimelineColumn> columns,
                                      std::uint32_t visible);

/// Columns [begin, end) of one phase.
struct PhaseInterval {
    label::Phase phase = label::Phase::other;
    std::size_t begin = 0;
    std::size_t end = 0;
    friend constexpr bool operator==(const PhaseInterval&, const PhaseInterval&) = default;
};

/// Each of `count` columns of `range` in the phase that covers most of it; what no phase covers is
/// left out. O(spans + columns).
std::vector<PhaseInterval> phaseIntervals(const label::DeviceLabels& labels, const AxisMap& axis,
                                          Interval<double> range, std::size_t count);

} // namespace tidemark::projection
