// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/expression.h"
#include "core/program/said.h"
#include "core/program/weight_set.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tidemark::program {

/// What the factors of a model's matrices are.
///
///     factor  count          is
///     30522   1 or 2    ──▶  vocabulary (the largest once-used one; the logits decide)
///     3072    2 · 12    ──▶  feed-forward (of those above hidden the one with most bytes)
///     256     2 · 12    ──▶  keys' and values' width (below hidden)
///     768     4 · 12    ──▶  hidden itself; 12, what divides all these counts, the layers
struct WeightNames {
    std::int64_t layers = 0; ///< 0: nothing repeats.
    std::int64_t layers_alternative = 0; ///< 0: none.
    bool are_layers_seen = false; ///< The trace shows how they were made, one after the other.
    std::int64_t feed_forward = 0;
    std::int64_t vocabulary = 0;
    std::int64_t kv_width = 0;
    std::int64_t rank = 0; ///< Of adapters; only where it was said.
    std::int64_t copies =
        1; ///< Of the whole model that are told as one: weights with their moments.
    std::int64_t experts = 0; ///< A router's outputs: feed-forward is then of all experts together.
    std::vector<std::int64_t> once; ///< Factors used less often than once a layer, ascending.
};

/// What was said is taken as it is. O(weights · period) with a bounded period.
WeightNames nameWeights(const WeightSet& weights, const WeightView& view, const Said& said);

/// A width that rows of activations may have.
struct Width {
    Factor factor = Factor::number;
    double prior = 1; ///< How much a product with it explains.
    bool is_derived = false; ///< No weight has it: a multiple that programs make in one piece.
};
/// Elements → the width, ascending.
using Widths = std::map<std::int64_t, Width>;

/// Every width of a weight is one of the activations.
Widths widthsOf(const WeightView& view, const WeightNames& names);

} // namespace tidemark::program
