// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/live_index.h"

#include <algorithm>

namespace tidemark::replay {
namespace {

/// Fewer items than this between two lists are looked through at once.
constexpr std::uint32_t kSmallestStride = 1024;

/// Takes out what is not live any more; how many at the front are as they were.
std::size_t keepLive(LiveIndex::Lifetimes all, StateId state, std::vector<std::uint32_t>& live)
{
    const StateId* const end = all.end.data();
    const auto is_over = [&](std::uint32_t item) { return end[item] <= state; };
    const auto first = std::ranges::find_if(live, is_over);
    const auto kept = static_cast<std::size_t>(first - live.begin());
    live.erase(std::remove_if(first, live.end(), is_over), live.end());
    return kept;
}

/// Adds those of the items [first, last), all begun, that are still live.
void addLive(LiveIndex::Lifetimes all, StateId state, std::uint32_t first, std::uint32_t last,
             std::vector<std::uint32_t>& live)
{
    const StateId* const end = all.end.data();
    for (std::uint32_t item = first; item < last; ++item) {
        if (state < end[item]) {
            live.push_back(item);
        }
    }
}

} // namespace

std::uint32_t LiveIndex::Lifetimes::countUntil(StateId state) const
{
    return static_cast<std::uint32_t>(std::ranges::upper_bound(begin, state) - begin.begin());
}

LiveIndex::LiveIndex(Lifetimes all)
{
    std::vector<std::uint32_t> live;
    std::uint32_t begun = 0;
    const auto count = static_cast<std::uint32_t>(all.begin.size());
    while (begun < count) {
        const auto stride = std::max(kSmallestStride, static_cast<std::uint32_t>(2 * live.size()));
        const std::uint32_t next = begun + std::min(stride, count - begun);
        const StateId state = all.begin[next - 1];
        const std::uint32_t until = all.countUntil(state);
        keepLive(all, state, live);
        addLive(all, state, begun, until, live);
        begun = until;
        m_checkpoints.push_back({state, begun, static_cast<std::uint32_t>(m_lists.size()),
                                 static_cast<std::uint32_t>(live.size())});
        m_lists.insert(m_lists.end(), live.begin(), live.end());
    }
    m_lists.shrink_to_fit();
}

const LiveIndex::Checkpoint* LiveIndex::before(StateId state) const
{
    const auto next = std::ranges::upper_bound(m_checkpoints, state, {}, &Checkpoint::state);
    return next == m_checkpoints.begin() ? nullptr : &*std::prev(next);
}

void LiveIndex::liveAt(Lifetimes all, StateId state, std::vector<std::uint32_t>& live) const
{
    live.clear();
    std::uint32_t begun = 0;
    if (const Checkpoint* checkpoint = before(state)) {
        const auto list = m_lists.begin() + checkpoint->first;
        live.assign(list, list + checkpoint->count);
        keepLive(all, state, live);
        begun = checkpoint->begun;
    }
    addLive(all, state, begun, all.countUntil(state), live);
}

} // namespace tidemark::replay
