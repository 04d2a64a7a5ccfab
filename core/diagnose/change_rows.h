// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/keyed_hash.h"
#include "core/diagnose/changed_run.h"
#include "core/diagnose/size_kinds.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::diagnose {

/// Numbers of all runs side by side: the low ends, then the estimates, then the high ends.
using Lanes = std::vector<std::int64_t>;

/// The distinct rows of changes over all runs of a sweep, and the row of each allocation: one
/// number per lane, bytes. The runs must outlive it.
class ChangeRows {
public:
    static constexpr std::uint32_t kNone = ChangedRun::kUnchanged;

    /// `kinds`: those by which the runs were made; null if none was. O(allocations + kinds · runs),
    /// and O(runs) for each allocation of a bucket that some run changes one by one.
    ChangeRows(const Facts& facts, std::span<const ChangedRun> runs, const SizeKinds* kinds);

    [[nodiscard]] std::uint32_t of(AllocationId a) const
    {
        return m_of[a.index()];
    }
    [[nodiscard]] const std::int64_t* row(std::uint32_t index) const
    {
        return m_rows.data() + std::size_t{index} * m_runs.size() * 3;
    }
    /// The most that any run takes away, or the least that all add.
    [[nodiscard]] std::int64_t least(std::uint32_t index) const
    {
        return m_ends[index].first;
    }
    /// The most that any run adds.
    [[nodiscard]] std::int64_t most(std::uint32_t index) const
    {
        return m_ends[index].second;
    }
    [[nodiscard]] std::size_t count() const
    {
        return m_ends.size();
    }

private:
    /// An allocation that some runs change alone.
    struct Alone {
        std::uint32_t of_kind;
        std::size_t allocation;
        std::uint32_t row;
    };

    std::uint32_t rowOf(std::size_t a, std::uint32_t of_kind,
                        const std::vector<std::size_t>& by_allocation);
    std::uint32_t rowOfDeltas();

    std::span<const ChangedRun> m_runs;
    KeyedHash m_hash;
    std::vector<std::uint32_t> m_of; ///< Per allocation.
    std::unordered_multimap<std::uint64_t, Alone> m_of_alone; ///< By hash.
    std::vector<std::uint32_t> m_deltas; ///< Of one row, in work: an index per run.
    std::vector<std::uint32_t> m_deltas_of; ///< The same of all rows.
    std::vector<std::int64_t> m_rows;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_ends; ///< Per row: smallest, largest.
};

} // namespace tidemark::diagnose
