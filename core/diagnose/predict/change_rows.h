// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/predict/changed_run.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tidemark::diagnose {

/// Numbers of all runs side by side: the low ends, then the estimates, then the high ends.
using Lanes = std::vector<std::int64_t>;

/// All that tells the runs of a sweep from the recorded one, as rows of bytes, one number per lane:
/// what an allocation of each kind has more than recorded, and what is there from some state to
/// another.
class ChangeRows {
public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    /// From a state on there are `count` times the row's bytes more.
    struct Turn {
        StateId at;
        StateId until; ///< Where it turns back; 0 in the turn that does so.
        std::uint32_t row = 0;
        std::int32_t count = 0;
        bool goes_on = false; ///< As a `LifetimeTurn`.
    };

    /// Turns after `states` are none. O(kinds · runs + turns log turns).
    ChangeRows(const SizeKinds& kinds, std::span<const ChangedRun> runs, std::uint32_t states);

    /// Of an allocation of a kind; `kNone` if no run changes its size.
    [[nodiscard]] std::uint32_t ofKind(std::uint32_t kind) const
    {
        return m_of_kind[kind];
    }
    [[nodiscard]] const std::int64_t* row(std::uint32_t index) const
    {
        return m_rows.data() + std::size_t{index} * m_lanes;
    }
    /// The least and the most of the row.
    [[nodiscard]] std::int64_t least(std::uint32_t index) const
    {
        return m_ends[index].first;
    }
    [[nodiscard]] std::int64_t most(std::uint32_t index) const
    {
        return m_ends[index].second;
    }
    /// Of what it is; unknown of what is added.
    [[nodiscard]] label::Bucket bucket(std::uint32_t index) const
    {
        return m_bucket[index];
    }
    [[nodiscard]] std::size_t count() const
    {
        return m_ends.size();
    }
    /// In the order of the states.
    [[nodiscard]] const std::vector<Turn>& turns() const
    {
        return m_turns;
    }

private:
    void addKinds();
    void addLifetimes();
    void addLifetimes(const Lifetimes& lifetimes);
    void addAdditions();
    void addAdditions(const Additions& additions);
    std::uint32_t newRow(label::Bucket bucket);
    void set(std::uint32_t row, std::size_t run, const Amount& bytes, int times);
    void close(std::uint32_t row);

    const SizeKinds& m_kinds;
    std::span<const ChangedRun> m_runs;
    std::size_t m_lanes;
    StateId m_end; ///< After the last state.
    std::vector<std::uint32_t> m_of_kind;
    std::vector<std::int64_t> m_rows;
    std::vector<std::pair<std::int64_t, std::int64_t>> m_ends; ///< Per row: smallest, largest.
    std::vector<label::Bucket> m_bucket; ///< Per row.
    std::vector<Turn> m_turns;
};

} // namespace tidemark::diagnose
