// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/memory_map.h"
#include "ui/models/memory_map_source.h"
#include "ui/models/stack_texts.h"
#include "ui/models/view_state.h"
#include "ui/views/look/key_help.h"
#include "ui/views/memory_map/memory_map_painter.h"

#include <QtWidgets/QAbstractScrollArea>

#include <memory>
#include <optional>
#include <vector>

namespace tidemark::ui {

/// Segments as rows with their blocks and holes. The wheel scrolls, with Ctrl it zooms the address
/// axis at the mouse, dragging moves, a click selects the allocation. Keys: left and right step
/// through events (with Shift ten at a time), up, down and the page keys through rows, + − and 0
/// zoom, with Ctrl left and right move, N and P select the next and previous block, Return asks for
/// its stack.
class MemoryMapView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit MemoryMapView(ViewState& state, QWidget* parent = nullptr);
    [[nodiscard]] static std::vector<KeyHelp> keyHelp();

    /// Null shows nothing. Zoom and scroll stay as far as they fit.
    void setScene(std::shared_ptr<const MemoryScene> scene);
    /// Another device: with streams and stacks of its own, and all of it in view.
    void resetDevice();

    [[nodiscard]] const projection::MemoryMapProjection& projection() const
    {
        return m_projection;
    }
    [[nodiscard]] const projection::MapView& mapView() const
    {
        return m_view;
    }
    void setMapView(projection::MapView view);
    /// Where the bars are drawn, in viewport coordinates.
    [[nodiscard]] QRect barArea() const;
    [[nodiscard]] const std::vector<std::uint64_t>& streams() const
    {
        return m_streams;
    }
    /// A line about what is under the mouse, else about the selected allocation; may be empty.
    [[nodiscard]] QString line() const;
    /// The tool tip at a place of the viewport; empty where there is nothing.
    [[nodiscard]] QString detailsAt(const QPointF& at) const;

Q_SIGNALS:
    void lineChanged();
    void stackRequested(); ///< Of the allocation that is selected now.
    /// A menu for the allocation that is selected now, at a place of the screen.
    void menuRequested(const QPoint& place);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Drag {
        QPoint from;
        projection::MapView view;
        bool has_moved = false;
    };
    void updateStyle();
    /// Null while it is of another device than the state: a view that hears of the change earlier
    /// may lay out the window, and so have this one painted or resized.
    [[nodiscard]] const MemoryScene* scene() const;
    void updateScrollBars();
    void project();
    void setHit(std::optional<projection::MapHit> hit);
    [[nodiscard]] std::optional<projection::MapHit> hitAt(const QPointF& at) const;
    void zoom(double x_px, double factor);
    bool moveByKey(const QKeyEvent& event);
    bool zoomByKey(const QKeyEvent& event);
    void selectNeighbour(bool forward);
    void revealSelected();
    [[nodiscard]] std::optional<projection::MapHit> hitOfSelected() const;

    ViewState& m_state;
    std::shared_ptr<const MemoryScene> m_scene;
    std::vector<std::uint64_t> m_streams;
    StackTexts m_texts;
    MemoryMapStyle m_style;
    projection::MapView m_view;
    projection::MemoryMapProjection m_projection;
    std::optional<projection::MapHit> m_hit;
    std::optional<Drag> m_drag;
    bool m_sets_bars = false; ///< The scroll bars are being set, not moved.
};

} // namespace tidemark::ui
