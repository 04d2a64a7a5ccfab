// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/shapes/objection.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/shapes/linear_names.h"

#include <algorithm>

namespace tidemark::shapes {
namespace {

/// More than all tensors of a run take, so that sums stay far from overflow.
double roughBytes(const walk::ModelShape& model, const walk::RunShape& run)
{
    const auto of = [](std::int64_t size) { return static_cast<double>(size); };
    constexpr double kOften = 64;
    const double experts = model.experts
        ? of(model.experts->per_token) * (of(model.experts->width) + of(model.hidden))
        : 0;
    const double tokens = of(std::max(run.sequence, run.targetSequence()));
    const double row = of(model.hidden) + of(model.feed_forward) + experts + of(model.queryWidth())
        + of(model.heads) * tokens + (run.lora ? of(run.lora->rank) : 0)
        + (model.images ? of(model.images->pixels()) : 0);
    return kOften * of(run.batch) * tokens * (of(model.layers) * row + of(model.vocabulary));
}

bool divides(std::int64_t part, std::int64_t whole)
{
    return whole % part == 0;
}

/// Of the ways to divide one model.
std::string objectionToDivision(const walk::ModelShape& model, const walk::RunShape& run)
{
    const walk::Division& d = run.division;
    const bool is_divided = d.tensor > 1 || d.pipeline > 1 || d.context > 1;
    if (is_divided && !model.isLlamaKind()) {
        return say("Tensor, pipeline and context parallelism are supported only for decoders such "
                   "as llama.");
    }
    if (!divides(d.tensor, model.heads) || !divides(d.tensor, model.key_heads)
        || !divides(d.tensor, model.feed_forward)) {
        return say("{} GPUs cannot split the model: {} heads, {} key-value heads and feed-forward "
                   "{} are not all divisible.",
                   d.tensor, model.heads, model.key_heads, model.feed_forward);
    }
    if (d.divides_tokens && (d.tensor == 1 || !divides(d.tensor, run.sequence))) {
        return say(
            "Sequence parallelism needs tensor parallelism and a sequence divisible by its GPUs.");
    }
    if (!divides(d.pipeline, model.layers)) {
        return say("{} stages cannot split {} layers evenly.", d.pipeline, model.layers);
    }
    if (d.pipeline > 1 && run.mode != walk::Mode::train) {
        return say("Pipeline parallelism is supported only for training.");
    }
    if (!divides(d.context, run.sequence)) {
        return say("{} GPUs cannot split a sequence of {} tokens evenly.", d.context, run.sequence);
    }
    const bool makes_scores =
        run.attention == walk::Attention::eager || run.attention == walk::Attention::own;
    if (d.context > 1 && (makes_scores || model.window > 0)) {
        return say("Context parallelism needs fused full attention, not eager or sliding-window.");
    }
    if (d.experts > 1
        && (!model.experts || !divides(d.experts, model.experts->count)
            || !divides(d.experts, run.replicas()))) {
        return model.experts ? say("{} GPUs cannot split {} experts: use a number that divides "
                                   "them and the data-parallel GPUs.",
                                   d.experts, model.experts->count)
                             : say("{} GPUs cannot split experts: the model has none.", d.experts);
    }
    return {};
}

std::string objectionToSharing(const walk::ModelShape& model, const walk::RunShape& run)
{
    const bool offloads = run.states != walk::Offload::none || run.weights != walk::Offload::none;
    if (run.zero > 0 && run.replicas() < 2 && !offloads) {
        return say("Sharding needs several GPUs: give their number.");
    }
    if (run.states != walk::Offload::none && run.zero == 0) {
        return say("Offloading optimizer state needs ZeRO or FSDP: give its stage.");
    }
    if (run.weights != walk::Offload::none && run.zero != 3) {
        return say("Offloading weights needs ZeRO stage 3 or FSDP.");
    }
    if ((run.states == walk::Offload::nvme || run.weights == walk::Offload::nvme)
        && run.zero != 3) {
        return say("NVMe needs ZeRO stage 3.");
    }
    return objectionToDivision(model, run);
}

std::string objectionToFewBits(const walk::RunShape& run)
{
    if (run.quantization == walk::Quantization::none) {
        return {};
    }
    if (run.mode == walk::Mode::train && !run.lora) {
        return say("Quantized weights cannot be trained: add --lora, or use mode inference.");
    }
    if (run.zero == 3) {
        return say("Quantized weights cannot be sharded: use at most ZeRO stage 2.");
    }
    return {};
}

} // namespace

std::string objectionTo(const walk::ModelShape& model, const walk::RunShape& run)
{
    constexpr double kMostRoughBytes = 0x1p58;
    if (roughBytes(model, run) > kMostRoughBytes) {
        return say("Too many tokens in one forward for any GPU: use a smaller batch or a shorter "
                   "sequence.");
    }
    const bool has_learned_positions = model.architecture != walk::Architecture::decoder;
    const std::int64_t longest = std::max(run.sequence, model.decoder ? run.targetSequence() : 0);
    if (has_learned_positions && longest > model.positions) {
        return say("The model has {} positions, too few for {} tokens: use a shorter sequence.",
                   formatCount(model.positions), formatCount(longest));
    }
    if (model.images && run.sequence != model.images->tokens()) {
        return say("An image has {} tokens here: leave out --sequence.",
                   formatCount(model.images->tokens()));
    }
    if (run.target_sequence > 0 && !model.decoder) {
        return say("This model has no decoder with targets: leave out --target-sequence.");
    }
    if (run.attention == walk::Attention::own && model.architecture == walk::Architecture::t5) {
        return say("T5 adds a bias to the scores: use sdpa or eager attention.");
    }
    if (model.architecture == walk::Architecture::t5 && run.attention == walk::Attention::flash) {
        return say(
            "T5 adds a bias to the scores, which flash attention cannot: use sdpa or eager.");
    }
    if (run.own.loss && model.images) {
        return say("A manual loss is supported only for language models.");
    }
    if (run.fuses_loss && !model.isCausal()) {
        return say("A chunked loss is supported only for causal language models.");
    }
    if (std::string why = objectionToSharing(model, run); !why.empty()) {
        return why;
    }
    if (std::string why = objectionToFewBits(run); !why.empty()) {
        return why;
    }
    if (run.lora) {
        if (std::string why = objectionTo(run.lora->targets, linearNames(model)); !why.empty()) {
            return why;
        }
        if (run.lora->targets.empty()) {
            return say("Adapters need at least one linear layer.");
        }
    }
    if (model.needsScores() && run.attention != walk::Attention::eager) {
        return model.caps_scores
            ? say("This model soft-caps its attention scores: use eager attention.")
            : say("This model's code computes the attention scores itself: use eager attention.");
    }
    return {};
}

} // namespace tidemark::shapes
