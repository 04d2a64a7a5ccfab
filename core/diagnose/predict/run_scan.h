// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/diagnose/predict/changed_run.h"

#include <cstdint>
#include <span>
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

/// In whole bytes.
struct ScanResult {
    struct Point {
        Amount active;
        /// Optimizer state and gradients there, more (or less) than recorded.
        Amount state_change;
        Amount gradient_change;
    };
    Amount largest;
    StateId largest_mid_at; ///< The first state with `largest.mid`.
    std::vector<Point> points; ///< As asked.
    std::vector<Amount> ranges; ///< The largest of each; 0 where it is empty.
    /// The most that lives in the steps beyond what outlasts the step it lives in, 0 at least.
    Amount above_survivors;
    std::vector<std::int64_t> curve; ///< Per state, mid; only if asked for.
};

/// Goes through the states once for all runs together: what the changes make of an allocation is a
/// row of numbers, one per run and bound, added and taken away together. O(states + turns log
/// turns) and O(runs) of vector arithmetic at each state that may be a largest one; no memory per
/// state unless curves are kept. `kinds`: those of the facts; without any if no run changes what is
/// recorded.
std::vector<ScanResult> scanAll(const Facts& facts, const SizeKinds& kinds,
                                std::span<const ChangedRun> runs, const ScanRequest& request);
ScanResult scan(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run,
                const ScanRequest& request);

} // namespace tidemark::diagnose
