// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/job_lines.h"

#include <QtCore/QRectF>

class QPainter;

namespace tidemark::ui {

struct ThemeColours;

/// Where the bands of one dump are painted, and what fits into that.
struct BandsFrame {
    QRectF rect;
    JobAxis axis = JobAxis::event;
    Interval<double> extent; ///< Of the axis: events, or microseconds of the clock.
    Bytes top; ///< At the upper edge.

    [[nodiscard]] double xOf(double at) const;
};

/// Where a point of a curve lies on an axis; nullopt: it has no time.
[[nodiscard]] std::optional<double> placeOf(const job::RankSummary& row, JobAxis axis,
                                            const job::RankCurve::Point& point);
/// Where the request failed; nullopt: none did, or its time is not known.
[[nodiscard]] std::optional<double> oomPlaceOf(const job::RankSummary& row, JobAxis axis);

/// The bands of a dump from its curve, with reserved memory as a dashed line and a red line where a
/// request failed. O(points + pixels).
void paintBands(QPainter& painter, const BandsFrame& frame, const job::RankSummary& row,
                const ThemeColours& colours);

} // namespace tidemark::ui
