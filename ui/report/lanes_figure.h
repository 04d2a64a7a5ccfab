// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/delta.h"
#include "core/projection/shared_axis.h"
#include "ui/report/figure_style.h"
#include "ui/report/run_view.h"
#include "ui/views/timeline/timeline_marks.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QPointF>

#include <vector>

class QPainter;

namespace tidemark::ui::report {

/// Two runs and their difference below each other, on one axis on which the same places of both
/// coincide; both runs have one scale of bytes. Requires replay, labels and curves in both.
class LanesFigure {
public:
    /// `width` and `height` in points; the figure is not less high than it needs to be.
    LanesFigure(const RunView& base, const RunView& against, const projection::SharedAxis& axis,
                double width, double height);

    [[nodiscard]] double height() const;
    /// The painter works in points.
    void draw(QPainter& painter, QPointF top_left) const;

private:
    struct Lane {
        RunView run;
        projection::AxisMap axis;
        projection::TimelineProjection projection;
        TimelineMarks marks;
    };
    [[nodiscard]] std::vector<LegendEntry> legend() const;
    [[nodiscard]] double beside() const;
    /// Returns where it ends.
    double drawLane(QPainter& painter, const Lane& lane, double top, bool with_steps) const;
    double drawDelta(QPainter& painter, double top) const;
    void drawEdge(QPainter& painter, const QString& letter, const QColor& colour, double top,
                  double bottom) const;

    double m_width; ///< In units, see kUnitsPerPoint.
    double m_bands = 0; ///< Height of a run's bands.
    Lane m_base;
    Lane m_against;
    std::vector<projection::DeltaColumn> m_delta;
    TimelineStyle m_style;
    double m_top_bytes = 1;
};

} // namespace tidemark::ui::report
