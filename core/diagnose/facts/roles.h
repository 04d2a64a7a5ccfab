// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

namespace tidemark::diagnose {

/// Fills `roles` and the failed request's role: the labels' roles, and what the program's
/// dimensions say of the wide matrices of a pass. A size that is heads · length · length of every
/// sample is an attention matrix, whatever its function is called; one that is rows · vocabulary
/// holds logits; and one that is another product is neither, whatever stands in its frames. What a
/// person or a capture said stays, as does every label where the program is not identified.
/// Requires the moment. O(allocations).
void gatherRoles(Facts& facts);

} // namespace tidemark::diagnose
