// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/alignment.h"
#include "core/compare/side.h"

#include <span>
#include <vector>

namespace tidemark::compare {

/// Moments that lie beside each other, rising in both runs: where matched passes and their parts
/// begin and end, and between these where matched allocations are made, as many of them as keep one
/// order (two runs may make the same things in another one). O(allocations log allocations).
std::vector<MatchedMoment> matchedMoments(const Side& a, const Side& b, const Alignment& alignment);

/// The same where a person says what lies beside what: their pairs, and of the moments those that
/// keep one order with all of them. A later pair of theirs wins over an earlier one. O(moments ·
/// pairs).
std::vector<MatchedMoment> withMomentsByHand(std::vector<MatchedMoment> moments,
                                             std::span<const MatchedMoment> by_hand);

} // namespace tidemark::compare
