// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstdint>
#include <string>

namespace tidemark::test {

/// What a decoder is made of, how it is run, and what its files are called.
struct DecoderOptions {
    std::int64_t hidden = 512;
    std::int64_t feed_forward = 2048;
    std::int64_t layers = 4;
    std::int64_t heads = 8;
    std::int64_t vocabulary = 8000;
    std::int64_t batch = 4;
    std::int64_t sequence = 128;
    std::int64_t last_batch = 0; ///< Of the last step; 0: as the others.
    int steps = 2;
    int micro_batches = 1; ///< A step.
    int in_flight = 1; ///< Forwards that run before the first backward, as a pipeline's stage does.
    std::int64_t gathered = 0; ///< Bytes of another copy of the weights, made once.
    std::int64_t shards = 1; ///< Of a matrix, one of which is here.
    int states = 2; ///< Per weight.
    bool is_autocast = false; ///< Linear layers copy their weights and compute in 16 bits.
    bool is_inference = false; ///< Forward passes alone, without a graph.
    bool is_fused = false; ///< Attention keeps no matrices.
    bool dies = false; ///< With a request that fails, at the end.
    std::int64_t kept_per_step = 0; ///< Bytes that every step leaves behind.
    std::int64_t reserved = std::int64_t(4) << 30;
    std::string folder = "/home/me/";
    std::string file = "model.py";
    std::string caller = "main"; ///< The function that calls the model.
    int line = 10; ///< Of the first line of the model.
    int torch_line = 100;
    std::string more{}; ///< Settings of the allocator.
};

/// A recording of training steps with frames and labels, allocation by allocation as such a model
/// makes them.
diagnose::Analysis decoderRun(const DecoderOptions& options = {});

} // namespace tidemark::test
