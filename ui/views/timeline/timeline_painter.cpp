// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_painter.h"

#include "core/projection/timeline_shapes.h"
#include "ui/models/language.h"
#include "ui/models/text.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/swatch.h"

#include <QtCore/QLineF>
#include <QtGui/QFontMetricsF>
#include <QtGui/QPaintEngine>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace tidemark::ui {
namespace {

using projection::TimelineColumn;
using projection::TimelineProjection;

/// Corners of an outline, from left to right.
std::vector<QPointF> staircase(const TimelineScale& scale,
                               const std::vector<projection::OutlineStep>& steps)
{
    std::vector<QPointF> corners;
    const std::size_t count = steps.empty() ? 0 : steps.back().end;
    for (const projection::OutlineStep& step : steps) {
        const double y = scale.y(static_cast<double>(step.bytes));
        corners.emplace_back(scale.columnLeft(step.begin, count), y);
        corners.emplace_back(scale.columnLeft(step.end, count), y);
    }
    return corners;
}

/// The area between two staircases.
QPainterPath areaBetween(const std::vector<QPointF>& upper, const std::vector<QPointF>& lower)
{
    QPainterPath path;
    if (upper.empty() || lower.empty()) {
        return path;
    }
    path.moveTo(upper.front());
    for (const QPointF& corner : upper) {
        path.lineTo(corner);
    }
    for (auto corner = lower.rbegin(); corner != lower.rend(); ++corner) {
        path.lineTo(*corner);
    }
    path.closeSubpath();
    return path;
}

void dotArea(QPainter& painter, const QPainterPath& area, const TimelineStyle& style)
{
    const QRectF box = area.boundingRect();
    if (box.isEmpty()) {
        return;
    }
    painter.save();
    painter.setClipPath(area, Qt::IntersectClip);
    // One path of points: as circles, the dots would be most of a vector file.
    painter.setPen(QPen(privateColour(style.colours), 1.8, Qt::SolidLine, Qt::RoundCap));
    std::vector<QPointF> dots;
    for (double y = std::floor(box.top() / kDotDistance) * kDotDistance; y < box.bottom();
         y += kDotDistance) {
        for (double x = std::floor(box.left() / kDotDistance) * kDotDistance; x < box.right();
             x += kDotDistance) {
            dots.emplace_back(x, y);
        }
    }
    painter.drawPoints(dots.data(), static_cast<int>(dots.size()));
    painter.restore();
}

/// Whether some of it is painted: where the cursor moves it is a stripe of the widget.
bool isSeen(const QPainter& painter, const QRectF& area)
{
    const QRegion painted = painter.paintEngine()->systemClip();
    return painted.isEmpty()
        || painted.intersects(painter.deviceTransform().mapRect(area).toAlignedRect());
}

/// In pieces: what the rasteriser takes for one line grows with the square of how often that line
/// goes up and down, and it may do so in every column. Where it does, dashes would be thousands,
/// and nobody sees them: there it is drawn through.
void paintInPieces(QPainter& painter, const QPolygonF& line, QPen pen)
{
    constexpr int kPoints = 32;
    constexpr double kSteep = 8; ///< Times as long as it is wide.
    const bool is_dashed = pen.style() == Qt::CustomDashLine;
    QPen through = pen;
    through.setStyle(Qt::SolidLine);
    double length = 0;
    for (int first = 0; first + 1 < line.size(); first += kPoints - 1) {
        const QPolygonF piece = line.mid(first, kPoints);
        const double before = length;
        for (int i = 1; i < piece.size(); ++i) {
            length += QLineF(piece[i - 1], piece[i]).length();
        }
        const double beside = pen.widthF();
        if (!isSeen(painter, piece.boundingRect().adjusted(-beside, -beside, beside, beside))) {
            continue;
        }
        const double wide = piece.back().x() - piece.front().x();
        if (is_dashed && length - before < kSteep * wide) {
            pen.setDashOffset(before / pen.widthF());
            painter.setPen(pen);
        } else {
            painter.setPen(through);
        }
        painter.drawPolyline(piece);
    }
}

} // namespace

double TimelineScale::x(double coordinate) const
{
    return rect.left() + (coordinate - range.begin) / (range.end - range.begin) * rect.width();
}

double TimelineScale::y(double bytes) const
{
    return rect.bottom() - (bytes - bottom_bytes) / (top_bytes - bottom_bytes) * rect.height();
}

