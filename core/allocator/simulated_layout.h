// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/simulate.h"
#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"

#include <memory>

namespace tidemark::allocator {

/// Where everything lies in every state of a simulation. Its parts are those of a replay, so that
/// whatever shows the memory of a recorded state shows a simulated one as well.
struct SimulatedLayout {
    Simulation simulation;
    /// The recorded one with the simulation's addresses, segments and reserved bytes. What another
    /// stream still used is pending as long as recorded, although a wait in the simulation may have
    /// ended that earlier.
    std::shared_ptr<const replay::DeviceReplay> replay;
    std::shared_ptr<const replay::BlockSizes> sizes;
    /// The last state that is known: the trace's last, or where the simulation ran out.
    StateId known_until;
};

/// Plays the trace once and keeps the places. O(events · log blocks); takes as much memory as the
/// replay. Errors: cancelled.
Result<SimulatedLayout> simulateLayout(const Trace& trace, const Conditions& conditions,
                                       const StagePart& part);

} // namespace tidemark::allocator
