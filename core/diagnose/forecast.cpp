// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/forecast.h"

#include "core/diagnose/block_weights.h"
#include "core/diagnose/likeness.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// Bytes of one element of the hidden state: that of the weights, or half of it under autocast.
double elementWidth(const Facts& facts, const BlockWeights& weights)
{
    static constexpr double kFull = 4;
    const bool is_narrower = facts.sixteen_bit && !facts.sixteen_bit_states;
    return (weights.width > 0 ? weights.width : kFull) / (is_narrower ? 2 : 1);
}

/// What a pass reads, beside the rows of its hidden state.
struct Inputs {
    /// One number per row: a token, 4 or 8 bytes of it beside 4 or 2 of a weight's element; there
    /// may be one more per sample.
    bool tokens = false;
    bool per_sample = false; ///< A few numbers per sample: classes.
};

Inputs inputsOf(const Facts& facts, const Pass& pass, const BlockWeights& weights, double rows)
{
    static constexpr double kFewest = 0.9;
    static constexpr double kMost = 5;
    static constexpr double kFew = 0.25;
    Inputs inputs;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == Bucket::input && facts.allocations().isLive(a, pass.forward.begin)) {
            const double elements = static_cast<double>(facts.bytes(a)) / (rows * weights.width);
            inputs.tokens = inputs.tokens || (elements >= kFewest && elements <= kMost);
            inputs.per_sample = inputs.per_sample || elements <= kFew;
        }
    }
    return inputs;
}

/// The frame that called the outermost module of a stack, or nothing.
std::optional<Frame> callerOfModel(const Facts& facts, StackId stack)
{
    std::optional<Frame> caller;
    if (stack.isNone()) {
        return caller;
    }
    bool was_module = false;
    for (const FrameId id : facts.snapshot.stacks.frames(stack)) {
        const Frame& frame = facts.snapshot.stacks.frame(id);
        const bool is_module =
            facts.snapshot.text(frame.filename).ends_with("torch/nn/modules/module.py");
        if (was_module && !is_module) {
            caller = frame; // The outermost is the last.
        }
        was_module = is_module;
    }
    return caller;
}

/// Whether the function that called the model also made what it reads: then it is the loop itself,
/// and its name for the result keeps that until backward has run. One that is only given a batch
/// returns a loss and keeps nothing.
bool callerFeeds(const Facts& facts, const Pass& pass)
{
    std::optional<Frame> caller;
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = first; i < end && !caller; ++i) {
        caller = callerOfModel(facts, facts.allocations().stack[i]);
    }
    if (!caller) {
        return false;
    }
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        const StackId stack = facts.allocations().stack[i];
        if (facts.bucket(a) == Bucket::input && !stack.isNone()
            && facts.allocations().isLive(a, pass.forward.begin)
            && std::ranges::any_of(facts.snapshot.stacks.frames(stack), [&](FrameId id) {
                   const Frame& frame = facts.snapshot.stacks.frame(id);
                   return frame.name == caller->name && frame.filename == caller->filename;
               })) {
            return true;
        }
    }
    return false;
}

constexpr double kAlike = 0.01;

/// How many allocations of a pass are as large as that and live, or nothing where blocks make such.
std::optional<int> countLive(const Facts& facts, const Pass& pass, double bytes)
{
    int count = 0;
    const auto [first, end] = facts.madeIn(pass);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        if (std::abs(static_cast<double>(facts.bytes(a)) - bytes) > kAlike * bytes) {
            continue;
        }
        if (facts.layers.layerOf(a) != nullptr) {
            return std::nullopt;
        }
        count += facts.allocations().isLive(a, facts.moment.state) ? 1 : 0;
    }
    return count;
}

/// Adds logits of a language model: as many rows as the hidden state has, as many columns as the
/// embedding has rows. The embedding is the largest weight that no block has. Nothing where these
/// are not found.
void addLogits(const Facts& facts, const BlockWeights& weights, std::uint32_t pass,
               Forecast& forecast)
{
    static constexpr double kCopies = 3; // log-softmax, its gradient, that of the logits
    if (weights.vector == 0 || weights.width <= 0) {
        return;
    }
    const double row =
        static_cast<double>(weights.vector) * elementWidth(facts, weights) / weights.width;
    const double rows = static_cast<double>(hiddenStateBytes(facts, weights, pass)) / row;
    const Inputs inputs = rows < 1 ? Inputs{} : inputsOf(facts, facts.passes[pass], weights, rows);
    if (!inputs.tokens) {
        return;
    }
    for (auto it = weights.sizes.rbegin(); it != weights.sizes.rend(); ++it) {
        if (it->second < weights.blocks && it->first % weights.vector == 0) {
            const auto columns = static_cast<double>(it->first / weights.vector);
            const double logits = rows * columns * elementWidth(facts, weights);
            double copies = kCopies + (callerFeeds(facts, facts.passes[pass]) ? 1 : 0);
            const auto requested = static_cast<double>(facts.moment.requested.value);
            const std::optional<int> live = countLive(facts, facts.passes[pass], logits);
            forecast.is_at_head = live && std::abs(requested - logits) <= kAlike * logits;
            if (forecast.is_at_head) {
                copies = std::max(1.0, copies - *live);
            }
            forecast.logits_bytes = static_cast<std::int64_t>(copies * logits);
            // Two weights of that size are an embedding and a head.
            forecast.has_logits = !inputs.per_sample || it->second > 1;
            return;
        }
    }
}

/// Networks that convolve get narrower and deeper from stage to stage, so what one block keeps says
/// nothing about the others.
bool blocksConvolve(const Facts& facts, std::uint32_t pass)
{
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        const Layer* layer = facts.layers.layerOf(a);
        if (layer != nullptr && layer->pass == pass && isConvolution(facts, a)) {
            return true;
        }
    }
    return false;
}

/// The state without what a block makes first.
StateId before(StateId forward_begin)
{
    return {forward_begin.value - (forward_begin.value > 0 ? 1 : 0)};
}

} // namespace

Forecast forecastFirstPass(const Facts& facts)
{
    const Pass* now = cutPass(facts);
    if (now == nullptr) {
        return {};
    }
    const auto pass = static_cast<std::uint32_t>(now - facts.passes.data());
    Forecast forecast;
    for (const Layer& layer : facts.layers.layers) {
        if (layer.pass == pass) {
            if (forecast.begun == 0) {
                forecast.first_begin = before(layer.forward_begin);
            }
            forecast.last_begin = before(layer.forward_begin);
            ++forecast.begun;
        }
    }
    const BlockWeights weights = blockWeights(facts);
    if (forecast.begun < 2 || weights.blocks < forecast.begun || blocksConvolve(facts, pass)) {
        Forecast without;
        without.convolutions = findConvolutions(facts, *now);
        return without;
    }
    forecast.blocks = weights.blocks;
    addLogits(facts, weights, pass, forecast);
    return forecast;
}

} // namespace tidemark::diagnose
