// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/memory_map.h"
#include "ui/models/memory_map_source.h"
#include "ui/models/selection.h"
#include "ui/views/look/palette.h"

#include <QtCore/QRect>
#include <QtGui/QFont>

#include <cstdint>
#include <vector>

class QPainter;

namespace tidemark::ui {

/// How a memory map is painted.
struct MemoryMapStyle {
    ThemeColours colours;
    QFont font;
    QFont heading_font;
    int row_header_px = 0; ///< Left of the bars: sizes of the segments.
};

/// Height of a row that holds a line of text.
[[nodiscard]] int memoryMapRowHeight(const QFont& font);

/// Paints rows, bars and cells into `area`, whose bars begin behind the row headers. Blocks have
/// the colour of their bucket, what is free is tinted, what is pending striped; a cell that holds
/// both is filled from below by the share of its blocks.
void paintMemoryMap(QPainter& painter, const QRect& area,
                    const projection::MemoryMapProjection& projection, const MemoryScene& scene,
                    const std::vector<std::uint64_t>& streams, const MemoryMapStyle& style);

/// Veils the cells whose largest block is not selected.
void veilInMemoryMap(QPainter& painter, const QRect& area,
                     const projection::MemoryMapProjection& projection, const Selection& selection,
                     const MemoryMapStyle& style);

/// A frame around a stretch of a row.
void frameInMemoryMap(QPainter& painter, const QRect& area, const projection::MapView& view,
                      const projection::MapPlace& place, const MemoryMapStyle& style);

} // namespace tidemark::ui
