// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts.h"
#include "core/diagnose/laws.h"

#include <cstdint>
#include <limits>
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

/// How a run with every affected allocation changed differs from the recorded one.
struct ChangedRun {
    static constexpr std::uint32_t kUnchanged = std::numeric_limits<std::uint32_t>::max();

    /// A live stretch that is not that of a recorded allocation, with what it adds.
    struct Edit {
        StateId begin;
        StateId end;
        Totals bytes;
        bool is_state = false; ///< Of an optimizer state allocation.
        label::Bucket bucket = label::Bucket::temporary;
    };

    bool is_changed = false; ///< Some law did something.
    /// Per allocation: index into `deltas`, or `kUnchanged`. Empty when no allocation changes. Made
    /// by kinds, it has those of the buckets in `each_alone` only.
    std::vector<std::uint32_t> delta_of;
    /// Made by kinds: the same per kind, for all other buckets.
    std::vector<std::uint32_t> delta_of_kind;
    BucketSet each_alone;
    std::vector<Totals> deltas; ///< Added to an allocation while it lives.
    std::vector<Edit> edits; ///< Stretches of their own, in no order.
    Amount failed; ///< The failed request after the change; 0 without one.
    Amount future_state{1, 1, 1}; ///< Factors on what the run had still to make.
    Amount future_gradients{1, 1, 1};
    Amount future_logits{1, 1, 1};
    Amount future_transients{1, 1, 1}; ///< Of the optimizer.
    bool bounds_evaluation = false;
};

/// O(allocations · laws).
ChangedRun applyLaws(const Facts& facts, const Laws& laws);

} // namespace tidemark::diagnose
