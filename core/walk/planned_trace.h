// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"
#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"
#include "core/walk/timeline.h"

#include <cstdint>
#include <vector>

namespace tidemark::walk {

/// A planned run in the form of a recorded one, for all that looks at recordings.
struct PlannedTrace {
    /// One device, no times; route "plan". Stacks are the modules that run: a frame's file is the
    /// module, its function what runs of it, and it has no line.
    trace::Snapshot snapshot;
    /// By event, the allocation of the timeline that it makes; `kNoAllocation` for other events.
    std::vector<std::uint32_t> made;
};

/// The calls of the timeline with addresses and segments as the caching allocator has them by
/// default. Requests of no bytes are left out. O(moments · log blocks). Errors: those of the
/// snapshot's builder.
Result<PlannedTrace> traceOf(const Timeline& timeline);

/// The same with the stacks that a recording of the run would have, see `LibraryFrames`, so that
/// it can be read as one.
Result<PlannedTrace> recordedTraceOf(const Timeline& timeline, const ModelShape& model,
                                     const RunShape& run);

/// What the plan knows of each allocation, and its phases and steps. `replay`: of that snapshot.
label::Labels labelsOf(const Timeline& timeline, const PlannedTrace& trace,
                       const replay::Replay& replay);

} // namespace tidemark::walk
