// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/views/timeline/timeline_layers.h"
#include "ui/views/timeline/timeline_scene.h"

#include <QtGui/QPainter>
#include <QtGui/QRegion>
#include <QtWidgets/QWidget>

namespace tidemark::ui {

/// Cursor, selected range, hovered state and the words at the mouse over a picture of the scene, as
/// it was last prepared.
void paintCursor(QPainter& painter, const TimelineScene& scene, const ViewState& state,
                 const Pointer& pointer);

/// Where it paints them, and perhaps a little beside; the selected range, which lies still, is no
/// part of it.
[[nodiscard]] QRegion cursorRegion(const TimelineScene& scene, const ViewState& state,
                                   const Pointer& pointer, int width);

/// Shows them over a plot, whose picture is not computed again. It takes no mouse and covers its
/// parent, whose child it is, by itself.
class CursorOverlay : public QWidget {
    Q_OBJECT
public:
    /// All outlive the overlay.
    CursorOverlay(const ViewState& state, const TimelineScene& scene, const Pointer& pointer,
                  QWidget* parent);
    /// Paints the place where they were again, and where they are now.
    void follow();

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const ViewState& m_state;
    const TimelineScene& m_scene;
    const Pointer& m_pointer;
    QRegion m_painted; ///< Where they are on the screen.
};

} // namespace tidemark::ui
