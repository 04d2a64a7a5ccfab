// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/host.h"
#include "core/plan/model_shape.h"
#include "core/plan/run_shape.h"
#include "core/plan/timeline.h"

#include <array>
#include <cstdint>

namespace tidemark::plan {

/// What a planned run comes to.
struct PlannedBudget {
    PlannedPeak peak;
    std::array<Bytes, label::kPhaseCount> phase_peaks{}; ///< By phase; 0: there is none.
    /// The most that the caching allocator gets from the driver for it, by the model of
    /// core/allocator with PyTorch's default settings.
    Bytes reserved;
    std::int64_t parameters = 0;
    std::int64_t trained = 0;
    Bytes parameter_bytes; ///< On this GPU, as long as the run lasts.
    Bytes gradient_bytes; ///< The most at once.
    Bytes state_bytes;
    Bytes gathered_layer; ///< As PlannedRun has them.
    Bytes gathered_root;
    std::int64_t stage = 0; ///< Of a pipeline: the one with the largest peak, which this is of.
    HostBudget host;
};

/// Walks through the run and replays its requests; of a pipeline for the stages that may be the
/// largest: the first (most micro-batches wait), the second (without the embedding) and the last
/// (logits). Milliseconds.
PlannedBudget budgetOf(const ModelShape& model, const RunShape& run);
/// Of the stage that the run says.
PlannedBudget stageBudgetOf(const ModelShape& model, const RunShape& run);

/// What the allocator reserves at most for a timeline. O(moments · log blocks).
Bytes reservedFor(const Timeline& timeline);

} // namespace tidemark::plan
