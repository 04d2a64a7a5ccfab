// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/label/labels.h"
#include "core/projection/timeline.h"
#include "ui/views/timeline/timeline_painter.h"

#include <QtCore/QRectF>
#include <QtCore/QString>
#include <QtGui/QPainter>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tidemark::ui {

/// A step in pixels, by the number that people know it by.
struct StepPlace {
    std::int64_t number = 0;
    double left = 0;
    double right = 0;
};

/// What is written below a step, and from where.
struct StepLabel {
    double left = 0;
    QString words;
};

/// Labels of the visible steps, in their order, inside the pixels of the strip: every one where
/// there is room ("step 7", else "7"), else every second, fifth, tenth, …; wherever a step is
/// visible and a number fits there is one. `width_of`: pixels of a text. O(steps).
[[nodiscard]] std::vector<StepLabel>
stepLabels(std::span<const StepPlace> visible, Interval<double> strip,
           const std::function<double(const QString&)>& width_of);

/// Where steps begin, with their numbers. Uses `scale` only sideways.
void paintSteps(QPainter& painter, const QRectF& strip, const TimelineScale& scale,
                const label::DeviceLabels& labels, const projection::AxisMap& axis,
                const TimelineStyle& style);

} // namespace tidemark::ui
