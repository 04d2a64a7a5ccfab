// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/solution.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace tidemark::program {

/// What each size may be under the best hypothesis, best first, without what is far less likely
/// than the best.
struct SizeReadings {
    std::unordered_map<std::int64_t, std::vector<Reading>> of; ///< Bytes → readings.
    /// Sizes that can only be attention matrices, and only rows of feed-forward.
    std::set<std::int64_t> surely_attention;
    std::set<std::int64_t> surely_feed_forward;
    /// Sizes that may be attention matrices or rows: the order of allocations may tell.
    std::set<std::int64_t> unclear;

    /// Null: none.
    [[nodiscard]] const std::vector<Reading>* find(std::int64_t bytes) const
    {
        const auto found = of.find(bytes);
        return found == of.end() ? nullptr : &found->second;
    }
};

/// Whether a product has the sequence twice.
bool isSquare(const Expression& expression);

/// All products under a hypothesis, whether a size has them or not.
std::vector<Reading> allReadings(const Solution& solution, const Hypothesis& hypothesis);

/// Of the sizes that occur, and of `others`. O(readings of the best hypothesis).
SizeReadings readSizes(const Solution& solution, const std::set<std::int64_t>& others,
                       Effort& effort);

} // namespace tidemark::program
