// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/diagnose/facts/facts.h"

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tidemark::diagnose {

/// Which of the forward matrices of one exact size a temporary of backward belongs to: the kind of
/// that matrix of its size whose free is nearest in the trace.
class ActivationGradients {
public:
    /// O(allocations). Keeps no reference.
    ActivationGradients(const DeviceRun& run, const SizeCountsOf& size_counts, label::Role role);
    /// Share of certainty that a temporary of that size, made in that state, belongs to the role:
    /// 0, 1, or between where it cannot be told.
    [[nodiscard]] double share(std::int64_t bytes, StateId begin) const;
    [[nodiscard]] bool empty() const
    {
        return m_by_size.empty() && m_in_passing.empty();
    }

private:
    struct Free {
        StateId at;
        bool is_role;
    };
    struct Uses {
        std::vector<Free> frees; ///< By state.
        StateId kept_since{std::numeric_limits<std::uint32_t>::max()}; ///< The first never freed.
        std::size_t of_role = 0;
        std::size_t all = 0;
    };
    bool m_is_of_one_moment; ///< In a backward, not once per block.
    std::unordered_map<std::int64_t, Uses, KeyedNumberHash> m_by_size;
    /// Of sizes that no pass saves: the role's share of what forward makes of them.
    std::unordered_map<std::int64_t, double, KeyedNumberHash> m_in_passing;
};

} // namespace tidemark::diagnose
