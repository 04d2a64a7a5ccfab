// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/job_figure.h"

#include "core/report/job_parts.h"
#include "ui/models/numbers.h"
#include "ui/models/text.h"
#include "ui/report/words.h"
#include "ui/views/look/axis_ticks.h"

#include <QtGui/QPainter>

#include <algorithm>

namespace tidemark::ui::report {
namespace {

constexpr double kNames = 108; ///< Units for the names at the left.
constexpr double kBands = kNames + kGutter;
constexpr double kBetween = 12;
constexpr double kLeastPanel = 34;
constexpr double kMostPanel = 110;
constexpr double kLine = 14;

} // namespace

JobFigure::JobFigure(const job::Job& job, std::vector<std::size_t> rows, double width,
                     double height)
    : m_job(job)
    , m_rows(std::move(rows))
    , m_axis(tidemark::report::jobAxis(job, m_rows))
    , m_width(width * kUnitsPerPoint)
{
    m_style.font = figureFont();
    const int columns = static_cast<int>((m_width - kBands) / kUnitsPerPoint * kColumnsPerPoint);
    for (const std::size_t row : m_rows) {
        m_projections.push_back(
            {m_axis.extent, tidemark::report::columnsOf(job.rows[row], m_axis, columns)});
    }
    const auto count = static_cast<double>(m_rows.size());
    m_panel =
        std::clamp((height * kUnitsPerPoint - below()) / count - kBetween, kLeastPanel, kMostPanel);
}

double JobFigure::below() const
{
    return kLine + 8 + paintFigureLegend(nullptr, {}, m_width, legend());
}

double JobFigure::height() const
{
    return (static_cast<double>(m_rows.size()) * (m_panel + kBetween) + below()) / kUnitsPerPoint;
}

std::vector<LegendEntry> JobFigure::legend() const
{
    std::vector<LegendEntry> entries;
    for (std::size_t b = 0; b < label::kBucketCount; ++b) {
        if (std::ranges::any_of(m_rows,
                                [&](std::size_t r) { return m_job.rows[r].largest[b] > 0; })) {
            const label::Bucket bucket = label::bucketAt(b);
            entries.push_back({text(label::bucketName(bucket)), {bucketColour(bucket)}});
        }
    }
    const ThemeColours& colours = m_style.colours;
    entries.push_back({ReportWords::tr("Cached"), {colours.cached, Swatch::Kind::tint}});
    entries.push_back({ReportWords::tr("Reserved"), {colours.reserved, Swatch::Kind::dashes}});
    if (std::ranges::any_of(m_rows, [&](std::size_t r) {
            return tidemark::report::showsCapacity(m_job.rows[r], m_axis)
                || tidemark::report::oomAt(m_job.rows[r], m_axis).has_value();
        })) {
        entries.push_back(
            {ReportWords::tr("Capacity, out of memory"), {colours.danger, Swatch::Kind::line}});
    }
    return entries;
}

void JobFigure::drawNames(QPainter& painter, std::size_t row, double top) const
{
    const auto line = [&](int number, const QString& words, const TextStyle& style) {
        drawFigureText(painter, elidedEnd(words, style, kNames - 4), style,
                       QPointF(0, top + number * kLine), kLine);
    };
    const job::RankSummary& summary = m_job.rows[row];
    line(0, shown(tidemark::report::rankName(m_job, row)), TextStyle{10, true, false, kInk});
    line(1, ReportWords::tr("peak %1").arg(bytesText(summary.peak)), kFigureGrey);
    if (summary.hasFailed()) {
        line(2, ReportWords::tr("ran out"), TextStyle{10, false, false, m_style.colours.danger});
    } else if (m_job.median == row) {
        line(2, ReportWords::tr("median"), kFigureGrey);
    }
}

void JobFigure::drawPanel(QPainter& painter, std::size_t index, double top) const
{
    const job::RankSummary& row = m_job.rows[m_rows[index]];
    drawNames(painter, m_rows[index], top);
    TimelineScale scale;
    scale.range = m_axis.extent;
    scale.top_bytes = m_axis.topBytes();
    scale.rect = QRectF(kBands, top, m_width - kBands - 1, m_panel);
    paintGrid(painter, scale, m_style);
    for (const AxisTick& tick : byteTicks(scale.top_bytes, byteTickCount(scale.rect.height()))) {
        drawFigureText(
            painter, tick.label, kFigureText,
            QPointF(kBands - 7 - textWidth(tick.label, kFigureText), scale.y(tick.at) - kLine / 2),
            kLine);
    }
    paintBands(painter, scale, m_projections[index], m_style);
    paintCached(painter, scale, m_projections[index], m_style);
    paintReserved(painter, scale, m_projections[index], m_style);
    painter.setPen(QPen(m_style.colours.danger, 1.5));
    if (tidemark::report::showsCapacity(row, m_axis)) {
        const double y = scale.y(static_cast<double>(row.capacity->value));
        painter.drawLine(QPointF(scale.rect.left(), y), QPointF(scale.rect.right(), y));
    }
    if (const std::optional<double> at = tidemark::report::oomAt(row, m_axis)) {
        const double x = scale.rect.left() + *at * scale.rect.width();
        painter.drawLine(QPointF(x, scale.rect.top()), QPointF(x, scale.rect.bottom()));
    }
}

void JobFigure::draw(QPainter& painter, QPointF top_left) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(top_left);
    painter.scale(1 / kUnitsPerPoint, 1 / kUnitsPerPoint);
    double y = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        drawPanel(painter, i, y);
        y += m_panel + kBetween;
    }
    y -= kBetween / 2;
    const QString end = text(m_axis.endText());
    drawFigureText(painter, text(m_axis.beginText()), kFigureGrey, QPointF(kBands, y), kLine);
    drawFigureText(painter, end, kFigureGrey, QPointF(m_width - 1 - textWidth(end, kFigureGrey), y),
                   kLine);
    paintFigureLegend(&painter, QPointF(0, y + kLine + 8), m_width, legend());
    painter.restore();
}

} // namespace tidemark::ui::report
