// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "core/label/stacks/stack_kinds.h"
#include "core/label/stacks/stated_kinds.h"
#include "core/replay/replay.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::label {

/// A maximal interval of allocations whose stacks are of one kind, all generating or none.
struct StackInterval {
    StackKind kind = StackKind::other;
    std::size_t first_alloc = 0; ///< Events.
    std::size_t last_alloc = 0;
    Phase phase = Phase::other;
    bool generates = false; ///< Made inside a library's loop over tokens.
    bool is_inner = false; ///< A backward whose gradients a later one goes through.

    /// As what follows it sees it: what makes gradients for a graph is part of forward.
    [[nodiscard]] StackKind kindAfter() const
    {
        return is_inner ? StackKind::forward : kind;
    }
};

/// The allocations of one device cut into intervals, which tile them in order.
struct StackIntervals {
    std::vector<std::uint32_t> allocs; ///< Events that allocate or fail to.
    std::vector<StackInterval> intervals;
    bool has_stacks = false; ///< At least one allocation has a stack with frames.
};

/// Decides the phase of each interval from its kind and, for the program's plain code, from what
/// neighbours it: what feeds a pass, a step written by hand, an average kept after the step.
/// Forward intervals of training and of evaluation are not told apart here. O(events).
StackIntervals cutIntoIntervals(const trace::Snapshot& snapshot, const trace::Device& device,
                                const replay::DeviceReplay& replay, const StackKinds& kinds,
                                const StatedTimes& times);

} // namespace tidemark::label
