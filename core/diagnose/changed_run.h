// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts.h"
#include "core/diagnose/laws.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// Which of the three figures of an amount.
enum class Bound : std::uint8_t { low, mid, high };

constexpr double at(const Amount& amount, Bound bound)
{
    return bound == Bound::low ? amount.low : bound == Bound::mid ? amount.mid : amount.high;
}

/// A run with every affected allocation changed: what was taken away and what was added, as live
/// stretches.
struct ChangedRun {
    struct Edit {
        StateId begin;
        StateId end;
        std::int64_t low;
        std::int64_t mid;
        std::int64_t high;
        bool is_state; ///< Of an optimizer state allocation.
    };
    std::vector<Edit> edits;
    Amount failed; ///< The failed request after the change; 0 without one.
    Amount future_state{1, 1, 1}; ///< Factors on what the run had still to make.
    Amount future_gradients{1, 1, 1};
    Amount future_logits{1, 1, 1};
    bool bounds_evaluation = false;
};

/// O(allocations · laws).
ChangedRun applyLaws(const Facts& facts, const Laws& laws);

/// Live requested bytes per state after the change. O(states + edits).
std::vector<std::int64_t> activeAfter(const Facts& facts, const ChangedRun& run, Bound bound);

/// For every state the bytes of live allocations that outlast the step in which the state lies:
/// what a later step finds when it begins. Empty without a complete step. O(states + allocations).
std::vector<std::int64_t> survivorsBefore(const Facts& facts);
/// The same after the change. `before` is the result of `survivorsBefore`. O(states + edits).
std::vector<std::int64_t> survivorsAfter(const Facts& facts, const ChangedRun& run, Bound bound,
                                         const std::vector<std::int64_t>& before);

/// Bytes of optimizer state live in a state after the change.
std::int64_t optimizerStateAfter(const Facts& facts, const ChangedRun& run, Bound bound,
                                 StateId state);

} // namespace tidemark::diagnose
