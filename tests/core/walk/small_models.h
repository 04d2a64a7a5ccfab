// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/walk/model_shape.h"
#include "core/walk/run_shape.h"
#include "core/walk/timeline.h"

namespace tidemark::test {

/// A llama whose sizes are all different, so that a formula with the wrong one is wrong.
inline walk::ModelShape smallLlama(std::int64_t layers = 3)
{
    walk::ModelShape model;
    model.model_type = "llama";
    model.vocabulary = 5000;
    model.hidden = 192;
    model.layers = layers;
    model.heads = 6;
    model.key_heads = 2;
    model.head_width = 40;
    model.rotary_width = 40;
    model.feed_forward = 520;
    model.positions = 4096;
    return model;
}

inline walk::RunShape onCpu(std::int64_t batch = 3, std::int64_t sequence = 64)
{
    walk::RunShape run;
    run.batch = batch;
    run.sequence = sequence;
    run.target = walk::Target::cpu;
    return run;
}

/// Bytes of all that a plan ever makes of a bucket.
inline std::int64_t sumOf(const walk::Timeline& timeline, label::Bucket bucket)
{
    std::int64_t sum = 0;
    for (const walk::PlannedAllocation& a : timeline.allocations) {
        sum += a.bucket == bucket ? a.bytes.value : 0;
    }
    return sum;
}

} // namespace tidemark::test
