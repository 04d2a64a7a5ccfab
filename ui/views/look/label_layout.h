// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QPointF>
#include <QtCore/QRectF>

#include <optional>
#include <span>
#include <vector>

namespace tidemark::ui {

/// Finds room for labels inside a rectangle so that none covers another or is cut off: the first
/// one placed has the first choice, the last one may drop out.
class LabelLayout {
public:
    explicit LabelLayout(const QRectF& bounds);

    /// Keeps labels away from here.
    void block(const QRectF& area);
    /// Takes the first of the places (top-left corners, best first) where `size` fits inside the
    /// bounds and on nothing placed before. Nullopt when it fits nowhere. O(places · labels).
    std::optional<QRectF> place(const QSizeF& size, std::span<const QPointF> places);
    [[nodiscard]] const std::vector<QRectF>& taken() const
    {
        return m_taken;
    }

private:
    QRectF m_bounds;
    std::vector<QRectF> m_taken;
};

} // namespace tidemark::ui
