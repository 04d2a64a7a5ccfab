// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/curves.h"
#include "core/diagnose/analysis.h"
#include "core/replay/memory_state.h"

#include <cstddef>
#include <span>
#include <vector>

namespace tidemark::report {

/// At most `points` states that stand for a whole trace, in order: of each stretch the first state
/// with the largest total. The start, the end, the peak, the largest reserved total and the states
/// before and after each OOM event are always among them, even if that makes more. All states where
/// there are no more than `points`. O(states).
std::vector<StateId> timelineStates(const curves::DeviceCurves& curves, std::size_t points);

/// How scattered the free memory is in each of some states, in their order.
std::vector<replay::Fragmentation> fragmentationAt(const diagnose::Analysis& analysis,
                                                   std::size_t device,
                                                   std::span<const StateId> states);

} // namespace tidemark::report
