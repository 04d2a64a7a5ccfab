// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/swatch.h"

#include "ui/views/look/theme.h"

#include <QtGui/QPainter>
#include <QtGui/QPixmapCache>

namespace tidemark::ui {
namespace {

constexpr float kCachedOpacity = 0.13F;
constexpr float kDotOpacity = 0.45F;
constexpr int kSwatchScale = 4; ///< Enough pixels for the highest resolutions.

/// Equal ones are one picture: Qt keeps every picture that it ever scaled, and cells ask for one
/// whenever they are painted.
QIcon swatchIcon(const QString& form, const QColor& colour, auto&& paint)
{
    const QString key =
        QStringLiteral("tidemark-%1-%2-%3").arg(form, colour.name(), currentColours().card.name());
    QPixmap pixmap;
    if (!QPixmapCache::find(key, &pixmap)) {
        pixmap = QPixmap(kSwatchSize * kSwatchScale, kSwatchSize * kSwatchScale);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.scale(kSwatchScale, kSwatchScale);
        paint(painter, QRectF(1, 1, kSwatchSize - 2, kSwatchSize - 2));
        painter.end();
        QPixmapCache::insert(key, pixmap);
    }
    QIcon icon(pixmap);
    icon.addPixmap(pixmap, QIcon::Selected); // Else its colour would be another one there.
    return icon;
}

} // namespace

QColor cachedColour(const ThemeColours& colours)
{
    QColor colour = colours.cached;
    colour.setAlphaF(kCachedOpacity);
    return colour;
}

QColor privateColour(const ThemeColours& colours)
{
    QColor colour = colours.cached;
    colour.setAlphaF(kDotOpacity);
    return colour;
}

void paintSwatch(QPainter& painter, const QRectF& square, label::Bucket bucket)
{
    paintSwatch(painter, square, bucketColour(bucket));
}

void paintSwatch(QPainter& painter, const QRectF& square, const QColor& colour)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(square, 2, 2);
}

QIcon bucketIcon(label::Bucket bucket)
{
    return bandIcon(bucketColour(bucket));
}

QIcon bandIcon(const QColor& colour)
{
    return swatchIcon(QStringLiteral("band"), colour,
                      [&colour](QPainter& painter, const QRectF& square) {
                          paintSwatch(painter, square, colour);
                      });
}

QIcon hiddenBandIcon(const QColor& colour)
{
    return swatchIcon(QStringLiteral("hidden"), colour,
                      [&colour](QPainter& painter, const QRectF& square) {
                          painter.setPen(QPen(colour, 1.4));
                          painter.setBrush(Qt::NoBrush);
                          painter.drawRoundedRect(square.adjusted(0.7, 0.7, -0.7, -0.7), 2, 2);
                      });
}

void paintCachedSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours)
{
    painter.setPen(QPen(privateColour(colours), 1)); // Else nobody would see it on a card.
    painter.setBrush(cachedColour(colours));
    painter.drawRoundedRect(square.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
}

void paintPrivateSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours)
{
    paintCachedSwatch(painter, square, colours);
    painter.setPen(Qt::NoPen);
    painter.setBrush(privateColour(colours));
    for (double y = square.top() + 2; y < square.bottom(); y += 3.5) {
        for (double x = square.left() + 2; x < square.right(); x += 3.5) {
            painter.drawEllipse(QPointF(x, y), 0.9, 0.9);
        }
    }
}

} // namespace tidemark::ui
