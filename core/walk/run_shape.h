// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/walk/tape.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::walk {

enum class Precision : std::uint8_t {
    fp32,
    autocast_bf16, ///< Weights in fp32, products in bf16.
    bf16, ///< Everything, the optimizer's states too.
    bf16_master, ///< As bf16, with a copy of the weights and the states in fp32 (DeepSpeed).
};
/// How the linear layers of a frozen base are stored: bitsandbytes' formats.
enum class Quantization : std::uint8_t {
    none,
    int8, ///< LLM.int8().
    nf4,
    nf4_double, ///< The scales of blocks are quantized, too.
};
/// That share a scale in 4 bits; bitsandbytes' default.
inline constexpr std::int64_t kValuesPerScale = 64;
/// Where what is sharded lies between its uses.
enum class Offload : std::uint8_t { none, cpu, nvme };
enum class Optimizer : std::uint8_t {
    adamw, ///< Fused, the default of transformers.
    adamw_foreach,
    adamw_for_loop, ///< torch's without lists, or one of the code's own.
    adamw_8bit, ///< bitsandbytes.
    sgd, ///< Without momentum.
    sgd_momentum, ///< torch's: the same by lists, in a loop and fused.
    adafactor, ///< That of transformers, without momentum.
};
enum class Attention : std::uint8_t {
    sdpa,
    eager,
    flash,
    own, ///< Scale, mask and softmax written out, each operation with a result of its own.
};
/// What nobody says of a run, and its memory follows; the ends of a range have it.
struct Unsaid {
    std::optional<Kernel> kernel; ///< Of sdpa; none: what torch takes by itself.
    bool repeats_exponentials = false; ///< An own softmax computes them for the sum once more.
    bool freezes_weights =
        false; ///< In inference: they need no gradient, so autocast keeps no cast.
};
/// What the code writes out in elementary operations where libraries call one kernel, and what its
/// loop does otherwise. A configuration tells none of it.
struct OwnCode {
    bool activation = false; ///< x · sigmoid(x) of the feed-forward.
    bool loss = false; ///< x − max, the logarithm of the sum of exponentials, and the target's.
    /// The loop's names hold the logits through backward, until the next forward has made others.
    bool loop = false;

    [[nodiscard]] bool isAny() const
    {
        return activation || loss || loop;
    }
};
/// Who runs the steps. Trainer's Accelerate hands outputs out in 32 bits under autocast
/// (convert_outputs_to_fp32 of accelerate/utils/operations.py), a plain loop leaves them.
enum class Loop : std::uint8_t { trainer, plain };
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

/// How the work on one batch is divided among GPUs, in the ways that can be combined.
struct Division {
    std::int64_t tensor = 1; ///< GPUs that share each matrix.
    bool divides_tokens = false; ///< Between these matrices as well: sequence parallelism.
    std::int64_t pipeline = 1; ///< Stages, of as many layers each.
    std::int64_t stage = 0; ///< The one that is planned.
    std::int64_t context = 1; ///< GPUs that share each sequence.
    std::int64_t experts = 1; ///< Among how many data-parallel GPUs the experts are divided.

    /// Whether a GPU has a part of the model's weights only.
    [[nodiscard]] bool isDivided() const
    {
        return tensor > 1 || pipeline > 1 || experts > 1;
    }
    [[nodiscard]] bool isFirst() const
    {
        return stage == 0;
    }
    [[nodiscard]] bool isLast() const
    {
        return stage + 1 == pipeline;
    }
};

/// How a model is trained.
struct RunShape {
    std::int64_t batch = 1; ///< Sequences per forward on each GPU.
    std::int64_t sequence = 1024; ///< Tokens.
    std::int64_t target_sequence = 0; ///< Of an encoder-decoder's second half; 0: as many.
    std::int64_t accumulation = 1; ///< Micro-batches per step; those of a pipeline, too.
    bool is_padded = false; ///< Sequences of a batch differ in length, so a mask is made.
    Precision precision = Precision::fp32;
    Optimizer optimizer = Optimizer::adamw;
    Attention attention = Attention::sdpa;
    bool checkpoints = false; ///< Each layer.
    /// Head and loss in parts, whose gradients are made in forward (Liger's fused linear cross
    /// entropy).
    bool fuses_loss = false;
    std::optional<Loop> loop; ///< None: Trainer's, and the range has both.
    OwnCode own;
    Unsaid unsaid;
    std::optional<Lora> lora;
    Quantization quantization = Quantization::none; ///< Of the base.
    std::int64_t gpus = 1; ///< Data-parallel ones.
    int zero = 0; ///< ZeRO's stage; 3: FSDP's full sharding.
    Offload states = Offload::none;
    Offload weights = Offload::none;
    Division division;
    Target target = Target::cuda;
    Mode mode = Mode::train;

    [[nodiscard]] std::int64_t tokens() const
    {
        return batch * sequence;
    }
    [[nodiscard]] std::int64_t targetSequence() const
    {
        return target_sequence > 0 ? target_sequence : sequence;
    }
    /// GPUs that hold the same part of the model: among them is sharded.
    [[nodiscard]] std::int64_t replicas() const
    {
        return gpus * division.context;
    }
    /// Of an expert.
    [[nodiscard]] std::int64_t expertReplicas() const
    {
        return std::max<std::int64_t>(1, replicas() / division.experts);
    }
    [[nodiscard]] std::int64_t allGpus() const
    {
        return replicas() * division.tensor * division.pipeline;
    }
    [[nodiscard]] bool hasNarrowWeights() const
    {
        return precision == Precision::bf16 || precision == Precision::bf16_master;
    }
    /// Weights are put together before each use (ZeRO-3).
    [[nodiscard]] bool gathersWeights() const
    {
        return zero == 3 && (replicas() > 1 || weights != Offload::none);
    }
};

// The words of the command line. Errors: badArgument with the words that are known.
Result<Precision> parsePrecision(std::string_view word);
Result<Optimizer> parseOptimizer(std::string_view word);
Result<Attention> parseAttention(std::string_view word);
Result<Loop> parseLoop(std::string_view word);
Result<Mode> parseMode(std::string_view word);
Result<Target> parseTarget(std::string_view word);
Result<Quantization> parseQuantization(std::string_view word);
Result<Offload> parseOffload(std::string_view word);
/// "activation,loss,loop", or some of it.
Result<OwnCode> parseOwnCode(std::string_view words);
std::string_view wordOf(Precision precision);
std::string_view wordOf(Optimizer optimizer);
std::string_view wordOf(Attention attention);
std::string_view wordOf(Mode mode);
std::string_view wordOf(Target target);
std::string_view wordOf(Quantization quantization);
std::string_view wordOf(Offload offload);
std::vector<std::string_view> wordsOf(const OwnCode& own);

} // namespace tidemark::walk
