// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/projection/timeline.h"
#include "ui/views/timeline/timeline_painter.h"

#include <optional>

namespace tidemark::ui {

struct BandGrouping;

/// A whole picture of one device: legend, axes, bands, marks, phases and steps.
struct TimelineFigure {
    diagnose::Analysis analysis; ///< Requires snapshot, replay, labels and curves.
    std::size_t device = 0;
    projection::Axis axis = projection::Axis::event;
    std::optional<Interval<double>> range{}; ///< Default: the whole trace.
    std::optional<double>
        top_bytes{}; ///< Default: what fits; set it to give two figures one scale.
    int columns = 1200; ///< Resolution of the bands.
    bool legend = true;
};

/// Paints into `rect`, in the painter's units: lengths and `style.font` are meant for a picture 700
/// to 1,600 units wide, so scale the painter for paper.
void paintFigure(QPainter& painter, const QRectF& rect, const TimelineFigure& figure,
                 const TimelineStyle& style);

/// Bytes at the upper edge that `paintFigure` would choose.
[[nodiscard]] double figureTopBytes(const TimelineFigure& figure);

/// Horizontal grid lines with byte labels at the left, and coordinates under `baseline`.
void paintAxes(QPainter& painter, const TimelineScale& scale, projection::Axis axis,
               double baseline, const TimelineStyle& style);

/// Names and swatches of what occurs, in rows inside `width`; returns the height it takes. With a
/// null painter it only measures. `curves` are those of the grouping, if there is one.
double paintLegend(QPainter* painter, const QPointF& corner, double width,
                   const curves::DeviceCurves& curves, const TimelineStyle& style,
                   const BandGrouping* grouping = nullptr);

} // namespace tidemark::ui
