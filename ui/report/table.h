// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/report/page_flow.h"
#include "ui/report/text_block.h"

#include <optional>
#include <vector>

namespace tidemark::ui::report {

/// The small mark of a band before its name.
struct Swatch {
    enum class Kind { solid, tint, dots, line, dashes };
    QColor color;
    Kind kind = Kind::solid;
};

/// Side of a swatch, and the distance from its left edge to the text behind it.
inline constexpr double kSwatchSize = 6.5;
inline constexpr double kSwatchAdvance = 11;

/// Between columns.
inline constexpr double kColumnGap = 8;

void drawSwatch(QPainter& painter, const Swatch& swatch, QRectF rect);

struct Cell {
    std::vector<Run> runs;
    std::optional<Swatch> swatch{};
};

/// A cell with plain text.
Cell cell(const QString& text, const TextStyle& style = kBody);

struct Column {
    QString title;
    double width = 0; ///< 0: an equal share of what the others leave.
    TextBlock::Align align = TextBlock::Align::left;
};

struct TableRow {
    std::vector<Cell> cells;
    bool is_total = false; ///< Stands under a line and stays with the row before it.
};

/// A table whose header is repeated on every page; without titles it has none. Rows stay whole
/// unless they are taller than half a page; then they continue on the next one. Neither the first
/// row nor the last one stands alone on a page.
struct Table {
    std::vector<Column> columns;
    std::vector<TableRow> rows;
    double row_padding = 2.6; ///< Above and below each row.
};

/// Nothing for a table without rows.
void addTable(PageFlow& flow, const Table& table);

/// How high all of it is where it needs no second page.
[[nodiscard]] double tableHeight(PageFlow& flow, const Table& table);

} // namespace tidemark::ui::report
