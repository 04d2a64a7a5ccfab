// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/forecast.h"

#include "core/diagnose/block_weights.h"
#include "core/diagnose/likeness.h"

#include <algorithm>

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

/// Adds logits of a language model: as many rows as the hidden state has, as many columns as the
/// embedding has rows. The embedding is the largest weight that no block has. Nothing where these
/// are not found.
void addLogits(const Facts& facts, const BlockWeights& weights, std::uint32_t pass,
               Forecast& forecast)
{
    static constexpr double kCopies = 3; // themselves, log-softmax, a gradient
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
            forecast.logits_bytes =
                static_cast<std::int64_t>(kCopies * rows * columns * elementWidth(facts, weights));
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
