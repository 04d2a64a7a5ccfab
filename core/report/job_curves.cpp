// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/job_curves.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tidemark::report {
namespace {

using job::RankSummary;
using Point = job::RankCurve::Point;

/// Ranks that ran together overlap; the first to die may have recorded half of what others did.
constexpr double kMostSpread = 4;

std::optional<double> placeOf(const std::optional<TimePoint>& time, std::int64_t event,
                              bool is_time)
{
    if (!is_time) {
        return static_cast<double>(event + 1);
    }
    return time ? std::optional(static_cast<double>(microseconds(*time))) : std::nullopt;
}

Interval<double> ownExtent(const RankSummary& row, bool is_time)
{
    if (!is_time) {
        return {0, static_cast<double>(std::max(row.events, row.curve.points.back().event + 1))};
    }
    return {static_cast<double>(microseconds(*row.first_time)),
            static_cast<double>(microseconds(*row.last_time))};
}

bool hasTimes(const RankSummary& row)
{
    return row.first_time && row.last_time;
}

struct Extents {
    Interval<double> all{std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
    double longest = 0;
};

Extents extentsOf(const job::Job& job, std::span<const std::size_t> rows, bool is_time)
{
    Extents found;
    for (const std::size_t row : rows) {
        const Interval<double> own = ownExtent(job.rows[row], is_time);
        found.all = {std::min(found.all.begin, own.begin), std::max(found.all.end, own.end)};
        found.longest = std::max(found.longest, own.end - own.begin);
    }
    found.all.end = std::max(found.all.end, found.all.begin + 1);
    return found;
}

} // namespace

std::string JobAxis::beginText() const
{
    return say("start");
}

std::string JobAxis::endText() const
{
    const std::int64_t length = std::llround(extent.end - extent.begin);
    return is_time ? formatDuration(Duration{length}) : formatEventNumber(length - 1);
}

JobAxis jobAxis(const job::Job& job, std::span<const std::size_t> rows)
{
    JobAxis axis;
    for (const std::size_t row : rows) {
        for (const Point& point : job.rows[row].curve.points) {
            axis.top = std::max({axis.top, point.reserved, Bytes{label::totalOf(point.buckets)}});
        }
    }
    axis.is_time = std::ranges::all_of(rows, [&](std::size_t r) { return hasTimes(job.rows[r]); });
    Extents extents = extentsOf(job, rows, axis.is_time);
    if (axis.is_time && extents.all.end - extents.all.begin > kMostSpread * extents.longest) {
        axis.is_time = false;
        extents = extentsOf(job, rows, false);
    }
    axis.extent = extents.all;
    return axis;
}

std::vector<projection::TimelineColumn> columnsOf(const RankSummary& row, const JobAxis& axis,
                                                  int width)
{
    std::vector<projection::TimelineColumn> columns(static_cast<std::size_t>(width));
    const auto columnAt = [&](double x) {
        const double part = (x - axis.extent.begin) / (axis.extent.end - axis.extent.begin);
        return static_cast<std::size_t>(std::clamp(part * width, 0.0, width - 1.0));
    };
    // A state without a time, such as the start, belongs where the run begins.
    const auto columnOf = [&](const Point& point) {
        const auto place = placeOf(point.time, point.event, axis.is_time);
        return place ? columnAt(*place) : std::size_t{0};
    };
    const Interval<double> own = ownExtent(row, axis.is_time);
    const std::size_t last = columnAt(own.end);
    const std::vector<Point>& points = row.curve.points;
    std::size_t next = 0;
    for (std::size_t c = columnAt(own.begin); c <= last; ++c) {
        const Point* shown = next == 0 ? nullptr : &points[next - 1];
        bool is_own = false;
        for (; next < points.size() && (columnOf(points[next]) <= c || c == last); ++next) {
            if (!is_own || label::totalOf(points[next].buckets) > label::totalOf(shown->buckets)) {
                shown = &points[next];
            }
            is_own = true;
        }
        if (shown != nullptr) {
            columns[c].buckets = shown->buckets;
            columns[c].total = label::totalOf(shown->buckets);
            columns[c].reserved = shown->reserved.value;
            columns[c].in_trace = true;
        }
    }
    return columns;
}

double JobAxis::topBytes() const
{
    return std::max(1.0, 1.04 * static_cast<double>(top.value));
}

bool showsCapacity(const RankSummary& row, const JobAxis& axis)
{
    return row.capacity && static_cast<double>(row.capacity->value) <= axis.topBytes();
}

std::optional<double> oomAt(const RankSummary& row, const JobAxis& axis)
{
    const std::optional<double> at =
        row.hasFailed() ? placeOf(row.oom->time, row.oom->event, axis.is_time) : std::nullopt;
    if (!at) {
        return std::nullopt;
    }
    return std::clamp((*at - axis.extent.begin) / (axis.extent.end - axis.extent.begin), 0.0, 1.0);
}

} // namespace tidemark::report
