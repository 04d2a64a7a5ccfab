// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <vector>

namespace tidemark::diagnose {

/// The labels' roles, without those that a chance equality of sizes gave: what a prediction scales
/// by the square of the sequence, or as logits, must be that. Copies of attention matrices that
/// autocast makes are some, too. Reads the facts' passes.
/// O(allocations log allocations).
std::vector<label::Role> checkedRoles(const Facts& facts);

/// Whether a dropout made it. O(frames of the stack).
bool isOfDropout(const Facts& facts, StackId stack);
/// Whether a module of tables made the weight, whose rows are looked up: an embedding.
bool isOfTable(const Facts& facts, StackId stack);

} // namespace tidemark::diagnose
