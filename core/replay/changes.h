// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/replay/replay.h"

#include <algorithm>
#include <tuple>

namespace tidemark::replay {

/// Calls `visit(state, allocation, begins)` for every allocation that begins or ends in one of the
/// states, in the order of the states; what ends comes before what begins. The start has no
/// changes: what lives there does not begin. O(states).
template <class Visit>
void forEachChange(const DeviceReplay& replay, Interval<StateId> states, const Visit& visit)
{
    const Allocations& a = replay.allocations;
    auto loose = std::ranges::lower_bound(replay.loose_ends, states.begin, {}, &LooseEnd::state);
    for (std::uint32_t s = std::max(1U, states.begin.value); s < states.end.value; ++s) {
        const StateId state{s};
        const AllocationId marked = replay.event_allocation[s - 1];
        const bool begins = !marked.isNone() && a.alloc_event[marked.index()] == EventId(s - 1);
        if (!marked.isNone() && !begins && a.end[marked.index()] == state) {
            visit(state, marked, false);
        }
        for (; loose != replay.loose_ends.end() && loose->state == state && !loose->begins;
             ++loose) {
            visit(state, loose->allocation, false);
        }
        if (begins) {
            visit(state, marked, true);
        }
        for (; loose != replay.loose_ends.end() && loose->state == state; ++loose) {
            visit(state, loose->allocation, true);
        }
    }
}

/// Number of allocations that live at the start: they are the first ones. O(log allocations).
inline std::size_t countAtStart(const Allocations& a)
{
    return static_cast<std::size_t>(std::ranges::upper_bound(a.begin, StateId::start())
                                    - a.begin.begin());
}

/// All changes of the trace, where what lives at the start begins in it. O(states).
template <class Visit>
void forEachChange(const DeviceReplay& replay, const Visit& visit)
{
    const std::size_t at_start = countAtStart(replay.allocations);
    for (std::size_t i = 0; i < at_start; ++i) {
        visit(StateId::start(), AllocationId(i), true);
    }
    const StateId end{static_cast<std::uint32_t>(replay.stateCount())};
    forEachChange(replay, {StateId::start(), end}, visit);
}

} // namespace tidemark::replay
