// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/timeline.h"

#include <memory>
#include <span>
#include <utility>

namespace tidemark::projection {

/// One axis for two runs, on which matched moments coincide.
struct SharedAxis {
    std::shared_ptr<const AxisKnots> a;
    std::shared_ptr<const AxisKnots> b;
};

///     A  ├──forward──┼───────backward───────┤
///     B  ├──forward──────────┼──backward────┤
///     x  0           ┆max of both┆          ┆
///
/// Between two matched moments both runs are stretched to as many units as the longer one has
/// events; before the first and after the last each has one unit per event. `matched` rises in both
/// (first of A, second of B). O(matched).
SharedAxis shareAxis(std::span<const std::pair<StateId, StateId>> matched, StateId last_a,
                     StateId last_b);

} // namespace tidemark::projection
