// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/swatch.h"

#include <QtGui/QPainter>
#include <QtGui/QPainterPath>

namespace tidemark::ui {

QColor cachedColour(const ThemeColours& colours)
{
    constexpr float kOpacity = 0.35F;
    QColor colour = colours.hatch;
    colour.setAlphaF(kOpacity);
    return colour;
}

void paintSwatch(QPainter& painter, const QRectF& square, label::Bucket bucket)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(bucketColour(bucket));
    painter.drawRoundedRect(square, 2, 2);
}

void paintCachedSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours)
{
    QPainterPath area;
    area.addRoundedRect(square, 2, 2);
    painter.save();
    painter.setClipPath(area, Qt::IntersectClip);
    painter.setPen(QPen(cachedColour(colours), 1));
    for (double sum = -square.height(); sum < square.width(); sum += 3.5) {
        painter.drawLine(QPointF(square.left() + sum, square.bottom()),
                         QPointF(square.left() + sum + square.height(), square.top()));
    }
    painter.restore();
    painter.setPen(QPen(cachedColour(colours), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(area);
}

void paintPrivateSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(cachedColour(colours));
    for (double y = square.top() + 2; y < square.bottom(); y += 3.5) {
        for (double x = square.left() + 2; x < square.right(); x += 3.5) {
            painter.drawEllipse(QPointF(x, y), 0.9, 0.9);
        }
    }
    painter.setPen(QPen(cachedColour(colours), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(square, 2, 2);
}

} // namespace tidemark::ui