double TimelineScale::coordinateAt(double x) const
{
    return range.begin + (x - rect.left()) / rect.width() * (range.end - range.begin);
}

double TimelineScale::columnLeft(std::size_t column, std::size_t count) const
{
    return rect.left() + rect.width() * static_cast<double>(column) / static_cast<double>(count);
}

void paintCached(QPainter& painter, const TimelineScale& scale,
                 const TimelineProjection& projection, const TimelineStyle& style)
{
    if (!style.showsCached()) {
        return;
    }
    const auto& columns = projection.columns;
    const auto total =
        staircase(scale, outline(columns, [](const TimelineColumn& c) { return c.total; }));
    const auto pools = staircase(scale, outline(columns, projection::privateTop));
    const auto reserved = staircase(scale, outline(columns, projection::cachedTop));
    painter.fillPath(areaBetween(reserved, total), cachedColour(style.colours));
    if (pools != total) {
        dotArea(painter, areaBetween(pools, total), style);
    }
}

void paintGrid(QPainter& painter, const TimelineScale& scale, const TimelineStyle& style)
{
    painter.setPen(QPen(style.colours.grid, 1));
    for (const AxisTick& tick : byteTicks(scale.bytes(), byteTickCount(scale.rect.height()))) {
        const double y = scale.y(tick.at);
        painter.drawLine(QPointF(scale.rect.left(), y), QPointF(scale.rect.right(), y));
    }
}

void paintBands(QPainter& painter, const TimelineScale& scale, const TimelineProjection& projection,
                const TimelineStyle& style)
{
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    const auto floor =
        staircase(scale, outline(projection.columns, [](const TimelineColumn&) { return 0; }));
    paintCached(painter, scale, projection, style);
    painter.setPen(Qt::NoPen);
    for (const projection::BandOutline& band :
         projection::bandOutlines(projection.columns, style.visible)) {
        painter.setBrush(style.bands[band.band]);
        painter.drawPath(areaBetween(staircase(scale, band.top), floor));
    }
    painter.restore();
}

void paintUnselected(QPainter& painter, const TimelineScale& scale,
                     const TimelineProjection& projection,
                     std::span<const projection::SelectedColumn> selected,
                     const TimelineStyle& style)
{
    const std::size_t count = std::min(projection.columns.size(), selected.size());
    QPainterPath rest;
    for (std::size_t i = 0; i < count;) {
        const TimelineColumn& column = projection.columns[i];
        std::size_t end = i + 1;
        while (end < count && projection.columns[end].buckets == column.buckets
               && selected[end].bands == selected[i].bands) {
            ++end;
        }
        const double left = scale.columnLeft(i, projection.columns.size());
        const double width = scale.columnLeft(end, projection.columns.size()) - left;
        std::int64_t level = 0;
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            if (column.buckets[b] > 0 && label::isIn(style.visible, label::bucketAt(b))) {
                const double bottom = scale.y(static_cast<double>(level + selected[i].bands[b]));
                level += column.buckets[b];
                const double top = scale.y(static_cast<double>(level));
                rest.addRect(left, top, width, bottom - top);
            }
        }
        i = end;
    }
    constexpr float kVeil = 0.65F;
    QColor veil = style.colours.card;
    veil.setAlphaF(kVeil);
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    rest.setFillRule(Qt::WindingFill);
    painter.fillPath(rest, veil);
    painter.restore();
}

void paintFloorBar(QPainter& painter, const QRectF& bar, const ThemeColours& colours)
{
    painter.fillRect(bar.adjusted(-1, -1, 1, 0), colours.card);
    painter.fillRect(bar, colours.text);
}

void paintLifetimes(QPainter& painter, const TimelineScale& scale,
                    std::span<const projection::SelectedColumn> selected, Interval<double> front,
                    const TimelineStyle& style)
{
    constexpr double kBar = 3;
    constexpr double kFront = 6;
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    const auto paintBar = [&](double left, double width, double height) {
        paintFloorBar(painter, {left, scale.rect.bottom() - height, width, height}, style.colours);
    };
    for (std::size_t i = 0; i < selected.size();) {
        const bool lives = selected[i].largest > 0;
        std::size_t end = i + 1;
        while (end < selected.size() && (selected[end].largest > 0) == lives) {
            ++end;
        }
        if (lives) {
            const double left = scale.columnLeft(i, selected.size());
            paintBar(left, scale.columnLeft(end, selected.size()) - left, kBar);
        }
        i = end;
    }
    if (!front.isEmpty()) {
        const double left = std::max(scale.rect.left(), scale.x(front.begin));
        const double right = std::min(scale.rect.right(), scale.x(front.end));
        if (left <= right) {
            constexpr double kLeast = 2;
            paintBar(left, std::max(kLeast, right - left), kFront);
        }
    }
    painter.restore();
}

