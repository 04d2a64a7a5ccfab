// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/memory_state.h"

namespace tidemark::replay {

/// What `fragmentationOf(memoryStateAt(…))` gives for each of some states, which ascend, without
/// laying out any of them: from one to the next only what came or went is looked at. O(allocations
/// + changes between the states · log live), however much lives. Empty: the work was stopped.
std::vector<Fragmentation> sweepHoles(const DeviceReplay& replay, const BlockSizes& sizes,
                                      std::span<const StateId> states, const StagePart& part);

} // namespace tidemark::replay
