// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/allocation_layers.h"
#include "ui/models/selection.h"
#include "ui/models/view_state.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QString>

namespace tidemark::ui {

/// Single allocations as merged rectangles, for paper and vector files: what looks alike in
/// neighbouring columns becomes one, and all of one colour one path. With a selection of several,
/// what is not in it is pale. For the screen see timeline_pixels.h.
void paintLayers(QPainter& painter, const TimelineScale& scale,
                 const projection::TimelineProjection& projection,
                 const projection::AllocationLayers& layers, const TimelineStyle& style,
                 const Selection* selection = nullptr);

/// Lifts out the selected allocation, over its bands.
void paintSelected(QPainter& painter, const TimelineScale& scale,
                   const projection::AllocationLayers& layers, const TimelineStyle& style);

/// What an allocation is, in a few lines: bucket and role, exact size, where it was made, how long
/// it lived. Requires a device.
[[nodiscard]] QString allocationWords(const ViewState& state, AllocationId allocation);

} // namespace tidemark::ui
