// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/curves.h"
#include "core/projection/selected_bytes.h"
#include "core/projection/timeline.h"
#include "ui/views/look/palette.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtGui/QFont>

#include <array>
#include <cstdint>

class QPainter;

namespace tidemark::ui {

// Draws timeline projections with a QPainter; the window, exported pictures and the PDF report
// share it. Nothing here touches an event: a projection is one small record per pixel column.

/// Columns that the height of a whole axis is taken from.
inline constexpr int kOverviewColumns = 1024;
inline constexpr std::uint32_t kAllBuckets = (1U << label::kBucketCount) - 1;

/// Where axis coordinates and bytes lie in a rectangle of the painter.
struct TimelineScale {
    QRectF rect;
    Interval<double> range; ///< Axis coordinates at the left and the right edge; not empty.
    double top_bytes = 1; ///< Bytes at the upper edge.
    double bottom_bytes = 0; ///< And at the lower one: above 0 while the height is zoomed.

    [[nodiscard]] double x(double coordinate) const;
    [[nodiscard]] double y(double bytes) const;
    [[nodiscard]] Interval<double> bytes() const
    {
        return {bottom_bytes, top_bytes};
    }
    [[nodiscard]] double coordinateAt(double x) const;
    /// Left edge of a column when the rectangle holds `count` of them.
    [[nodiscard]] double columnLeft(std::size_t column, std::size_t count) const;
};

struct TimelineStyle {
    ThemeColours colours = themeColours(Theme::light);
    /// Of the bands, which are buckets or groups of allocations.
    std::array<QColor, label::kBucketCount> bands = bucketColours();
    std::uint32_t visible = kAllBuckets; ///< Bit i: band i is drawn; the others leave the stack.
    bool cached = true; ///< Cached memory and private pools, above the bands while all are visible.
    bool axis_labels = true; ///< Below the strips: events or times, and those of the cursor.
    bool only_phases = false; ///< Below the bands: neither steps nor the program's own scopes.
    double label_room = 0; ///< How far above the picture labels may reach.
    QFont font{}; ///< Of labels; set its size in pixels.

    [[nodiscard]] bool showsCached() const
    {
        return cached && visible == kAllBuckets;
    }
};

inline constexpr double kDotDistance = 5;

/// The lines of the vertical axis, below everything, for paper and vector files.
void paintGrid(QPainter& painter, const TimelineScale& scale, const TimelineStyle& style);

/// The bands as merged rectangles, for paper and vector files: one outline per band. For the screen
/// see timeline_pixels.h.
void paintBands(QPainter& painter, const TimelineScale& scale,
                const projection::TimelineProjection& projection, const TimelineStyle& style);

/// Veils of the bands what is not selected, for paper and vector files.
void paintUnselected(QPainter& painter, const TimelineScale& scale,
                     const projection::TimelineProjection& projection,
                     std::span<const projection::SelectedColumn> selected,
                     const TimelineStyle& style);

/// A bar in the colour of text, which no bucket has, with an edge that shows it on all of them.
void paintFloorBar(QPainter& painter, const QRectF& bar, const ThemeColours& colours);

/// Where anything that is selected lives, however short, as a bar at the floor of the bands; in it
/// the lifetime of one allocation, in axis coordinates.
void paintLifetimes(QPainter& painter, const TimelineScale& scale,
                    std::span<const projection::SelectedColumn> selected, Interval<double> front,
                    const TimelineStyle& style);

/// Cached memory and private pools above the bands, where the style shows them.
void paintCached(QPainter& painter, const TimelineScale& scale,
                 const projection::TimelineProjection& projection, const TimelineStyle& style);

/// The dashed line of reserved memory.
void paintReserved(QPainter& painter, const TimelineScale& scale,
                   const projection::TimelineProjection& projection, const TimelineStyle& style);

/// A line through the largest value of each column (`bytes[i]` of column i), for predictions.
void paintGhost(QPainter& painter, const TimelineScale& scale, std::span<const std::int64_t> bytes,
                const TimelineStyle& style);

/// The dashed line of memory that a simulation reserves: column i of `columns` at `bytes[i]`; it
/// may end before the last column.
void paintSimulated(QPainter& painter, const TimelineScale& scale,
                    std::span<const std::int64_t> bytes, std::size_t columns,
                    const TimelineStyle& style);

/// Phases with their names where there is room. Uses `scale` only sideways.
void paintPhases(QPainter& painter, const QRectF& strip, const TimelineScale& scale,
                 const label::DeviceLabels& labels, const projection::AxisMap& axis,
                 const TimelineStyle& style);

} // namespace tidemark::ui
