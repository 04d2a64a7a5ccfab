// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/pool_lookup.h"

#include <algorithm>

namespace tidemark::replay {

PoolLookup::PoolLookup(const trace::Device& device)
    : m_device(device)
{
    const trace::Events& events = device.events;
    if (!events.pool.empty()) {
        m_has_private = std::ranges::any_of(events.pool, &trace::PoolId::isPrivate)
            || std::ranges::any_of(device.segments,
                                   [](const trace::Segment& s) { return s.pool.isPrivate(); });
        return;
    }
    for (const trace::Segment& s : device.segments) {
        if (s.pool.isPrivate()) {
            m_homes.push_back({s.address, s.address + static_cast<Address>(s.total_size.value),
                               EventId::none(), s.pool});
        }
    }
    m_has_private = !m_homes.empty();
    for (std::size_t i = 0; m_has_private && i < events.count(); ++i) {
        if (events.action[i] == trace::Action::segment_alloc) {
            const auto home =
                std::ranges::lower_bound(m_homes, events.address[i], {}, &Home::begin);
            if (home != m_homes.end() && home->begin == events.address[i]) {
                home->made = EventId(i);
            }
        }
    }
}

trace::PoolId PoolLookup::poolOf(EventId event) const
{
    const trace::Events& events = m_device.events;
    if (!events.pool.empty()) {
        return events.pool[event.index()];
    }
    const Address address = events.address[event.index()];
    const auto next = std::ranges::upper_bound(m_homes, address, {}, &Home::begin);
    if (next == m_homes.begin() || address >= std::prev(next)->end) {
        return {};
    }
    const Home& home = *std::prev(next);
    const bool is_there = home.made.isNone() || event >= home.made;
    return is_there ? home.pool : trace::PoolId();
}

} // namespace tidemark::replay
