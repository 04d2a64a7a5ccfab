// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

/// A place on the ladder, and 10 more if the experiment changes.
constexpr int costOf(int cost_rank, bool changes_science)
{
    return cost_rank + (changes_science ? 10 : 0);
}

/// A fix that may be part of a set.
struct SetCandidate {
    int cost = 0;
    std::string_view group; ///< One of a group at most; empty: goes with all.
    std::int64_t saves = 0; ///< Alone, at its strongest.
    std::size_t strengths = 1; ///< Ways to take it, mildest first.
    bool composes = true; ///< Else it is taken alone.
    bool changes_science = false;
    bool fits_alone = false; ///< For certain.
};

/// A candidate and how strongly it is taken.
struct SetMember {
    std::size_t candidate = 0;
    std::size_t strength = 0;
};
using FixSet = std::vector<SetMember>; ///< By candidate, ascending.

/// What tries sets out on a run, recorded or planned.
class SetTrials {
public:
    SetTrials() = default;
    SetTrials(const SetTrials&) = delete;
    SetTrials(SetTrials&&) = delete;
    SetTrials& operator=(const SetTrials&) = delete;
    SetTrials& operator=(SetTrials&&) = delete;
    virtual ~SetTrials() = default;

    /// Whether each fits; none: not known.
    virtual std::vector<std::optional<bool>> fit(std::span<const FixSet> sets) = 0;
    /// Some of these will be asked for.
    virtual void prepare(std::span<const FixSet> /*sets*/) { }
    /// How many may be tried one by one.
    [[nodiscard]] virtual std::size_t most() const = 0;
    [[nodiscard]] virtual bool isStopped() const
    {
        return false;
    }
};

/// The cheapest set that fits for certain, each member as mild as it can be; empty if none was
/// found. Tries a few unions of what is cheaper than a price, then up to `most()` sets one by one.
FixSet cheapestSet(SetTrials& trials, std::span<const SetCandidate> candidates);

/// All that helps, the strongest of each group.
FixSet strongestSet(std::span<const SetCandidate> candidates);

} // namespace tidemark::diagnose
