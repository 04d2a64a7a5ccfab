// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"
#include "core/compare/living.h"

#include <vector>

namespace tidemark::compare {

/// Adds the changes that show in what lives at the compared moments, and in nothing else:
///
/// - Passes in flight. A stage of a pipeline runs several forwards before the first backward: it
///   makes as many saved tensors a step as another stage and holds another number of them at once.
///
///       stage 0   F F F F B F B F B B B B    4 passes wait for their backward
///       stage 3   F B F B F B F B F B F B    1
///
/// - A first step. Until the optimizer's first step is over there is no state.
/// - Weights at places of one run alone: a copy that was gathered, a second model.
///
/// `found` may have a change of the model already; then no weights are added.
/// O(living log living), and O(allocations log) where passes in flight seem to differ.
void addLivingChanges(const Both& both, const std::vector<Living>& living, FoundChanges& found);

} // namespace tidemark::compare
