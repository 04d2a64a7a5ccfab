// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/compare/delta_painter.h"

#include <QtGui/QPainter>
#include <QtGui/QPolygonF>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

using projection::DeltaColumn;

/// The staircase of a value over the columns, closed along the zero line. Equal neighbours are
/// merged.
template <class ValueOf>
QPolygonF area(const DeltaScale& scale, const std::vector<DeltaColumn>& columns,
               const ValueOf& valueOf)
{
    QPolygonF corners;
    const auto count = static_cast<double>(columns.size());
    const auto left = [&](std::size_t i) {
        return scale.rect.left() + scale.rect.width() * static_cast<double>(i) / count;
    };
    corners << QPointF(scale.rect.left(), scale.y(0));
    for (std::size_t i = 0; i < columns.size();) {
        const std::int64_t value = valueOf(columns[i]);
        std::size_t end = i + 1;
        while (end < columns.size() && valueOf(columns[end]) == value) {
            ++end;
        }
        const double y = scale.y(static_cast<double>(value));
        corners << QPointF(left(i), y) << QPointF(left(end), y);
        i = end;
    }
    corners << QPointF(scale.rect.right(), scale.y(0));
    return corners;
}

void paintSide(QPainter& painter, const DeltaScale& scale, const std::vector<DeltaColumn>& columns,
               bool is_above, const TimelineStyle& style)
{
    // From the outermost band to zero, each one down to the line: no seams between neighbours.
    for (std::size_t b = label::kBucketCount; b-- > 0;) {
        const bool occurs = label::isIn(style.visible, label::bucketAt(b))
            && std::ranges::any_of(columns, [&](const DeltaColumn& column) {
                                return is_above ? column.buckets[b] > 0 : column.buckets[b] < 0;
                            });
        if (occurs) {
            painter.setBrush(bucketColour(label::bucketAt(b)));
            painter.drawPolygon(area(scale, columns, [&](const DeltaColumn& column) {
                return column.reach(b, is_above, style.visible);
            }));
        }
    }
}

/// A line through the sum, where both runs are there.
void paintNet(QPainter& painter, const DeltaScale& scale, const std::vector<DeltaColumn>& columns,
              const TimelineStyle& style)
{
    const auto count = static_cast<double>(columns.size());
    QPolygonF line;
    painter.setPen(QPen(style.colours.text, 1, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    for (std::size_t i = 0; i <= columns.size(); ++i) {
        if (i == columns.size() || !columns[i].in_both) {
            painter.drawPolyline(line);
            line.clear();
            continue;
        }
        const double y = scale.y(static_cast<double>(columns[i].net(style.visible)));
        const double left = scale.rect.left() + scale.rect.width() * static_cast<double>(i) / count;
        line << QPointF(left, y) << QPointF(left + scale.rect.width() / count, y);
    }
}

} // namespace

double DeltaScale::y(double bytes) const
{
    return rect.top() + (above_bytes - bytes) / (above_bytes + below_bytes) * rect.height();
}

double DeltaScale::bytesAt(double y) const
{
    return above_bytes - (y - rect.top()) / rect.height() * (above_bytes + below_bytes);
}

DeltaScale deltaScale(const QRectF& rect, Interval<double> range,
                      const projection::DeltaHeights& heights)
{
    const projection::DeltaSides sides = projection::sidesFor(heights);
    return {rect, range, sides.above, sides.below};
}

std::vector<AxisTick> deltaTicks(const DeltaScale& scale, int max_count)
{
    const double most = std::max(scale.above_bytes, scale.below_bytes);
    const double whole = scale.above_bytes + scale.below_bytes;
    const int of_longer =
        std::max(1, static_cast<int>(std::lround(static_cast<double>(max_count) * most / whole)));
    std::vector<AxisTick> ticks;
    for (const AxisTick& tick : byteTicks(most, of_longer)) {
        if (tick.at == 0) {
            ticks.push_back({0, QStringLiteral("0")});
            continue;
        }
        if (tick.at <= scale.above_bytes) {
            ticks.push_back({tick.at, QStringLiteral("+") % tick.label});
        }
        if (tick.at <= scale.below_bytes) {
            ticks.push_back({-tick.at, QStringLiteral("−") % tick.label});
        }
    }
    return ticks;
}

void paintDelta(QPainter& painter, const DeltaScale& scale, const std::vector<DeltaColumn>& columns,
                const TimelineStyle& style)
{
    if (columns.empty()) {
        return;
    }
    painter.save();
    painter.setClipRect(scale.rect, Qt::IntersectClip);
    painter.setPen(QPen(style.colours.grid, 1));
    for (const AxisTick& tick : deltaTicks(scale, byteTickCount(scale.rect.height()))) {
        const double y = scale.y(tick.at);
        painter.drawLine(QPointF(scale.rect.left(), y), QPointF(scale.rect.right(), y));
    }
    painter.setPen(Qt::NoPen);
    paintSide(painter, scale, columns, true, style);
    paintSide(painter, scale, columns, false, style);
    paintNet(painter, scale, columns, style);
    painter.setPen(QPen(style.colours.secondary, 1));
    painter.drawLine(QPointF(scale.rect.left(), scale.y(0)),
                     QPointF(scale.rect.right(), scale.y(0)));
    painter.restore();
}

} // namespace tidemark::ui
