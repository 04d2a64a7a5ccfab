// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

namespace tidemark::diagnose {

/// Gives roles to matrices that no frame names, in forward passes where labels found neither
/// attention matrices nor logits, from sizes alone. A run of allocations several times as wide as
/// what lies around it is
/// - logits, if a weight W, what comes before it X and it Y agree: W·X / Y is the square of a width
///   that divides both, so Y is what a linear layer makes of X (and its outputs are many);
/// - attention matrices, if no weight explains it and it recurs with narrow allocations between.
/// Attention matrices that frames do not name although they name logits show beside a mask, see
/// masked_attention.h. Changes `roles` and the failed request's role. O(allocations · few).
/// Requires passes and moment.
void inferMatrixRoles(Facts& facts);

} // namespace tidemark::diagnose
