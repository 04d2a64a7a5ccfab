// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/report/figure_style.h"

#include <QtGui/QPainter>

namespace tidemark::ui::report {

QFont figureFont()
{
    QFont font = reportFont(kSmall);
    font.setPixelSize(static_cast<int>(kFigureText.size));
    font.setLetterSpacing(QFont::AbsoluteSpacing, 0); // It would grow with the paper's resolution.
    return font;
}

void drawFigureText(QPainter& painter, const QString& text, const TextStyle& style,
                    QPointF top_left, double row_height)
{
    const TextBlock block(text, style, textWidth(text, style) + 10);
    block.draw(painter, top_left + QPointF(0, (row_height - block.height()) / 2));
}

double paintFigureLegend(QPainter* painter, QPointF corner, double width,
                         const std::vector<LegendEntry>& entries)
{
    constexpr double kRow = 15;
    constexpr double kSwatch = 9;
    constexpr double kLine = 18; ///< Lines need more room than squares to be recognised.
    double x = kGutter;
    double y = 0;
    for (const LegendEntry& entry : entries) {
        const bool is_line =
            entry.swatch.kind == Swatch::Kind::line || entry.swatch.kind == Swatch::Kind::dashes;
        const double swatch_width = is_line ? kLine : kSwatch;
        const QString name = elidedEnd(entry.name, kFigureText, width - kGutter - 40);
        const double entry_width = swatch_width + 5 + textWidth(name, kFigureText);
        if (x > kGutter && x + entry_width > width) {
            x = kGutter;
            y += kRow;
        }
        if (painter != nullptr) {
            const QPointF at = corner + QPointF(x, y);
            drawSwatch(*painter, entry.swatch,
                       QRectF(at.x(), at.y() + (kRow - kSwatch) / 2, swatch_width, kSwatch));
            drawFigureText(*painter, name, kFigureText, at + QPointF(swatch_width + 5, 0), kRow);
        }
        x += entry_width + 16;
    }
    return y + kRow;
}

} // namespace tidemark::ui::report
