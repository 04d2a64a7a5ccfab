// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::replay {

/// Answers "which of these lifetimes hold in state s?" for lifetimes [begin, end) sorted by begin,
/// such as the allocations of a device. Holds complete lists of the live ones at some states, about
/// one list per two times its own length of items, so two bytes per item; the lifetimes themselves
/// are not copied and are passed again to each query. Build O(items).
class LiveIndex {
public:
    /// Columns of equal length; `begin` non-decreasing.
    struct Lifetimes {
        std::span<const StateId> begin;
        std::span<const StateId> end;

        [[nodiscard]] bool isLive(std::uint32_t item, StateId state) const
        {
            return begin[item] <= state && state < end[item];
        }
        /// Items that begin at or before a state: the first so many. O(log items).
        [[nodiscard]] std::uint32_t countUntil(StateId state) const;
    };

    LiveIndex() = default;
    explicit LiveIndex(Lifetimes all);

    /// Numbers of the live items, ascending, into `live`. O(live + log items).
    void liveAt(Lifetimes all, StateId state, std::vector<std::uint32_t>& live) const;

private:
    struct Checkpoint {
        StateId state;
        std::uint32_t begun = 0; ///< Items that begin at or before `state`.
        std::uint32_t first = 0; ///< Of its list in m_lists.
        std::uint32_t count = 0;
    };
    [[nodiscard]] const Checkpoint* before(StateId state) const;

    std::vector<Checkpoint> m_checkpoints;
    std::vector<std::uint32_t> m_lists;
};

} // namespace tidemark::replay
