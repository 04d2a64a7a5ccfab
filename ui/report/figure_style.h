// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/report/table.h"
#include "ui/report/text_block.h"

#include <QtCore/QPointF>
#include <QtCore/QString>
#include <QtGui/QFont>

#include <vector>

namespace tidemark::ui::report {

// What all figures of the report have in common.

/// The shared painters count in pixels of a screen with 96 per inch.
inline constexpr double kUnitsPerPoint = 96.0 / 72.0;
inline constexpr double kColumnsPerPoint = 2;
inline constexpr double kGutter = 58; ///< Units for the labels of the byte axis.
inline constexpr double kStripHeight = 14; ///< Of phases, and of steps.
inline constexpr TextStyle kFigureText{10, false, false, kInk};
inline constexpr TextStyle kFigureGrey{10, false, false, kGrey};

[[nodiscard]] QFont figureFont();

/// One line of text, centred in a row of some height.
void drawFigureText(QPainter& painter, const QString& text, const TextStyle& style,
                    QPointF top_left, double row_height);

struct LegendEntry {
    QString name;
    Swatch swatch;
};
/// Names and swatches in rows from the gutter to `width`; returns the height that they take. With a
/// null painter it only measures.
double paintFigureLegend(QPainter* painter, QPointF corner, double width,
                         const std::vector<LegendEntry>& entries);

} // namespace tidemark::ui::report
