// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/annotation_lanes.h"
#include "ui/models/view_state.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>

namespace tidemark::ui {

inline constexpr int kAnnotationLaneHeight = 13;
inline constexpr std::uint32_t kMostAnnotationLanes = 4; ///< Scopes nested deeper are not drawn.

/// Height of all lanes of the shown device, pixels.
[[nodiscard]] int annotationHeight(const ViewState& state);

/// The program's own scopes, lane below lane from the top of `strip`. What is narrower than a pixel
/// is merged.
void paintAnnotations(QPainter& painter, const QRectF& strip, const TimelineScale& scale,
                      const ViewState& state, const TimelineStyle& style);

/// The scope under a position in that strip; null for none.
[[nodiscard]] const projection::AnnotationSpan* annotationAt(const QPointF& position,
                                                             const QRectF& strip,
                                                             const TimelineScale& scale,
                                                             const ViewState& state);

} // namespace tidemark::ui
