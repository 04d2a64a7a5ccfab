// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/said.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace tidemark::program {

/// A size, in bytes or elements, → how many there are.
using Counts = std::map<std::int64_t, std::int64_t>;

/// The weights of a device as sizes: those alive together when their sum is largest.
struct WeightSet {
    /// Whose sizes these are: gradients or states stand in where no weights are known. `unknown`:
    /// there are none.
    Usage source = Usage::unknown;
    std::vector<std::int64_t> order; ///< Bytes, in order of creation.
    bool is_order_seen = false; ///< All were made in the trace; else addresses order them.
    Counts counts; ///< Bytes → how many.
    std::int64_t total_bytes = 0;
    std::int32_t element_bytes = 0; ///< 0: not known beforehand.
    std::set<std::int64_t> trained; ///< Sizes that an optimizer steps; empty: none were seen.
};

/// O(allocations + states).
WeightSet findWeights(const Observed& observed);

/// One reading of the weights: what their common dimension and the width of their elements may be.
struct WeightView {
    std::int64_t hidden = 0; ///< Elements; 0: no matrices have a dimension in common.
    std::int32_t element_bytes = 4;
    double score = 0; ///< 0 to about 3: see weight_set.cpp.
    Counts factors; ///< Of matrices: elements / hidden → how many.
    Counts vectors; ///< Elements → how many; twice at least.
};

/// The best few readings, best first; at least one. Of a hidden size or a width of elements that
/// was said none other, even where the weights do not show it. O(sizes · widths), both bounded.
std::vector<WeightView> readWeights(const WeightSet& weights, const Said& said);

} // namespace tidemark::program
