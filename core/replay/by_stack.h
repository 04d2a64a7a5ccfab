// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/stack_pool.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace tidemark::replay {

/// The allocations whose stack `has(StackId)` what is asked for, in their order; each stack is
/// asked once. O(allocations + stacks), and what asking costs.
template <class Has>
std::vector<AllocationId> allocationsByStack(const Allocations& all, const StackPool& stacks,
                                             const Has& has, const std::stop_token& stop = {})
{
    enum class Known : std::uint8_t { not_asked, no, yes };
    std::vector<Known> known(stacks.stackCount() + 1, Known::not_asked);
    std::vector<AllocationId> ids;
    for (std::size_t i = 0; i < all.count() && !stop.stop_requested(); ++i) {
        const StackId stack = all.stack[i];
        Known& of = known[stack.isNone() ? stacks.stackCount() : stack.index()];
        if (of == Known::not_asked) {
            of = has(stack) ? Known::yes : Known::no;
        }
        if (of == Known::yes) {
            ids.emplace_back(i);
        }
    }
    return ids;
}

} // namespace tidemark::replay
