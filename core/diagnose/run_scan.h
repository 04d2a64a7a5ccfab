// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/diagnose/changed_run.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// What is wanted of the live bytes of a run, beside their largest.
struct ScanRequest {
    std::vector<StateId> points; ///< Beyond the last state: the last one.
    std::vector<Interval<StateId>> ranges;
    /// Complete steps; empty: none. Begins and ends at boundaries of the facts.
    Interval<StateId> steps{};
    bool keep_curve = false;
};

struct ScanResult {
    struct Point {
        Totals active;
        Totals state_change; ///< Optimizer state there, more (or less) than recorded.
    };
    Totals largest;
    StateId largest_mid_at; ///< The first state with `largest.mid`.
    std::vector<Point> points; ///< As asked.
    std::vector<Totals> ranges; ///< The largest of each; 0 where it is empty.
    /// The most that lives in the steps beyond what outlasts the step it lives in, 0 at least.
    Totals above_survivors;
    std::vector<std::int64_t> curve; ///< Per state, mid; only if asked for.
};

/// Where something asked for begins or ends, in order, with the first state and the number of all.
std::vector<StateId> stopsOf(const Facts& facts, const ScanRequest& request, std::uint32_t states);

/// Goes through the states of a changed run once. O(states + allocations + edits log edits), with
/// no memory per state unless the curve is kept.
ScanResult scan(const Facts& facts, const ChangedRun& run, const ScanRequest& request);

} // namespace tidemark::diagnose