void paintReserved(QPainter& painter, const TimelineScale& scale,
                   const TimelineProjection& projection, const TimelineStyle& style)
{
    const auto corners = staircase(
        scale, outline(projection.columns, [](const TimelineColumn& c) { return c.reserved; }));
    const double floor = scale.y(0);
    QPen pen(style.colours.reserved, 1.2);
    pen.setDashPattern({4, 2.5});
    pen.setCapStyle(Qt::FlatCap);
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    painter.setBrush(Qt::NoBrush);
    QPolygonF line;
    for (const QPointF& corner : corners) {
        if (corner.y() < floor) {
            line << corner;
        } else {
            paintInPieces(painter, line, pen);
            line.clear();
        }
    }
    paintInPieces(painter, line, pen);
    painter.restore();
}

namespace {

/// Steps through the value of each column.
QPolygonF stepLine(const TimelineScale& scale, std::span<const std::int64_t> bytes,
                   std::size_t columns)
{
    QPolygonF line;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const double y = scale.y(static_cast<double>(bytes[i]));
        line << QPointF(scale.columnLeft(i, columns), y)
             << QPointF(scale.columnLeft(i + 1, columns), y);
    }
    return line;
}

/// A light seam keeps the line readable on every band.
void paintSeamed(QPainter& painter, const TimelineScale& scale, const QPolygonF& line,
                 const QPen& pen, const TimelineStyle& style)
{
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    painter.setBrush(Qt::NoBrush);
    paintInPieces(painter, line,
                  QPen(style.colours.card, 3.6, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    paintInPieces(painter, line, pen);
    painter.restore();
}

} // namespace

void paintGhost(QPainter& painter, const TimelineScale& scale, std::span<const std::int64_t> bytes,
                const TimelineStyle& style)
{
    paintSeamed(painter, scale, stepLine(scale, bytes, bytes.size()),
                QPen(style.colours.text, 1.6, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin), style);
}

void paintSimulated(QPainter& painter, const TimelineScale& scale,
                    std::span<const std::int64_t> bytes, std::size_t columns,
                    const TimelineStyle& style)
{
    QPen pen(style.colours.link, 1.8, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
    pen.setDashPattern({5, 2.5});
    paintSeamed(painter, scale, stepLine(scale, bytes, columns), pen, style);
}

void paintPhases(QPainter& painter, const QRectF& strip, const TimelineScale& scale,
                 const label::DeviceLabels& labels, const projection::AxisMap& axis,
                 const TimelineStyle& style)
{
    constexpr double kColumnsPerUnit = 2;
    const auto columns = static_cast<std::size_t>(std::max(1.0, strip.width() * kColumnsPerUnit));
    const Interval<double> range{scale.coordinateAt(strip.left()),
                                 scale.coordinateAt(strip.right())};
    const double width = strip.width() / static_cast<double>(columns);
    painter.save();
    painter.setFont(style.font);
    const QFontMetricsF metrics(style.font, painter.device());
    // Thousands of runs, but few names: each is measured once.
    std::array<double, label::kPhaseCount> widths{};
    for (std::size_t i = 0; i < label::kPhaseCount; ++i) {
        const auto phase = static_cast<label::Phase>(i);
        widths[i] = metrics.horizontalAdvance(inSentence(text(label::phaseName(phase))));
    }
    for (const projection::PhaseInterval& run :
         projection::phaseIntervals(labels, axis, range, columns)) {
        const QColor colour = phaseColour(run.phase);
        const QRectF area(strip.left() + static_cast<double>(run.begin) * width, strip.top(),
                          static_cast<double>(run.end - run.begin) * width, strip.height());
        painter.fillRect(area, colour);
        if (widths[static_cast<std::size_t>(run.phase)] + 8 <= area.width()) {
            const QString name = inSentence(text(label::phaseName(run.phase)));
            painter.setPen(textOn(colour));
            painter.drawText(area.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
    }
    painter.restore();
}

} // namespace tidemark::ui
