// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::projection {

/// A live allocation with its end, in one word.
class Living {
public:
    Living() = default;
    Living(std::uint32_t allocation, StateId end)
        : m_word(std::uint64_t{end.value} << 32U | allocation)
    {
    }
    [[nodiscard]] std::uint32_t allocation() const
    {
        return static_cast<std::uint32_t>(m_word);
    }
    [[nodiscard]] bool isLiveIn(StateId state) const // that is not before its beginning
    {
        return m_word >> 32U > state.value;
    }

private:
    std::uint64_t m_word = 0;
};

/// The live allocations of one state after another, oldest first: what a picture of many states
/// goes through, from left to right.
class LivingWalk {
public:
    /// `replay` outlives the walk.
    explicit LivingWalk(const replay::DeviceReplay& replay)
        : m_replay(replay)
    {
    }

    /// Goes to a state and returns how many entries at the front stayed as they were. States before
    /// the present one may be asked for, too, but keep nothing. O(live), and O(allocations begun
    /// between) where these are not many more.
    std::size_t goTo(StateId state);
    /// Leaves the trace: nothing is live. Returns 0.
    std::size_t leave();
    [[nodiscard]] std::span<const Living> live() const
    {
        return {m_live.data(), m_count};
    }

private:
    std::size_t dropEnded(StateId state);
    /// Appends those of the allocations [first, last), all begun, that live in a state.
    void append(StateId state, std::uint32_t first, std::uint32_t last);
    std::size_t restart(StateId state);
    /// Allocations that begin at or before a state which is not before the present one.
    [[nodiscard]] std::uint32_t begunUntil(StateId state) const;

    const replay::DeviceReplay& m_replay;
    bool m_is_in_trace = false;
    StateId m_state;
    std::uint32_t m_begun = 0; ///< Allocations that begin at or before the state.
    std::vector<Living> m_live; ///< Its first m_count.
    std::size_t m_count = 0;
    std::vector<std::uint32_t> m_ids; ///< Room for the index's answers.
};

} // namespace tidemark::projection
