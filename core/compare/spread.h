// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"

#include <vector>

namespace tidemark::compare {

/// Gives bytes by which the peak lies elsewhere to the changes that moved it: in proportion to what
/// they, and what is unexplained, explain in the direction of the whole. The sum of all grows by
/// `moved` to the byte. O(changes).
void spread(Bytes moved, std::vector<RunChange>& changes, Bytes& unexplained);

} // namespace tidemark::compare
