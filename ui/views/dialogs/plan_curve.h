// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/timeline.h"

#include <QtCore/QRectF>
#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace tidemark::ui {

/// The curve of a run that was never made, coloured by phase: bytes on the left, steps below, which
/// colour is which phase, the peak, and a line for what the GPU has.
class PlanCurve : public QWidget {
    Q_OBJECT
public:
    explicit PlanCurve(QWidget* parent);
    void setCurve(std::vector<walk::PlannedPoint> points, std::optional<Bytes> capacity);
    /// Phases in the order in which they first come.
    [[nodiscard]] std::vector<label::Phase> legend() const;
    /// Where each of them stands in the legend.
    [[nodiscard]] std::vector<QRectF> legendPlaces() const;
    /// Where the line of the GPU is; nullopt without one, or far above the curve.
    [[nodiscard]] std::optional<double> lineOfCapacity() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] const walk::PlannedPoint& peak() const; ///< Requires points.
    [[nodiscard]] double topBytes() const;
    /// Where the curve is, and how high bytes are in it.
    struct Scale {
        QRectF room;
        double top = 1; ///< Bytes at its upper edge.

        [[nodiscard]] double yOf(double bytes) const
        {
            return room.bottom() - bytes / top * room.height();
        }
    };
    [[nodiscard]] int labelsWidth() const; ///< Of the bytes beside it.
    [[nodiscard]] Scale scale() const; ///< Requires points. O(points).
    void paintAxes(QPainter& painter, const Scale& at) const;
    void paintLegend(QPainter& painter) const;

    std::vector<walk::PlannedPoint> m_points;
    std::optional<Bytes> m_capacity;
};

} // namespace tidemark::ui
