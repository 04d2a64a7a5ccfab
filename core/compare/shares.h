// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/changes.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tidemark::compare {

/// What one change multiplies a size by on the way from A to B.
struct ChangeFactor {
    ChangeOf of = ChangeOf::model;
    double ratio = 1;
};
/// Of a change with which an allocation goes, and of one with which it comes.
inline constexpr double kGoes = 0;
inline constexpr double kComes = std::numeric_limits<double>::infinity();

struct ChangeShare {
    ChangeOf of = ChangeOf::model;
    std::int64_t bytes = 0;
};

/// Splits b − a between changes whose product leads from `a` to `b` bytes: each gets what it adds,
/// averaged over all orders in which they can be made (the Shapley value).
///
///     a = 1, sequence × 8, precision × ½     sequence first  +7, then precision  −4
///                                            precision first −½, then sequence +3½
///                                            on average sequence +5¼, precision −2¼
///
/// Rounding, and what the product misses b by, belongs to the largest share. The sum is b − a, and
/// from b to a each share is the negative one. Requires one factor at least where a and b differ,
/// one per change, and `kGoes` where b is 0, `kComes` where a is. O(2^factors).
std::vector<ChangeShare> sharesOf(std::int64_t a, std::int64_t b,
                                  std::span<const ChangeFactor> factors);

} // namespace tidemark::compare
