// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/delta.h"
#include "ui/models/view_state.h"
#include "ui/views/compare/delta_painter.h"

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace tidemark::ui {

/// What one run holds more than the other over the axis that both share: bands above zero where
/// `against` holds more, below where it holds less. The mouse does what it does on a timeline: the
/// wheel zooms, a drag pans, a double click shows all, a click sets the cursors.
class DeltaLane : public QWidget {
    Q_OBJECT
public:
    /// Both have the same range while both have a device; they outlive the lane.
    DeltaLane(ViewState& base, ViewState& against, QWidget* parent = nullptr);

    /// Pixels left and right of the bands, to align them with the plots.
    void setInsets(int left, int right);
    /// Below the bands, the base's phases: where no lane of a run is there to show them.
    void setShowsPhases(bool shows);
    /// The bands, in widget coordinates.
    [[nodiscard]] QRectF bandRect() const;
    [[nodiscard]] const std::vector<projection::DeltaColumn>& columns() const
    {
        return m_columns;
    }
    [[nodiscard]] const DeltaScale& scale() const
    {
        return m_scale;
    }
    [[nodiscard]] QSize minimumSizeHint() const override;

Q_SIGNALS:
    void hovered(double coordinate);
    void left();
    void clicked(double coordinate);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Press {
        double at = 0;
        Interval<double> range;
        bool has_moved = false;
    };
    [[nodiscard]] bool hasRuns() const;
    void invalidate();
    void prepare();
    [[nodiscard]] projection::DeltaHeights naturalHeights() const;
    [[nodiscard]] std::vector<projection::DeltaColumn> project(Interval<double> range,
                                                               int columns) const;
    [[nodiscard]] double coordinateAt(double x) const;
    [[nodiscard]] QString wordsAt(const QPointF& position) const;
    void paintTicks(QPainter& painter) const;
    void paintCursors(QPainter& painter) const;
    void paintBubble(QPainter& painter) const;
    void paintBasePhases(QPainter& painter) const;

    ViewState& m_base;
    ViewState& m_against;
    TimelineStyle m_style;
    int m_left = 0;
    int m_right = 0;
    bool m_shows_phases = false;
    bool m_is_current = false;
    std::vector<projection::DeltaColumn> m_columns;
    DeltaScale m_scale;
    std::optional<projection::DeltaHeights> m_whole; ///< Of the whole axis.
    std::optional<Press> m_press;
    std::optional<QPointF> m_mouse;
};

} // namespace tidemark::ui
