// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

namespace tidemark::diagnose {

/// Gives the role of attention matrices in models whose softmax no frame names: it was called
/// without a library function of Python, or inside of one operation. Repeated blocks tell the rows
/// and the width of the hidden state; a mask, which is a square, tells the length of a sequence. A
/// matrix is then rows × heads × length, with a number of heads that divides the width, in two
/// blocks at least, and no weight that makes so many columns; its elements are as wide as those of
/// the weights. Changes `roles` and the failed
/// request's role; nothing where a role is known. Requires passes, layers and moment.
/// O(allocations · few).
void inferMaskedAttention(Facts& facts);

} // namespace tidemark::diagnose
