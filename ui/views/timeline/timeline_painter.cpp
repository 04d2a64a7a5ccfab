// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/timeline_painter.h"

#include "ui/models/text.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/look/swatch.h"

#include <QtGui/QFontMetricsF>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace tidemark::ui {
namespace {

using projection::TimelineColumn;
using projection::TimelineProjection;

/// Where steps are narrower than this on average their beginnings are not drawn.

/// Corners of the staircase through `value(column)`, equal neighbours merged.
std::vector<QPointF> staircase(const TimelineScale& scale, const TimelineProjection& projection,
                               const std::function<std::int64_t(const TimelineColumn&)>& value)
{
    std::vector<QPointF> corners;
    const std::size_t count = projection.columns.size();
    for (std::size_t i = 0; i < count;) {
        const std::int64_t bytes = value(projection.columns[i]);
        std::size_t end = i + 1;
        while (end < count && value(projection.columns[end]) == bytes) {
            ++end;
        }
        const double y = scale.y(static_cast<double>(bytes));
        corners.emplace_back(scale.columnLeft(i, count), y);
        corners.emplace_back(scale.columnLeft(end, count), y);
        i = end;
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

void hatchArea(QPainter& painter, const QPainterPath& area, const TimelineStyle& style)
{
    const QRectF box = area.boundingRect();
    if (box.isEmpty()) {
        return;
    }
    painter.save();
    painter.setClipPath(area, Qt::IntersectClip);
    painter.setPen(QPen(cachedColour(style.colours), 0.6));
    std::vector<QLineF> lines;
    const double first = std::floor((box.left() + box.top()) / kHatchDistance) * kHatchDistance;
    for (double sum = first; sum < box.right() + box.bottom(); sum += kHatchDistance) {
        lines.emplace_back(sum - box.bottom(), box.bottom(), sum - box.top(), box.top());
    }
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
    painter.restore();
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
    painter.setPen(QPen(cachedColour(style.colours), 1.8, Qt::SolidLine, Qt::RoundCap));
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

/// A stretch of the phase strip in one colour.
struct PhaseRun {
    label::Phase phase = label::Phase::other;
    double left = 0;
    double right = 0;
};

/// Every column of the strip gets the phase that covers most of it; equal neighbours become one
/// run. O(spans + columns).
std::vector<PhaseRun> phaseRuns(const QRectF& strip, const TimelineScale& scale,
                                const label::DeviceLabels& labels, const projection::AxisMap& axis)
{
    constexpr double kColumnsPerUnit = 2;
    const auto count = static_cast<std::size_t>(std::max(1.0, strip.width() * kColumnsPerUnit));
    std::vector<std::array<float, label::kPhaseCount>> covered(count);
    const auto columnOf = [&](double x) {
        return (x - strip.left()) / strip.width() * static_cast<double>(count);
    };
    for (const label::PhaseSpan& span : labels.phases) {
        const double from = columnOf(scale.x(axis.toX(StateId{span.first.value})));
        const double to = columnOf(scale.x(axis.toX(StateId{span.end.value})));
        const double begin = std::max(from, 0.0);
        const double end = std::min(to, static_cast<double>(count));
        for (auto column = static_cast<std::size_t>(begin);
             column < count && static_cast<double>(column) < end; ++column) {
            const double left = std::max(begin, static_cast<double>(column));
            const double right = std::min(end, static_cast<double>(column + 1));
            covered[column][static_cast<std::size_t>(span.phase)] +=
                static_cast<float>(right - left);
        }
    }
    std::vector<PhaseRun> runs;
    for (std::size_t i = 0; i < count; ++i) {
        const auto largest = std::ranges::max_element(covered[i]);
        if (*largest <= 0) {
            continue;
        }
        const auto phase = static_cast<label::Phase>(largest - covered[i].begin());
        const double left = strip.left() + static_cast<double>(i) / kColumnsPerUnit;
        const double right = left + 1 / kColumnsPerUnit;
        const bool continues =
            !runs.empty() && runs.back().phase == phase && runs.back().right >= left - 0.01;
        if (continues) {
            runs.back().right = right;
        } else {
            runs.push_back({phase, left, right});
        }
    }
    return runs;
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

std::int64_t privateTop(const TimelineColumn& column)
{
    return std::min(column.total + column.private_cached, std::max(column.reserved, column.total));
}

std::int64_t visibleTotal(const TimelineColumn& column, std::uint32_t visible)
{
    std::int64_t total = 0;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        if (label::isIn(visible, label::bucketAt(i))) {
            total += column.buckets[i];
        }
    }
    return total;
}

void paintCached(QPainter& painter, const TimelineScale& scale,
                 const TimelineProjection& projection, const TimelineStyle& style)
{
    if (!style.showsCached()) {
        return;
    }
    const auto total =
        staircase(scale, projection, [](const TimelineColumn& c) { return c.total; });
    const auto pools = staircase(scale, projection, privateTop);
    const auto reserved = staircase(scale, projection, [](const TimelineColumn& c) {
        return std::max(c.reserved, privateTop(c));
    });
    if (pools != total) {
        dotArea(painter, areaBetween(pools, total), style);
    }
    hatchArea(painter, areaBetween(reserved, pools), style);
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
    const auto floor = staircase(scale, projection, [](const TimelineColumn&) { return 0; });
    paintCached(painter, scale, projection, style);
    painter.setPen(Qt::NoPen);
    // From the uppermost band down, each one to the floor: no hairlines between neighbours.
    for (std::size_t b = label::kBucketCount; b-- > 0;) {
        const std::uint32_t below = style.visible & ((1U << (b + 1)) - 1);
        const bool occurs = label::isIn(style.visible, label::bucketAt(b))
            && std::ranges::any_of(projection.columns, [&](const TimelineColumn& column) {
                                return column.buckets[b] > 0;
                            });
        if (occurs) {
            const auto top = staircase(scale, projection, [&](const TimelineColumn& column) {
                return visibleTotal(column, below);
            });
            painter.setBrush(style.bands[b]);
            painter.drawPath(areaBetween(top, floor));
        }
    }
    painter.restore();
}

void paintReserved(QPainter& painter, const TimelineScale& scale,
                   const TimelineProjection& projection, const TimelineStyle& style)
{
    const auto corners =
        staircase(scale, projection, [](const TimelineColumn& c) { return c.reserved; });
    const double floor = scale.y(0);
    QPainterPath path;
    bool is_drawing = false;
    for (const QPointF& corner : corners) {
        const bool is_above = corner.y() < floor;
        if (is_above && is_drawing) {
            path.lineTo(corner);
        } else if (is_above) {
            path.moveTo(corner);
        }
        is_drawing = is_above;
    }
    QPen pen(style.colours.reserved, 1.2);
    pen.setDashPattern({4, 2.5});
    pen.setCapStyle(Qt::FlatCap);
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
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
    painter.setPen(QPen(style.colours.card, 3.6, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPolyline(line);
    painter.setPen(pen);
    painter.drawPolyline(line);
    painter.restore();
}

} // namespace

void paintGhost(QPainter& painter, const TimelineScale& scale, std::span<const std::int64_t> bytes,
                const TimelineStyle& style)
{
    paintSeamed(painter, scale, stepLine(scale, bytes, bytes.size()),
                QPen(style.colours.text, 1.6, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin), style);
}

void paintSimulated(QPainter& painter, const TimelineScale& scale,
                    std::span<const std::int64_t> bytes, std::size_t columns,
                    const TimelineStyle& style)
{
    QPen pen(style.colours.link, 1.8, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    pen.setDashPattern({5, 2.5});
    paintSeamed(painter, scale, stepLine(scale, bytes, columns), pen, style);
}

void paintPhases(QPainter& painter, const QRectF& strip, const TimelineScale& scale,
                 const label::DeviceLabels& labels, const projection::AxisMap& axis,
                 const TimelineStyle& style)
{
    const std::vector<PhaseRun> runs = phaseRuns(strip, scale, labels, axis);
    painter.save();
    painter.setFont(style.font);
    const QFontMetricsF metrics(style.font, painter.device());
    // Thousands of runs, but few names: each is measured once.
    std::array<double, label::kPhaseCount> widths{};
    for (std::size_t i = 0; i < label::kPhaseCount; ++i) {
        const auto phase = static_cast<label::Phase>(i);
        widths[i] = metrics.horizontalAdvance(text(label::phaseName(phase)).toLower());
    }
    for (const PhaseRun& run : runs) {
        const QColor colour = phaseColour(run.phase);
        const QRectF area(run.left, strip.top(), run.right - run.left, strip.height());
        painter.fillRect(area, colour);
        if (widths[static_cast<std::size_t>(run.phase)] + 8 <= area.width()) {
            const QString name = text(label::phaseName(run.phase)).toLower();
            painter.setPen(textOn(colour));
            painter.drawText(area.adjusted(4, 0, -4, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
        }
    }
    painter.restore();
}

} // namespace tidemark::ui
