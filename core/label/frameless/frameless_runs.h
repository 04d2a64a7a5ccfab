// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/bucket.h"
#include "core/replay/replay.h"

#include <vector>

namespace tidemark::label {

/// An interval of allocations in one phase, as events; see `Run`.
struct FramelessPhase {
    Phase phase = Phase::other;
    EventId first;
    EventId last; ///< Inclusive.
};

/// Phases of a trace without stacks, from sizes and lifetimes alone: backward passes by their first
/// gradient, the optimizer by sizes of what stays for good, batches by what outlives the pass, and
/// without training the repeated passes of an inference. Empty where none of these shows. Ordered,
/// covering all allocations; two intervals of one pass-like phase in a row are two passes.
/// O(events + allocations log events).
std::vector<FramelessPhase> findFramelessPhases(const trace::Events& events,
                                                const replay::DeviceReplay& replay);

} // namespace tidemark::label
