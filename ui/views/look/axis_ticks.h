// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/projection/timeline.h"

#include <QtCore/QString>

#include <vector>

namespace tidemark::ui {

/// A place on an axis with its label; the same on the screen and in the report.
struct AxisTick {
    double at = 0; ///< Axis coordinate: bytes, events or microseconds.
    QString label;
};

/// From 0 to `top_bytes` in steps of 1, 2 or 5 times a power of ten of one binary unit; at most
/// `max_count` steps (at least 1). The unit is written at each tick: "6 GiB".
[[nodiscard]] std::vector<AxisTick> byteTicks(double top_bytes, int max_count);
/// The same of a part of the axis; not empty.
[[nodiscard]] std::vector<AxisTick> byteTicks(Interval<double> bytes, int max_count);

/// How many steps suit an axis of this length in pixels.
[[nodiscard]] int axisTickCount(double width_px);
[[nodiscard]] int byteTickCount(double height_px);

/// Ticks inside `range`: whole events ("2,000"), or times in the unit that suits their distance
/// ("1.5 s", "250 ms", "2:30 min").
[[nodiscard]] std::vector<AxisTick> axisTicks(projection::Axis axis, Interval<double> range,
                                              int max_count);
/// The same for the run of a map. On a shared axis ticks are events of that run, where it has them.
[[nodiscard]] std::vector<AxisTick> axisTicks(const projection::AxisMap& axis,
                                              Interval<double> range, int max_count);

} // namespace tidemark::ui
