// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"
#include "core/report/job_curves.h"
#include "ui/report/figure_style.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QPointF>

#include <vector>

class QPainter;

namespace tidemark::ui::report {

/// Several ranks of a job below each other, on one axis and one scale of bytes. `rows` have curves
/// and are not empty; the job outlives the figure.
class JobFigure {
public:
    /// `width` and `height` in points; the figure is not less high than it needs to be, and not
    /// higher than reads well.
    JobFigure(const job::Job& job, std::vector<std::size_t> rows, double width, double height);

    [[nodiscard]] double height() const;
    /// The painter works in points.
    void draw(QPainter& painter, QPointF top_left) const;

private:
    [[nodiscard]] std::vector<LegendEntry> legend() const;
    [[nodiscard]] double below() const;
    void drawPanel(QPainter& painter, std::size_t index, double top) const;
    void drawNames(QPainter& painter, std::size_t row, double top) const;

    const job::Job& m_job;
    std::vector<std::size_t> m_rows;
    tidemark::report::JobAxis m_axis;
    std::vector<projection::TimelineProjection> m_projections; ///< One for each row.
    double m_width; ///< In units, see kUnitsPerPoint.
    double m_panel = 0; ///< Height of a rank's bands.
    TimelineStyle m_style;
};

} // namespace tidemark::ui::report
