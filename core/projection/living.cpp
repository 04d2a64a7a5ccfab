// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/living.h"

#include <algorithm>

namespace tidemark::projection {
namespace {

/// Where more allocations have begun since, in live ones, the index's lists are nearer.
constexpr std::size_t kFarAway = 8;
constexpr std::size_t kNear = 4096;

} // namespace

std::size_t LivingWalk::goTo(StateId state)
{
    if (m_is_in_trace && state == m_state) {
        return m_count;
    }
    if (!m_is_in_trace || state < m_state) {
        m_count = 0;
        m_begun = 0;
        m_is_in_trace = true;
        return restart(state);
    }
    const std::uint32_t begun = begunUntil(state);
    if (begun - m_begun > kNear + kFarAway * m_count) {
        return restart(state);
    }
    const std::size_t kept = dropEnded(state);
    append(state, m_begun, begun);
    m_begun = begun;
    m_state = state;
    return kept;
}

std::size_t LivingWalk::leave()
{
    m_is_in_trace = false;
    m_count = 0;
    return 0;
}

std::size_t LivingWalk::dropEnded(StateId state)
{
    const auto end = m_live.begin() + static_cast<std::ptrdiff_t>(m_count);
    const auto first =
        std::find_if(m_live.begin(), end, [&](Living l) { return !l.isLiveIn(state); });
    // Without a branch on what lives on: there is no telling.
    auto out = first;
    for (auto in = first; in != end; ++in) {
        *out = *in;
        out += in->isLiveIn(state) ? 1 : 0;
    }
    m_count = static_cast<std::size_t>(out - m_live.begin());
    return static_cast<std::size_t>(first - m_live.begin());
}

void LivingWalk::append(StateId state, std::uint32_t first, std::uint32_t last)
{
    const std::size_t room = m_count + (last - first) + 1;
    if (m_live.size() < room) {
        m_live.resize(room + room / 2);
    }
    const StateId* const end = m_replay.allocations.end.data();
    Living* out = m_live.data() + m_count;
    for (std::uint32_t id = first; id < last; ++id) {
        *out = Living(id, end[id]);
        out += state < end[id] ? 1 : 0;
    }
    m_count = static_cast<std::size_t>(out - m_live.data());
}

std::size_t LivingWalk::restart(StateId state)
{
    const auto lifetimes = m_replay.allocations.lifetimes();
    m_replay.live_index.liveAt(lifetimes, state, m_ids);
    if (m_live.size() < m_ids.size()) {
        m_live.resize(m_ids.size());
    }
    std::size_t kept = 0;
    while (kept < std::min(m_count, m_ids.size()) && m_live[kept].allocation() == m_ids[kept]) {
        ++kept;
    }
    for (std::size_t i = kept; i < m_ids.size(); ++i) {
        m_live[i] = Living(m_ids[i], lifetimes.end[m_ids[i]]);
    }
    m_count = m_ids.size();
    m_begun = lifetimes.countUntil(state);
    m_state = state;
    return kept;
}

std::uint32_t LivingWalk::begunUntil(StateId state) const
{
    const std::vector<StateId>& begin = m_replay.allocations.begin;
    std::size_t first = m_begun;
    std::size_t last = begin.size();
    for (std::size_t step = 1; first + step <= last; step *= 2) {
        if (state < begin[first + step - 1]) {
            last = first + step - 1;
            break;
        }
        first += step;
    }
    const auto at = std::upper_bound(begin.begin() + static_cast<std::ptrdiff_t>(first),
                                     begin.begin() + static_cast<std::ptrdiff_t>(last), state);
    return static_cast<std::uint32_t>(at - begin.begin());
}

} // namespace tidemark::projection
