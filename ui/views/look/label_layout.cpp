// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/look/label_layout.h"

#include <algorithm>

namespace tidemark::ui {

LabelLayout::LabelLayout(const QRectF& bounds)
    : m_bounds(bounds)
{
}

void LabelLayout::block(const QRectF& area)
{
    m_taken.push_back(area);
}

std::optional<QRectF> LabelLayout::place(const QSizeF& size, std::span<const QPointF> places)
{
    for (const QPointF& corner : places) {
        const QRectF area(corner, size);
        const bool is_free = std::ranges::none_of(
            m_taken, [&](const QRectF& other) { return other.intersects(area); });
        if (is_free && m_bounds.contains(area)) {
            m_taken.push_back(area);
            return area;
        }
    }
    return std::nullopt;
}

} // namespace tidemark::ui
