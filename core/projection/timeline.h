// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/curves/curves.h"
#include "core/trace/snapshot.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::projection {

/// What the horizontal axis counts: events, microseconds since the first event, or the units of an
/// axis that several runs share.
enum class Axis : std::uint8_t { event, time, shared };

/// A state at a coordinate of a shared axis.
struct AxisKnot {
    StateId state;
    double x = 0;
    friend constexpr bool operator==(const AxisKnot&, const AxisKnot&) = default;
};
/// Knots of one run from its first to its last state; neither states nor coordinates decrease, and
/// of two neighbours one differs. Where the state stays the same the run waits for the others.
using AxisKnots = std::vector<AxisKnot>;

/// Translates between states and axis coordinates of one device. On the event axis a state's
/// coordinate is its number (events so far); on the time axis the time of its last event since the
/// first event, made non-decreasing; on a shared axis it lies on the straight line between two
/// knots. Holds no copy of the trace unless its times go backwards somewhere; keep the snapshot
/// alive.
class AxisMap {
public:
    /// A shared axis needs knots: without them it is the one of events.
    AxisMap(const trace::Device& device, Axis axis);
    /// `knots` is not null; without two of them the axis is the one of events.
    AxisMap(const trace::Device& device, std::shared_ptr<const AxisKnots> knots);
    [[nodiscard]] Axis axis() const
    {
        return m_axis;
    }
    /// The time axis exists only if the file has times.
    static bool hasTimes(const trace::Device& device)
    {
        return device.events.hasTimes();
    }
    [[nodiscard]] double toX(StateId state) const;
    /// The same for states that rise from call to call: `knot` is 0 at first and then what the call
    /// before left. O(log knots between).
    [[nodiscard]] double toX(StateId state, std::size_t& knot) const;
    /// The last state at or before a coordinate (clamped). O(log states) on the time axis, O(log
    /// knots) on a shared one.
    [[nodiscard]] StateId toState(double x) const;
    /// The same where the answer is known not to lie before `known`, and rather not far behind it.
    /// O(log states between) on the time axis.
    [[nodiscard]] StateId toState(double x, StateId known) const;
    /// Whether the run stands still at a coordinate of a shared axis, because another one makes
    /// there what it does not, or because it is not there yet or any more. O(log knots).
    [[nodiscard]] bool waitsAt(double x) const;
    /// First and last coordinate of the trace; never empty (at least 1 wide).
    [[nodiscard]] Interval<double> extent() const;

private:
    /// µs from the first event to event `index`, or to the latest one before it. Time axis only.
    [[nodiscard]] std::int64_t timeOf(std::size_t index) const
    {
        return m_ordered.empty() ? (m_times[index] - m_times.front()).count() : m_ordered[index];
    }

    Axis m_axis;
    std::size_t m_state_count;
    std::span<const TimePoint> m_times; ///< Of the trace; time axis only.
    std::vector<std::int64_t> m_ordered; ///< Only where those of the trace go backwards.
    std::shared_ptr<const AxisKnots> m_knots; ///< Of a shared axis only.
};

/// One pixel column. The composition is that of the state with the largest total inside the column,
/// since largest values per bucket would not stack; reserved is the largest of the column.
struct TimelineColumn {
    StateId state;
    label::BucketBytes buckets{};
    std::int64_t total = 0;
    std::int64_t reserved = 0;
    std::int64_t private_cached = 0; ///< Free inside private pools, in `state`.
    bool in_trace = false; ///< Otherwise the column lies before or after it, and all is zero.
};

struct TimelineProjection {
    Interval<double>
        range; ///< Axis coordinates of the left edge of column 0 and the right edge of the last.
    std::vector<TimelineColumn> columns; ///< One per pixel, left to right.
};

/// Columns for `range` of the axis at `width_px` pixels; states never decrease from one to the
/// next. A column that ends before the trace or begins after it is empty (all zero). O(width · 64
/// log states), independent of the trace length otherwise.
TimelineProjection projectTimeline(const curves::DeviceCurves& curves, const AxisMap& axis,
                                   Interval<double> range, int width_px);

/// Largest total (bands) and largest reserved value inside a range, for the vertical axis.
struct TimelineHeights {
    std::int64_t total = 0;
    std::int64_t reserved = 0;
};
TimelineHeights heights(const TimelineProjection& projection);

/// Bucket under a height (bytes from the floor) in a column, counting only visible buckets (bit i
/// of `visible` = bucket i); nullopt above the bands.
std::optional<label::Bucket> bandAt(const TimelineColumn& column, std::int64_t bytes,
                                    std::uint32_t visible);

} // namespace tidemark::projection
