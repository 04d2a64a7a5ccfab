// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/assign/assigner.h"

#include <cstdint>
#include <set>
#include <unordered_set>

namespace tidemark::label {

/// Which of many equal allocations from before the trace are the two moments of an optimizer such
/// as Adam: they are made one after the other, so most lie side by side.
class StatePairs {
public:
    /// `per_copy`: how many of each size the weights are. O(earlier allocations log of them).
    StatePairs(const RuleInputs& evidence, const SizeCounts& per_copy);

    /// Whether pairs tell the state of this size: there are four copies of it, and at least
    /// two of them in pairs.
    [[nodiscard]] bool tells(std::int64_t bytes) const
    {
        return m_sizes.contains(bytes);
    }
    [[nodiscard]] bool isState(AllocationId a) const
    {
        return m_state.contains(a.value);
    }

private:
    std::set<std::int64_t> m_sizes;
    std::unordered_set<std::uint32_t> m_state;
};

} // namespace tidemark::label
