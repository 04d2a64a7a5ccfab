// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/lanes_figure.h"

#include "ui/models/text.h"
#include "ui/report/words.h"
#include "ui/views/compare/delta_painter.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/timeline/step_strip.h"

#include <QtGui/QPainter>

#include <algorithm>
#include <array>

namespace tidemark::ui::report {
namespace {

constexpr double kEdge = 13; ///< Width of the coloured edges.
constexpr double kLabels = kGutter + kEdge; ///< From the left to the bands.
constexpr double kAbove = 13; ///< Room for labels above the bands.
constexpr double kFigureLaneGap = 9; ///< Between lanes.
constexpr double kLeastBands = 70;
constexpr double kDeltaShare = 0.8; ///< Height of the difference, of a run's bands.

int columnsFor(double width)
{
    return static_cast<int>((width - kLabels) / kUnitsPerPoint * kColumnsPerPoint);
}

void drawByteLabel(QPainter& painter, const QString& words, double y)
{
    drawFigureText(painter, words, kFigureText,
                   QPointF(kLabels - 7 - textWidth(words, kFigureText), y - 7), 14);
}

} // namespace

LanesFigure::LanesFigure(const RunView& base, const RunView& against,
                         const projection::SharedAxis& axis, double width, double height)
    : m_width(width * kUnitsPerPoint)
    , m_base{base, projection::AxisMap(*base.device, axis.a), {}, {}}
    , m_against{against, projection::AxisMap(*against.device, axis.b), {}, {}}
{
    m_style.font = figureFont();
    m_style.label_room = kAbove;
    const Interval<double> a = m_base.axis.extent();
    const Interval<double> b = m_against.axis.extent();
    const Interval<double> range{std::min(a.begin, b.begin), std::max(a.end, b.end)};
    for (Lane* lane : {&m_base, &m_against}) {
        lane->projection =
            projection::projectTimeline(*lane->run.curves, lane->axis, range, columnsFor(m_width));
        lane->marks = timelineMarks(*lane->run.analysis, lane->run.device_index, lane->axis);
        m_top_bytes =
            std::max(m_top_bytes, topBytes(projection::heights(lane->projection), lane->marks));
    }
    m_delta = projection::deltaColumns(m_base.projection, m_against.projection);
    m_bands = std::max(kLeastBands, (height * kUnitsPerPoint - beside()) / (2 + kDeltaShare));
}

/// What is as high whatever the bands are.
double LanesFigure::beside() const
{
    const auto strips = [](const Lane& lane) {
        return lane.run.labels->phases.empty() ? 0.0 : kStripHeight + 3;
    };
    const double steps = m_against.run.labels->stepsBegun().empty() ? 0 : kStripHeight;
    return 2 * kAbove + strips(m_base) + strips(m_against) + steps + 2 * kFigureLaneGap + 8
        + paintFigureLegend(nullptr, {}, m_width, legend());
}

double LanesFigure::height() const
{
    return (beside() + (2 + kDeltaShare) * m_bands) / kUnitsPerPoint;
}

std::vector<LegendEntry> LanesFigure::legend() const
{
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        const label::Bucket bucket = label::bucketAt(i);
        if (m_base.run.curves->largestOf(bucket) > 0
            || m_against.run.curves->largestOf(bucket) > 0) {
            entries.push_back({text(label::bucketName(bucket)), {bucketColour(bucket)}});
        }
    }
    const ThemeColours& colours = m_style.colours;
    entries.push_back({ReportWords::tr("Cached"), {colours.cached, Swatch::Kind::tint}});
    entries.push_back({ReportWords::tr("Reserved"), {colours.reserved, Swatch::Kind::dashes}});
    entries.push_back(
        {ReportWords::tr("Sum of the difference"), {colours.text, Swatch::Kind::line}});
    return entries;
}

void LanesFigure::drawEdge(QPainter& painter, const QString& letter, const QColor& colour,
                           double top, double bottom) const
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(QRectF(0, top, kEdge, bottom - top), 2.5, 2.5);
    const TextStyle style{10, true, false, textOn(colour)};
    drawFigureText(painter, letter, style,
                   QPointF((kEdge - textWidth(letter, style)) / 2, (top + bottom) / 2 - 8), 16);
}

double LanesFigure::drawLane(QPainter& painter, const Lane& lane, double top, bool with_steps) const
{
    TimelineScale scale;
    scale.range = lane.projection.range;
    scale.top_bytes = m_top_bytes;
    scale.rect = QRectF(kLabels, top + kAbove, m_width - kLabels - 1, m_bands);
    paintGrid(painter, scale, m_style);
    for (const AxisTick& tick : byteTicks(scale.top_bytes, byteTickCount(scale.rect.height()))) {
        drawByteLabel(painter, tick.label, scale.y(tick.at));
    }
    paintBands(painter, scale, lane.projection, m_style);
    paintReserved(painter, scale, lane.projection, m_style);
    paintMarks(painter, scale, lane.projection, lane.marks, m_style);
    double bottom = scale.rect.bottom();
    const label::DeviceLabels& labels = *lane.run.labels;
    if (!labels.phases.empty()) {
        const QRectF strip(scale.rect.left(), bottom + 3, scale.rect.width(), kStripHeight);
        paintPhases(painter, strip, scale, labels, lane.axis, m_style);
        bottom = strip.bottom();
    }
    drawEdge(painter, lane.run.letter, runColour(lane.run.letter), top + kAbove, bottom);
    if (with_steps && !labels.stepsBegun().empty()) {
        const QRectF strip(scale.rect.left(), bottom, scale.rect.width(), kStripHeight);
        paintSteps(painter, strip, scale, labels, lane.axis, m_style);
        bottom = strip.bottom();
    }
    return bottom;
}

double LanesFigure::drawDelta(QPainter& painter, double top) const
{
    const QRectF rect(kLabels, top, m_width - kLabels - 1, m_bands * kDeltaShare);
    const DeltaScale scale =
        deltaScale(rect, m_base.projection.range, projection::heights(m_delta, m_style.visible));
    paintDelta(painter, scale, m_delta, m_style);
    double before = -100;
    std::vector<AxisTick> ticks = deltaTicks(scale, byteTickCount(rect.height()));
    std::ranges::sort(ticks, {}, [&](const AxisTick& tick) { return scale.y(tick.at); });
    for (const AxisTick& tick : ticks) {
        const double y = scale.y(tick.at);
        if (y - before >= 12) {
            drawByteLabel(painter, tick.label, y);
            before = y;
        }
    }
    drawEdge(painter, QStringLiteral("Δ"), kGrey, rect.top(), rect.bottom());
    return rect.bottom();
}

void LanesFigure::draw(QPainter& painter, QPointF top_left) const
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(top_left);
    painter.scale(1 / kUnitsPerPoint, 1 / kUnitsPerPoint);
    double y = drawLane(painter, m_base, 0, false);
    y = drawLane(painter, m_against, y + kFigureLaneGap, true);
    y = drawDelta(painter, y + kFigureLaneGap);
    paintFigureLegend(&painter, QPointF(0, y + 8), m_width, legend());
    painter.restore();
}

} // namespace tidemark::ui::report
