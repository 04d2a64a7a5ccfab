// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/fitted_walk.h"
#include "core/diagnose/predict/laws.h"
#include "core/diagnose/predict/size_kinds.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::diagnose {

/// Which of the three figures of an amount.
enum class Bound : std::uint8_t { low, mid, high };

constexpr double at(const Amount& amount, Bound bound)
{
    return bound == Bound::low ? amount.low : bound == Bound::mid ? amount.mid : amount.high;
}

/// A whole number of bytes.
constexpr Amount exactly(std::int64_t bytes)
{
    return Amount::exactly(static_cast<double>(bytes));
}

/// More or fewer allocations of a kind than recorded, from a state on.
struct LifetimeTurn {
    StateId at;
    StateId until; ///< Where it turns back; none (0) in the turn that does so.
    std::uint32_t kind = 0;
    std::int32_t count = 0; ///< Allocations; negative: fewer.
    bool perhaps = false; ///< The low end has none of them.
    /// The recorded lives begin where it turns back, and outlast the step.
    bool goes_on = false;
};

/// How the lifetimes of a changed run differ from the recorded ones, by `at`. All turns within the
/// states of the trace, or at its end.
using Lifetimes = std::vector<LifetimeTurn>;

/// Of whole bytes.
using Additions = std::vector<Span>;

/// How a run differs from the recorded one. What several runs have in common they share.
struct ChangedRun {
    std::vector<const Law*> laws; ///< In the order in which they apply.
    bool is_changed = false; ///< Some law did something.
    /// Per kind: whole bytes of one allocation, after the change. Empty when no size changes.
    std::vector<Amount> sizes;
    std::shared_ptr<const Lifetimes> lifetimes; ///< Null: as recorded.
    std::vector<std::shared_ptr<const Additions>> additions;
    std::optional<Walked> walked; ///< Outranks what the laws make of the peak.
    Amount failed; ///< The failed request after the change; 0 without one.
    Amount future_state{1, 1, 1}; ///< Factors on what the run had still to make.
    Amount future_gradients{1, 1, 1};
    Amount future_logits{1, 1, 1};
    Amount future_matrices{1, 1, 1}; ///< Of attention.
    Amount future_transients{1, 1, 1}; ///< Of the optimizer.
    std::int64_t later_evaluation =
        0; ///< What one may make at once, which training no longer does.
    bool bounds_evaluation = false;
    bool keeps_gradients = false; ///< A step has further passes, which find those of the first.

    [[nodiscard]] Amount sizeOf(const SizeKinds& kinds, std::size_t kind) const
    {
        return sizes.empty() ? exactly(kinds.examples[kind].bytes) : sizes[kind];
    }
};

/// The recorded run. O(1).
inline ChangedRun unchangedRun(const Facts& facts)
{
    ChangedRun run;
    run.failed = exactly(facts.moment.requested.value);
    return run;
}

/// What laws that change lifetimes do together, one after the other. The allocations of a block
/// have one gap between its forward and its backward, so those of a kind turn together.
/// O(allocations of the laws' buckets · laws + turns log turns).
Lifetimes changedLifetimes(const Facts& facts, const SizeKinds& kinds,
                           std::span<const Law* const> laws);

} // namespace tidemark::diagnose
