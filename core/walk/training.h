// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"
#include "core/walk/timeline.h"

#include <cstdint>

namespace tidemark::walk {

/// A run that was never made, as one GPU sees it.
struct PlannedRun {
    Timeline timeline;
    std::int64_t parameters = 0; ///< That this GPU computes with, before they are sharded.
    std::int64_t trained = 0;
    std::int64_t trained_share = 0; ///< Of which it has the optimizer's states.
    Bytes gathered_layer; ///< The largest layer that ZeRO-3 gathers.
    Bytes gathered_root; ///< What it gathers that is in no layer: embeddings and the head.
};

/// Walks through set-up and two training steps (the first makes the optimizer's states), or one
/// forward, as Hugging Face's Trainer runs them. With accumulation a step has two micro-batches:
/// more look like the second. A stage of a pipeline takes its micro-batches one forward, one
/// backward, with as many forwards ahead as stages follow (1F1B: arXiv 2104.04473; schedules.py
/// of Megatron-Core). O(layers · operations), a few milliseconds.
PlannedRun planRun(const ModelShape& model, const RunShape& run);
/// The second of these steps alone, before which the optimizer's states are made: its peak is the
/// run's, and so are those of forward and backward. Half the work.
PlannedRun planStep(const ModelShape& model, const RunShape& run);

} // namespace tidemark::walk
