// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "ui/views/look/palette.h"

#include <QtCore/QRectF>
#include <QtGui/QColor>
#include <QtGui/QIcon>

class QPainter;

namespace tidemark::ui {

/// A calm tint: of cached memory, and behind the dots of private pools.
[[nodiscard]] QColor cachedColour(const ThemeColours& colours);
/// Of the dots.
[[nodiscard]] QColor privateColour(const ThemeColours& colours);

inline constexpr int kSwatchSize = 12; ///< Pixels of an icon.

/// A small square that stands for a bucket, or for a band of any colour.
void paintSwatch(QPainter& painter, const QRectF& square, label::Bucket bucket);
void paintSwatch(QPainter& painter, const QRectF& square, const QColor& colour);
/// Squares that stand for cached memory (tinted) and private pools (dotted).
void paintCachedSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours);
void paintPrivateSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours);

/// The fixed colour of a bucket as an icon.
[[nodiscard]] QIcon bucketIcon(label::Bucket bucket);
/// A band's colour as an icon, and as an outline for a band that is hidden.
[[nodiscard]] QIcon bandIcon(const QColor& colour);
[[nodiscard]] QIcon hiddenBandIcon(const QColor& colour);

} // namespace tidemark::ui
