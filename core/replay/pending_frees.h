// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/trace/snapshot.h"

#include <vector>

namespace tidemark::replay {

struct Allocations;

/// An allocation that waits for the end of its free although the trace does not show who asked for
/// it: that was before the first event, or the event was lost.
struct PendingSince {
    AllocationId allocation;
    StateId since; ///< The first state in which it is known to be pending.
};

/// Those of a device, by allocation: freed by a completion alone in a trace that has requests
/// otherwise (pending since the start), or pending among the final blocks. Empty in a complete
/// trace. O(allocations + blocks · log blocks).
std::vector<PendingSince> pendingWithoutRequest(const trace::Device& device,
                                                const Allocations& allocations);

} // namespace tidemark::replay
