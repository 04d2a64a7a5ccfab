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
#include <vector>

namespace tidemark::diagnose {

/// Which of the three figures of an amount.
enum class Bound : std::uint8_t { low, mid, high };

constexpr double at(const Amount& amount, Bound bound)
{
    return bound == Bound::low ? amount.low : bound == Bound::mid ? amount.mid : amount.high;
}

/// Exact bytes, once per bound.
struct Totals {
    std::int64_t low = 0;
    std::int64_t mid = 0;
    std::int64_t high = 0;

    static constexpr Totals equal(std::int64_t bytes)
    {
        return {bytes, bytes, bytes};
    }
    constexpr Totals& operator+=(const Totals& other)
    {
        low += other.low;
        mid += other.mid;
        high += other.high;
        return *this;
    }
    constexpr Totals& operator-=(const Totals& other)
    {
        low -= other.low;
        mid -= other.mid;
        high -= other.high;
        return *this;
    }
    friend constexpr Totals operator+(Totals a, const Totals& b)
    {
        return a += b;
    }
    friend constexpr Totals operator-(Totals a, const Totals& b)
    {
        return a -= b;
    }
    friend constexpr bool operator==(const Totals&, const Totals&) = default;
};

constexpr std::int64_t at(const Totals& totals, Bound bound)
{
    return bound == Bound::low ? totals.low : bound == Bound::mid ? totals.mid : totals.high;
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

/// Memory that the recorded run has not, live in [begin, end).
struct Addition {
    StateId begin;
    StateId end;
    Totals bytes;
    label::Bucket bucket = label::Bucket::temporary;
    label::Role role = label::Role::none;
};
using Additions = std::vector<Addition>;

/// How a run differs from the recorded one. What several runs have in common they share.
struct ChangedRun {
    std::vector<const Law*> laws; ///< In the order in which they apply.
    bool is_changed = false; ///< Some law did something.
    /// Per kind: of one allocation, after the change. Empty when no size changes.
    std::vector<Totals> sizes;
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

    [[nodiscard]] Totals sizeOf(const SizeKinds& kinds, std::size_t kind) const
    {
        return sizes.empty() ? Totals::equal(kinds.examples[kind].bytes) : sizes[kind];
    }
};

/// Rounded to whole bytes, at least 0, in order.
Totals totalsOf(const Amount& bytes);

/// The recorded run. O(1).
ChangedRun unchangedRun(const Facts& facts);

} // namespace tidemark::diagnose
