// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/check/budget.h"
#include "core/check/measures.h"

#include <span>
#include <string>
#include <vector>

namespace tidemark::check {

/// How much a run may differ from one baseline, where no second one shows how much it flickers.
inline constexpr double kDefaultTolerance = 0.02;

/// Limits learnt from baselines, one per device and measure (peak, reserved, growth per step; OOM
/// where none of them had one). Of one baseline: its figure plus `tolerance` of it. Of several: the
/// upper end of the interval in which 99 % of further runs lie (mean + t·s·√(1 + 1/n), Student's t
/// of n − 1 degrees), so that what flickers has room and what does not has little; `tolerance`,
/// where given, replaces that by the largest figure plus so much of it. Never closer to the largest
/// figure than 2 MiB, a small segment (growth: 64 KiB).
std::vector<Budget> learnBudgets(std::span<const std::vector<DeviceMeasures>> baselines,
                                 std::optional<double> tolerance);

/// The upper end of that interval. Requires at least two values.
double upperBound(std::span<const std::int64_t> values);

/// The baseline whose peaks are in the middle: what a run that broke is compared with.
std::size_t typicalBaseline(std::span<const std::vector<DeviceMeasures>> baselines);

} // namespace tidemark::check
