// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/memory_map/memory_map_painter.h"

#include "ui/models/text.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/memory_map/memory_map_words.h"

#include <QtGui/QFontMetrics>
#include <QtGui/QPainter>
#include <QtGui/QPixmap>

#include <algorithm>
#include <cmath>

namespace tidemark::ui {
namespace {

using projection::MapBar;
using projection::MapCell;

constexpr int kMapTextMargin = 6; ///< Pixels between lines of text and above bars.
constexpr int kBarMargin = 2; ///< Above and below a bar.
constexpr double kSeparated = 4; ///< Cells at least so wide are set apart from the next one.
constexpr int kStripeDistance = 6;

/// Diagonal lines, `distance` pixels apart, over whole rows: neighbouring cells continue them.
QBrush stripes(const QColor& colour, int distance, double width)
{
    QPixmap tile(distance, distance);
    tile.fill(Qt::transparent);
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, width));
    for (const int shift : {-distance, 0, distance}) {
        painter.drawLine(shift, 0, shift + distance, distance);
    }
    return QBrush(tile);
}

class MapPainter {
public:
    MapPainter(QPainter& painter, const QRect& area, const MemoryScene& scene,
               const std::vector<std::uint64_t>& streams, const MemoryMapStyle& style)
        : m_painter(painter)
        , m_area(area)
        , m_scene(scene)
        , m_streams(streams)
        , m_style(style)
        , m_metrics(style.font)
        , m_bars_left(area.left() + style.row_header_px)
    {
        QColor stripe = style.colours.card;
        stripe.setAlphaF(0.75F);
        m_pending = stripes(stripe, kStripeDistance, 1.6);
    }

    void paint(const projection::MemoryMapProjection& projection)
    {
        auto cell = projection.cells.begin();
        for (const MapBar& bar : projection.bars) {
            const QRect row(m_area.left(), m_area.top() + bar.top_px, m_area.width(),
                            projection.view.row_px);
            if (m_scene.layout.rows[bar.row].isHeading()) {
                paintHeading(bar, row);
                continue;
            }
            paintRowHeader(bar, row);
            m_painter.save();
            m_painter.setClipRect(row.adjusted(m_style.row_header_px, 0, 0, 0), Qt::IntersectClip);
            paintBar(bar, row);
            for (; cell != projection.cells.end() && cell->row == bar.row; ++cell) {
                paintCell(*cell, row);
            }
            m_painter.restore();
        }
    }

private:
    void paintHeading(const MapBar& bar, const QRect& row)
    {
        constexpr int kUnder =
            Qt::AlignLeft | Qt::AlignBottom; // Nearer to its rows than to others.
        const replay::PoolTotals& pool = m_scene.memory.pools[m_scene.layout.rows[bar.row].pool];
        m_painter.setFont(m_style.heading_font);
        m_painter.setPen(m_style.colours.text);
        const QString title = poolTitle(pool, m_streams);
        const QFontMetrics metrics(m_style.heading_font);
        QRect box = row.adjusted(0, 0, 0, -1);
        m_painter.drawText(box, kUnder, metrics.elidedText(title, Qt::ElideRight, box.width()));
        box.setLeft(box.left() + metrics.horizontalAdvance(title) + 2 * kMapTextMargin);
        m_painter.setFont(m_style.font);
        m_painter.setPen(m_style.colours.secondary);
        if (box.width() > 0) {
            m_painter.drawText(
                box, kUnder, m_metrics.elidedText(poolFigures(pool), Qt::ElideRight, box.width()));
        }
    }

    /// "20.00 MiB  12 % free", each in a column of its own.
    void paintRowHeader(const MapBar& bar, const QRect& row)
    {
        const replay::SegmentState& s =
            m_scene.memory.segments[m_scene.layout.rows[bar.row].segment];
        const int share_px =
            m_metrics.horizontalAdvance(MemoryMapPanel::tr("%1 free").arg(percentText(1)))
            + kMapTextMargin;
        const QRect left(row.left(), row.top(), m_style.row_header_px - share_px - kMapTextMargin,
                         row.height());
        const QRect right(left.right() + 1, row.top(), share_px, row.height());
        m_painter.setFont(m_style.font);
        m_painter.setPen(m_style.colours.text);
        m_painter.drawText(left, Qt::AlignRight | Qt::AlignVCenter, bytesText(s.size));
        const double share = s.size.value > 0
            ? static_cast<double>(s.free().value) / static_cast<double>(s.size.value)
            : 0.0;
        m_painter.setPen(s.hole_count > 0 ? m_style.colours.secondary : m_style.colours.faint);
        m_painter.drawText(right, Qt::AlignRight | Qt::AlignVCenter,
                           s.hole_count > 0 ? MemoryMapPanel::tr("%1 free").arg(percentText(share))
                                            : MemoryMapPanel::tr("full"));
    }

    [[nodiscard]] QRectF barRect(double left, double right, const QRect& row) const
    {
        return {m_bars_left + left, static_cast<double>(row.top() + kBarMargin), right - left,
                static_cast<double>(row.height() - 2 * kBarMargin)};
    }

    void paintBar(const MapBar& bar, const QRect& row)
    {
        if (bar.right_px > bar.left_px) {
            const QRectF box = barRect(bar.left_px, bar.right_px, row);
            m_painter.fillRect(box, m_style.colours.window);
            m_painter.fillRect(box, cachedColour(m_style.colours));
        }
    }

