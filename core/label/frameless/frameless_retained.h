// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/frameless/frameless_trace.h"

#include <vector>

namespace tidemark::label {

/// Adds the backwards through a graph that another one goes through again: they release nothing,
/// but in the life of their first gradient come others, as large as parameters, that outlive the
/// next backward, and nothing that is saved for it. Spans in order of time, disjoint, as given.
/// O(allocations × scalars that live through one such set).
std::vector<BackwardSpan> addRetainedBackwards(const FramelessTrace& trace,
                                               const std::vector<BackwardSpan>& spans);

} // namespace tidemark::label
