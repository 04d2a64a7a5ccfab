// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/label/assign/assigner.h"
#include "core/replay/rounding.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace tidemark::label {

/// Which sizes gradients have on one device, and which allocations of a backward are some: those
/// it leaves behind. The flat ones of a sharded model count as gradients, but have the sizes of
/// groups of weights. O(events).
class GradientSizes {
public:
    explicit GradientSizes(const RuleInputs& evidence);

    /// How many allocations of each size the gradients of one backward make up; empty without one
    /// that is complete.
    [[nodiscard]] const SizeCounts& counts() const
    {
        return m_counts;
    }
    /// Sizes known to be those of weights and so of gradients, from complete backwards or, where
    /// the only one is cut off, from what was there before the trace.
    [[nodiscard]] bool contains(std::int64_t bytes) const
    {
        return m_counts.contains(bytes)
            || m_earlier.contains(replay::roundToBlock(Bytes{bytes}).value);
    }
    [[nodiscard]] bool areKnown() const
    {
        return !m_counts.empty() || !m_earlier.empty();
    }
    /// Whether something made in a completed backward run is a gradient.
    [[nodiscard]] bool isLeftBy(const Run& run, AllocationId a) const;
    /// Whether what a sharded model's reduction made in the backward that the trace ends in is a
    /// gradient: it is there, and no reduction lets go of what the same line made.
    [[nodiscard]] bool isLeftByReduction(AllocationId a) const;

private:
    void findCounts();
    void findReductions();
    [[nodiscard]] bool areViews(const SizeCounts& left, StateId when) const;
    [[nodiscard]] bool isOfReduction(AllocationId a) const;
    void findEarlierWeights();

    const RuleInputs& m_e;
    const replay::Allocations& m_a;
    SizeCounts m_counts;
    std::vector<AllocationId> m_buckets; ///< Of DistributedDataParallel's reducer.
    bool m_is_sharded = false; ///< Some backward reduces into shards.
    std::unordered_set<std::int64_t, KeyedNumberHash> m_earlier; ///< In blocks.
    /// What reductions work in: paths of stacks, as `StackKinds::path` gives them.
    std::unordered_set<std::size_t, KeyedNumberHash> m_passing;
};

} // namespace tidemark::label
