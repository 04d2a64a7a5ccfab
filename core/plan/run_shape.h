// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/plan/tape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::plan {

enum class Precision : std::uint8_t {
    fp32,
    autocast_bf16, ///< Weights in fp32, products in bf16.
    bf16, ///< Everything, the optimizer's states too.
};
enum class Optimizer : std::uint8_t {
    adamw, ///< Fused, the default of transformers.
    adamw_foreach,
    adamw_8bit, ///< bitsandbytes.
    sgd, ///< Without momentum.
    adafactor, ///< That of transformers, without momentum.
};
enum class Attention : std::uint8_t { sdpa, eager, flash };
enum class Mode : std::uint8_t {
    train,
    forward, ///< One forward with its graph, no backward.
    inference, ///< One forward without a graph.
};

/// Low-rank adapters as PEFT makes them, without dropout.
struct Lora {
    std::int64_t rank = 16;
    std::vector<std::string> targets; ///< Names of linear layers: "q_proj".
};

/// How a model is trained.
struct RunShape {
    std::int64_t batch = 1; ///< Sequences per forward on each GPU.
    std::int64_t sequence = 1024; ///< Tokens.
    std::int64_t accumulation = 1;
    Precision precision = Precision::fp32;
    Optimizer optimizer = Optimizer::adamw;
    Attention attention = Attention::sdpa;
    std::optional<Kernel> kernel; ///< Of sdpa; none: what torch takes by itself.
    bool checkpoints = false; ///< Each layer.
    /// Head and loss in parts, whose gradients are made in forward (Liger's fused linear cross
    /// entropy).
    bool fuses_loss = false;
    std::optional<Lora> lora;
    std::int64_t gpus = 1; ///< Data-parallel ones.
    int zero = 0; ///< ZeRO's stage; 3: FSDP's full sharding.
    Target target = Target::cuda;
    Mode mode = Mode::train;

    [[nodiscard]] std::int64_t tokens() const
    {
        return batch * sequence;
    }
};

// The words of the command line. Errors: badArgument with the words that are known.
Result<Precision> parsePrecision(std::string_view word);
Result<Optimizer> parseOptimizer(std::string_view word);
Result<Attention> parseAttention(std::string_view word);
Result<Mode> parseMode(std::string_view word);
Result<Target> parseTarget(std::string_view word);
std::string_view wordOf(Precision precision);
std::string_view wordOf(Optimizer optimizer);
std::string_view wordOf(Attention attention);
std::string_view wordOf(Mode mode);
std::string_view wordOf(Target target);

} // namespace tidemark::plan
