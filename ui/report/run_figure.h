// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/timeline.h"
#include "ui/report/figure_style.h"
#include "ui/report/run_view.h"
#include "ui/views/timeline/timeline_marks.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QRectF>
#include <QtCore/QString>

#include <optional>
#include <string>
#include <vector>

class QPainter;

namespace tidemark::ui::report {

/// The timeline of one device as it stands on paper: bands, marks, phases, an axis of events with
/// one of time under it, and a legend that names all that is drawn. Requires replay and curves with
/// at least two states. Everything is computed once; drawing needs only the painter.
class RunFigure {
public:
    /// `width` and `plot_height` in points.
    RunFigure(const RunView& run, double width, double plot_height);

    void setPlotHeight(double points);
    /// Adds the timeline that a change would lead to, as a line named in the legend. `after` holds
    /// one value per state.
    void setGhost(const std::vector<std::int64_t>& after, const QString& name);

    [[nodiscard]] double height() const;
    /// The painter works in points.
    void draw(QPainter& painter, QPointF top_left) const;

private:
    [[nodiscard]] double plotBottom() const;
    [[nodiscard]] double stripsHeight() const;
    [[nodiscard]] std::vector<LegendEntry> legend() const;
    double paintLegend(QPainter* painter, QPointF corner) const;
    void paintTimes(QPainter& painter, const TimelineScale& scale, double baseline) const;

    RunView m_run;
    double m_width; ///< In the figure's own units; see kUnitsPerPoint.
    double m_plot_height;
    projection::AxisMap m_axis;
    projection::TimelineProjection m_projection;
    TimelineMarks m_marks;
    TimelineStyle m_style;
    double m_top_bytes = 1;
    std::vector<std::int64_t> m_ghost; ///< Largest value per column.
    QString m_ghost_name;
};

/// The memory of a device without events, as one horizontal bar with its buckets. Requires curves.
class StateBar {
public:
    StateBar(const RunView& run, double width);
    [[nodiscard]] double height() const;
    void draw(QPainter& painter, QPointF top_left) const;

private:
    RunView m_run;
    double m_width;
};

} // namespace tidemark::ui::report
