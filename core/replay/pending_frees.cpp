// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/pending_frees.h"

#include "core/replay/replay.h"

#include <algorithm>

namespace tidemark::replay {

std::vector<PendingSince> pendingWithoutRequest(const trace::Device& device,
                                                const Allocations& allocations)
{
    std::vector<Address> at_dump;
    for (const trace::Block& b : device.blocks) {
        if (b.state == trace::BlockState::active_pending_free) {
            at_dump.push_back(b.address);
        }
    }
    std::ranges::sort(at_dump);
    const std::vector<trace::Action>& actions = device.events.action;
    const bool has_requests =
        std::ranges::find(actions, trace::Action::free_requested) != actions.end();
    const StateId last{static_cast<std::uint32_t>(device.events.count())};
    std::vector<PendingSince> pending;
    for (std::size_t i = 0; i < allocations.count(); ++i) {
        if (!allocations.free_requested_event[i].isNone()) {
            continue;
        }
        const bool is_of_start = allocations.begin[i] == StateId::start();
        const bool is_freed = !allocations.free_event[i].isNone();
        if (is_freed && is_of_start && has_requests) {
            pending.push_back({AllocationId(i), StateId::start()});
        } else if (!is_freed && last < allocations.end[i]
                   && std::ranges::binary_search(at_dump, allocations.address[i])) {
            pending.push_back({AllocationId(i), is_of_start ? StateId::start() : last});
        }
    }
    return pending;
}

} // namespace tidemark::replay
