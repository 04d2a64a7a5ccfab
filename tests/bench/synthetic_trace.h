// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <vector>

namespace tidemark::bench {

struct TraceShape {
    std::size_t events = 0; ///< About so many.
    std::size_t steps = 0;
    std::size_t lasting = 1200; ///< Parameters and optimizer states.
};

/// A training run straight in memory, without stacks: parameters and optimizer states throughout,
/// and steps of activations, gradients and short-lived tensors; up to 1,400 live allocations above
/// the lasting ones.
struct SyntheticTrace {
    trace::Snapshot snapshot;
    std::vector<label::Bucket> bucket; ///< Per event: of the allocation it makes.
    std::vector<label::Step> steps;
    std::vector<label::PhaseSpan> phases;
};

SyntheticTrace makeTrace(const TraceShape& shape);
/// What the allocations were made for, as a replay of the trace finds them.
label::Labels labelsOf(const SyntheticTrace& trace, const replay::Replay& replay);

} // namespace tidemark::bench
