// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/allocation_layers.h"
#include "core/projection/selected_bytes.h"
#include "core/projection/timeline.h"
#include "ui/models/selection.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtGui/QRgb>

#include <array>
#include <span>

class QImage;

namespace tidemark::ui {

// Timeline projections as pixels, for the screen. Images are opaque RGB, as wide as the projection
// has columns; every pixel is written, where there is no memory with the card's colour and the
// lines of the vertical axis. `pixel_ratio` scales hatch, dots and hairlines.

/// The bands between these bytes, which lie at the lower and the upper edge. Where there is a
/// selection (one per column), its share of each band stands at the band's lower edge, and the rest
/// is pale. O(width · height).
void fillBands(QImage& image, const projection::TimelineProjection& projection,
               Interval<double> bytes, const TimelineStyle& style, double pixel_ratio,
               std::span<const projection::SelectedColumn> selected = {});

/// The allocations of `layers`, whose height is that of the image, and above them what else
/// `projection` knows of the same columns. With a selection of several, what is not in it is pale.
/// O(width · height).
void fillLayers(QImage& image, const projection::TimelineProjection& projection,
                const projection::AllocationLayers& layers, const TimelineStyle& style,
                double pixel_ratio, const Selection* selection = nullptr);

/// The colours of bands that are not selected.
[[nodiscard]] TimelineStyle paleStyle(const TimelineStyle& style);

/// Colours of single allocations: their band's, a little lighter or darker by the allocation's
/// number, so that neighbours can be told apart and one keeps its colour wherever it is seen.
class LayerColours {
public:
    explicit LayerColours(const TimelineStyle& style);
    /// Of what a record shows; several thin allocations have their band's own colour.
    [[nodiscard]] QRgb of(const projection::LayerRecord& record) const
    {
        return m_fill[label::indexOf(record.bucket)][shadeOf(record)];
    }
    /// Of the hairline at the upper edge of a high record.
    [[nodiscard]] QRgb edgeOf(const projection::LayerRecord& record) const
    {
        return m_edge[label::indexOf(record.bucket)][shadeOf(record)];
    }

private:
    static constexpr std::size_t kShades = 9; ///< The band's own and four pairs around it.
    [[nodiscard]] static std::size_t shadeOf(const projection::LayerRecord& record)
    {
        // Multiplied so that allocations made one after another are far apart.
        return record.count > kMostInOne ? 0 : 1 + (record.largest.value * 2654435761U >> 29U);
    }
    static constexpr std::uint32_t kMostInOne = 2;
    using Shades = std::array<QRgb, kShades>;
    std::array<Shades, label::kBucketCount> m_fill{};
    std::array<Shades, label::kBucketCount> m_edge{};
};

/// The colours of allocations beside a selection: of one of several, what is not in it is pale.
class PickedColours {
public:
    /// `selection` may be null, and outlives it.
    PickedColours(const TimelineStyle& style, const Selection* selection);
    [[nodiscard]] const LayerColours& of(const projection::LayerRecord& record) const
    {
        return m_selection != nullptr && !m_selection->has(record.largest) ? m_pale : m_full;
    }

private:
    const Selection* m_selection; ///< Null: nothing is pale.
    LayerColours m_full;
    LayerColours m_pale;
};

} // namespace tidemark::ui
