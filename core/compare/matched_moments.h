// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/alignment.h"
#include "core/compare/side.h"

#include <vector>

namespace tidemark::compare {

/// Moments that lie beside each other, rising in both runs: where matched passes and their parts
/// begin and end, and between these where matched allocations are made, as many of them as keep one
/// order (two runs may make the same things in another one). O(allocations log allocations).
std::vector<MatchedMoment> matchedMoments(const Side& a, const Side& b, const Alignment& alignment);

} // namespace tidemark::compare
