// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/host.h"
#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"
#include "core/walk/timeline.h"

#include <array>
#include <cstdint>

namespace tidemark::plan {

/// What a planned run comes to.
struct PlannedBudget {
    walk::PlannedPeak peak;
    std::array<Bytes, label::kPhaseCount> phase_peaks{}; ///< By phase; 0: there is none.
    /// The most that the caching allocator gets from the driver for it, by the model of
    /// core/allocator with PyTorch's default settings, beside cuBLAS's workspaces, whose place
    /// among the blocks it has in mind.
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
/// `workspace`: what cuBLAS asks for per thread that multiplies matrices.
PlannedBudget budgetOf(const walk::ModelShape& model, const walk::RunShape& run,
                       Bytes workspace = {});
/// Of the stage that the run says.
PlannedBudget stageBudgetOf(const walk::ModelShape& model, const walk::RunShape& run,
                            Bytes workspace = {});

/// What the allocator reserves at most for a timeline and workspaces, which are requested with the
/// first products and kept. A workspace that finds room in a cached block leaves a rest that is too
/// small for what had been there. O(moments · log blocks).
Bytes reservedFor(const walk::Timeline& timeline, Bytes workspace = {});

} // namespace tidemark::plan
