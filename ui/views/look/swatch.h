// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "ui/views/look/palette.h"

#include <QtCore/QRectF>
#include <QtGui/QColor>

class QPainter;

namespace tidemark::ui {

/// Of hatch and dots.
[[nodiscard]] QColor cachedColour(const ThemeColours& colours);

/// A small square that stands for a bucket.
void paintSwatch(QPainter& painter, const QRectF& square, label::Bucket bucket);
/// Squares that stand for cached memory (hatched) and private pools (dotted).
void paintCachedSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours);
void paintPrivateSwatch(QPainter& painter, const QRectF& square, const ThemeColours& colours);

} // namespace tidemark::ui
