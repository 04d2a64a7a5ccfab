// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/selected_bytes.h"
#include "core/projection/timeline.h"
#include "ui/models/view_state.h"

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace tidemark::ui {

/// The whole trace in a narrow strip with the visible range as a brush: its edges and itself can be
/// dragged, a click outside of it moves it there, a double click shows all.
class Minimap : public QWidget {
    Q_OBJECT
public:
    explicit Minimap(ViewState& state, QWidget* parent = nullptr);
    /// Aligns the strip with the plot: pixels left free at both sides.
    void setInsets(int left, int right);
    /// The brush in widget coordinates.
    [[nodiscard]] QRectF brush() const;
    /// Where what is selected lives, per pixel; empty: nothing is.
    [[nodiscard]] const std::vector<projection::SelectedColumn>& selected() const
    {
        return m_selected;
    }
    /// Of the allocation that is chosen; empty without one.
    [[nodiscard]] QRectF chosenLifetime() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Part { body, left_edge, right_edge };
    struct Drag {
        Part part = Part::body;
        double at = 0; ///< Coordinate under the mouse at the press.
        Interval<double> range;
    };
    [[nodiscard]] QRectF strip() const;
    [[nodiscard]] double coordinateAt(double x) const;
    [[nodiscard]] std::optional<Part> partAt(double x) const;
    void project();
    void projectSelection();

    ViewState& m_state;
    projection::TimelineProjection m_projection;
    std::vector<projection::SelectedColumn> m_selected;
    int m_left = 0;
    int m_right = 0;
    std::optional<Drag> m_drag;
};

} // namespace tidemark::ui
