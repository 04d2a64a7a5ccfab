// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/look/qcp.h"
#include "ui/views/timeline/timeline_scene.h"

#include <QtCore/QPointF>
#include <QtCore/QString>

#include <functional>
#include <memory>
#include <optional>

namespace tidemark::ui {

// The parts of a timeline inside a QCustomPlot. They hold nothing: each paints from the scene,
// which the plot prepares for the rectangle and the painter at hand (the screen, or an exported
// picture).

/// Prepares the scene for a painter; null while there is nothing to show.
using SceneFor = std::function<TimelineScene*(QCPPainter&)>;

/// Fills the bands or the allocations column by column from an image; merged outlines and
/// rectangles in vector files.
class BandPlottable : public QCPAbstractPlottable {
    Q_OBJECT
public:
    BandPlottable(QCPAxis* key_axis, QCPAxis* value_axis, SceneFor scene);

    double selectTest(const QPointF& pos, bool only_selectable, QVariant* details) const override;
    QCPRange getKeyRange(bool& found, QCP::SignDomain domain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain domain,
                           const QCPRange& key_range) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter* painter, const QRectF& rect) const override;

private:
    SceneFor m_scene;
};

/// Lifetimes of what is selected, reserved line, predicted curve, capacity, peak and OOM events
/// with their labels.
class MarksItem : public QCPAbstractItem {
    Q_OBJECT
public:
    MarksItem(QCustomPlot* plot, const ViewState& state, SceneFor scene);
    double selectTest(const QPointF& pos, bool only_selectable, QVariant* details) const override;

protected:
    void draw(QCPPainter* painter) override;

private:
    const ViewState& m_state;
    SceneFor m_scene;
};

/// Phases, steps and the program's own scopes between the plot and the labels of its axis.
class StripItem : public QCPAbstractItem {
    Q_OBJECT
public:
    static constexpr int kPhaseHeight = 15;
    static constexpr int kStepHeight = 15;
    static constexpr int kGap = 5;

    StripItem(QCustomPlot* plot, const ViewState& state, SceneFor scene);
    double selectTest(const QPointF& pos, bool only_selectable, QVariant* details) const override;
    /// Height that phases and steps of the shown device take, in pixels.
    [[nodiscard]] static int heightFor(const ViewState& state, const TimelineStyle& style);
    /// Where the program's own scopes lie, below a plot; empty where the style leaves them out.
    [[nodiscard]] static QRectF annotationRect(const ViewState& state, const QRectF& plot,
                                               const TimelineStyle& style);

protected:
    void draw(QCPPainter* painter) override;

private:
    const ViewState& m_state;
    SceneFor m_scene;
};

/// What follows the mouse: the cursor, the hovered state with the band under it, a range being
/// dragged.
struct Pointer {
    std::optional<QPointF> mouse;
    QString words; ///< Of the band or the allocation under the mouse, line by line.
    std::optional<double> drag_from; ///< Pixels; a range is being selected up to `mouse`.
    std::optional<QPointF> box_from; ///< A box to zoom to is being drawn up to `mouse`.
};

/// The cursor lines in exported pictures; on the screen a CursorOverlay shows them.
class CursorItem : public QCPAbstractItem {
    Q_OBJECT
public:
    CursorItem(QCustomPlot* plot, const ViewState& state, const Pointer& pointer, SceneFor scene);
    double selectTest(const QPointF& pos, bool only_selectable, QVariant* details) const override;

protected:
    void draw(QCPPainter* painter) override;

private:
    const ViewState& m_state;
    const Pointer& m_pointer;
    SceneFor m_scene;
};

} // namespace tidemark::ui
