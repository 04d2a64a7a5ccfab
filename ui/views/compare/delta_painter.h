// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/delta.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QRectF>

#include <vector>

class QPainter;

namespace tidemark::ui {

// Draws what one run holds more than another, for the window and for paper.

/// Where axis coordinates and signed bytes lie in a rectangle of the painter.
struct DeltaScale {
    QRectF rect;
    Interval<double> range; ///< Axis coordinates at the left and the right edge; not empty.
    double above_bytes = 1; ///< From zero to the upper edge.
    double below_bytes = 1; ///< From zero to the lower edge.

    [[nodiscard]] double y(double bytes) const;
    [[nodiscard]] double bytesAt(double y) const;
};

/// A scale with some room around the heights, and the zero line away from the edges.
[[nodiscard]] DeltaScale deltaScale(const QRectF& rect, Interval<double> range,
                                    const projection::DeltaHeights& heights);

/// Signed bytes, zero among them: "−2 GiB", "0", "+4 GiB"; about `max_count` steps.
[[nodiscard]] std::vector<AxisTick> deltaTicks(const DeltaScale& scale, int max_count);

/// Grid, bands from zero up and down, a line through their sum, and the zero line. Columns in which
/// one of the runs is not there stay empty.
void paintDelta(QPainter& painter, const DeltaScale& scale,
                const std::vector<projection::DeltaColumn>& columns, const TimelineStyle& style);

} // namespace tidemark::ui
