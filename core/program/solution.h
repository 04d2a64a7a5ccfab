// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/program.h"
#include "core/program/shape_search.h"
#include "core/program/size_table.h"
#include "core/program/weight_names.h"
#include "core/program/weight_set.h"

#include <vector>

namespace tidemark::program {

/// Another reading of the weights.
struct OtherView {
    WeightView view;
    double behind = 0; ///< The best solution's score minus the best with this one; 0 at least.
};

/// The best reading of a device's sizes, and what else was nearly as good.
///
///     weights ──▶ hidden, width of an element (a few readings)
///        each in both regimes ──▶ rows ──▶ batch, sequence, heads ──▶ the best score wins
struct Solution {
    WeightView view;
    std::vector<OtherView> other_views; ///< Of the weights alone the best first.
    Said said;
    WeightNames names;
    Widths widths;
    SizeTable sizes;
    Regime regime = Regime::full;
    bool has_activity = false; ///< Activations were made in the trace.
    std::vector<Hypothesis> hypotheses; ///< Best first; empty: no rows were found.

    [[nodiscard]] ReadingContext context() const
    {
        return {view, names, widths, sizes, said, regime};
    }
    /// All zero without one.
    [[nodiscard]] Hypothesis best() const
    {
        return hypotheses.empty() ? Hypothesis{} : hypotheses.front();
    }
};

/// Nothing but what agrees with what was said. O(allocations) with a bounded factor; the search
/// itself does not grow with them.
Solution solve(const Observed& observed, const WeightSet& weights, const Said& said,
               Effort& effort);

/// The values that a solution gives to the dimensions.
Values valuesOf(const Solution& solution);

} // namespace tidemark::program