    void paintCell(const MapCell& cell, const QRect& row)
    {
        if (cell.blocks == 0) {
            labelHole(cell, row);
            return;
        }
        const double width = cell.right_px - cell.left_px;
        const double gap = width >= kSeparated ? 1 : 0;
        QRectF box = barRect(cell.left_px, cell.right_px - gap, row);
        const auto bytes = static_cast<double>((cell.block_bytes + cell.hole_bytes).value);
        if (cell.holes > 0 && bytes > 0) {
            const double share = static_cast<double>(cell.block_bytes.value) / bytes;
            box.setTop(box.bottom() - std::max(1.0, share * box.height()));
        }
        const QColor colour = bucketColour(cell.bucket);
        m_painter.fillRect(box, colour);
        const bool is_pending = cell.pending_bytes.value * 2 > cell.block_bytes.value;
        if (is_pending) {
            m_painter.fillRect(box, m_pending);
        } else if (!cell.only.isNone()) {
            drawInside(box, textOn(colour),
                       {text(label::bucketName(cell.bucket)) + QLatin1Char(' ')
                            + bytesText(cell.block_bytes),
                        bytesText(cell.block_bytes)});
        }
    }

    void labelHole(const MapCell& cell, const QRect& row)
    {
        if (cell.holes != 1) {
            return;
        }
        const QRectF box = barRect(cell.left_px, cell.right_px, row);
        const QString words = MemoryMapPanel::tr("free %1").arg(bytesText(cell.hole_bytes));
        const QRectF seen =
            box.intersected(QRectF(m_area.adjusted(m_style.row_header_px, 0, 0, 0)));
        const int wide = m_metrics.horizontalAdvance(words) + 2 * kMapTextMargin;
        if (seen.width() < wide) {
            return;
        }
        // Lines through words are hard to read.
        m_painter.fillRect(
            QRectF(seen.center().x() - wide / 2.0, seen.top() + 1, wide, seen.height() - 2),
            m_style.colours.window);
        drawInside(box, m_style.colours.secondary, {words});
    }

    /// The first of some texts that fits into the visible part of a box.
    void drawInside(const QRectF& box, const QColor& colour, std::initializer_list<QString> texts)
    {
        const QRectF seen =
            box.intersected(QRectF(m_area.adjusted(m_style.row_header_px, 0, 0, 0)));
        for (const QString& words : texts) {
            if (m_metrics.horizontalAdvance(words) + 2 * kMapTextMargin <= seen.width()) {
                m_painter.setFont(m_style.font);
                m_painter.setPen(colour);
                m_painter.drawText(seen, Qt::AlignCenter, words);
                return;
            }
        }
    }

    QPainter& m_painter;
    QRect m_area;
    const MemoryScene& m_scene;
    const std::vector<std::uint64_t>& m_streams;
    const MemoryMapStyle& m_style;
    QFontMetrics m_metrics;
    double m_bars_left;
    QBrush m_pending;
};

} // namespace

int memoryMapRowHeight(const QFont& font)
{
    return QFontMetrics(font).height() + kMapTextMargin;
}

void paintMemoryMap(QPainter& painter, const QRect& area,
                    const projection::MemoryMapProjection& projection, const MemoryScene& scene,
                    const std::vector<std::uint64_t>& streams, const MemoryMapStyle& style)
{
    painter.save();
    painter.setClipRect(area);
    MapPainter(painter, area, scene, streams, style).paint(projection);
    painter.restore();
}

void veilInMemoryMap(QPainter& painter, const QRect& area,
                     const projection::MemoryMapProjection& projection, const Selection& selection,
                     const MemoryMapStyle& style)
{
    constexpr float kVeil = 0.65F;
    QColor veil = style.colours.card;
    veil.setAlphaF(kVeil);
    const projection::MapView& view = projection.view;
    painter.save();
    painter.setClipRect(area.adjusted(style.row_header_px, 0, 0, 0));
    for (const MapCell& cell : projection.cells) {
        if (cell.blocks > 0 && !selection.has(cell.allocation)) {
            const double top = area.top()
                + static_cast<double>(std::int64_t{cell.row} * view.row_px - view.scroll_px);
            painter.fillRect(QRectF(area.left() + style.row_header_px + cell.left_px,
                                    top + kBarMargin, cell.right_px - cell.left_px,
                                    view.row_px - 2 * kBarMargin),
                             veil);
        }
    }
    painter.restore();
}

void frameInMemoryMap(QPainter& painter, const QRect& area, const projection::MapView& view,
                      const projection::MapPlace& place, const MemoryMapStyle& style)
{
    constexpr double kLeast = 3; // a frame that thin can still be seen
    const double middle = (place.left_px + place.right_px) / 2;
    const double left = std::min(place.left_px, middle - kLeast / 2);
    const double right = std::max(place.right_px, middle + kLeast / 2);
    const double top =
        area.top() + static_cast<double>(std::int64_t{place.row} * view.row_px - view.scroll_px);
    painter.save();
    painter.setClipRect(area.adjusted(style.row_header_px - 2, 0, 0, 0));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(style.colours.card, 4));
    const QRectF frame(area.left() + style.row_header_px + left, top + 1, right - left,
                       view.row_px - 2);
    painter.drawRect(frame);
    painter.setPen(QPen(style.colours.text, 2));
    painter.drawRect(frame);
    painter.restore();
}

} // namespace tidemark::ui
