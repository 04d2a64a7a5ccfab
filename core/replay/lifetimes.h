// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/replay/replay.h"

namespace tidemark::replay {

/// Lifetimes of one device's allocations, found by walking back from the final blocks. Fills the
/// columns of `replay.allocations` and `replay.event_allocation`, counts violations, adds notes.
/// O(events log n). Returns false when stopped.
bool buildLifetimes(const trace::Device& device, DeviceReplay& replay, ProgressSink& progress,
                    std::stop_token stop);

} // namespace tidemark::replay
