// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"

namespace tidemark::replay {

/// Lifetimes of one device's allocations, found by walking back from the final blocks. Fills the
/// columns of `replay.allocations`, `replay.event_allocation` and `replay.loose_ends`, counts
/// violations, adds notes, and writes into `replay.active` by how much each state differs from the
/// one before it (the start: from nothing). O(events + n log n) with n the allocations at the
/// start. Returns false when stopped.
///
/// `prefix_tag`: the text kPrefixTag of irregularities.h, none if the file does not have it; events
/// that bear it are no allocations.
bool buildLifetimes(const trace::Device& device, StringId prefix_tag, DeviceReplay& replay,
                    ProgressSink& progress, const std::stop_token& stop);

} // namespace tidemark::replay
