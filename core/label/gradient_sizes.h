// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/label/assigner.h"
#include "core/replay/rounding.h"

#include <cstdint>
#include <unordered_set>

namespace tidemark::label {

/// Which sizes gradients have on one device, and which allocations of a backward are some: those
/// it leaves behind. O(events).
class GradientSizes {
public:
    explicit GradientSizes(const Evidence& evidence);

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

private:
    void findCounts();
    void findEarlierWeights();

    const Evidence& m_e;
    const replay::Allocations& m_a;
    SizeCounts m_counts;
    std::unordered_set<std::int64_t, KeyedNumberHash> m_earlier; ///< In blocks.
};

} // namespace tidemark::label
