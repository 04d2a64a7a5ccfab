// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/forecast.h"

#include "core/diagnose/block_weights.h"
#include "core/diagnose/likeness.h"

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

/// Logits of a language model: as many rows as the hidden state has, as many columns as the
/// embedding has rows. The embedding is the largest weight that no block has. 0 if these are not
/// found.
double logitsBytes(const Facts& facts, const BlockWeights& weights, std::int64_t hidden_state)
{
    if (weights.vector == 0 || hidden_state < weights.vector) {
        return 0;
    }
    const double row = static_cast<double>(weights.vector) * elementWidth(facts, weights)
        / (weights.width > 0 ? weights.width : elementWidth(facts, weights));
    const double tokens = static_cast<double>(hidden_state) / row;
    for (auto it = weights.sizes.rbegin(); it != weights.sizes.rend(); ++it) {
        if (it->second < weights.blocks && it->first % weights.vector == 0) {
            const auto columns = static_cast<double>(it->first / weights.vector);
            return tokens * columns * elementWidth(facts, weights);
        }
    }
    return 0;
}

/// The state without what a block makes first.
StateId before(StateId forward_begin)
{
    return {forward_begin.value - (forward_begin.value > 0 ? 1 : 0)};
}

} // namespace

Forecast forecastFirstPass(const Facts& facts)
{
    static constexpr double kCopiesOfLogits = 3; // themselves, log-softmax, a gradient
    const Pass* now = cutPass(facts);
    if (now == nullptr) {
        return {};
    }
    const auto pass = static_cast<std::uint32_t>(now - facts.passes.data());
    Forecast forecast;
    std::int64_t hidden_state = 0;
    for (const Layer& layer : facts.layers.layers) {
        if (layer.pass == pass) {
            if (forecast.begun == 0) {
                forecast.first_begin = before(layer.forward_begin);
                hidden_state = layer.output == AllocationId::none() ? 0 : facts.bytes(layer.output);
            }
            forecast.last_begin = before(layer.forward_begin);
            ++forecast.begun;
        }
    }
    const BlockWeights weights = blockWeights(facts);
    if (forecast.begun < 2 || weights.blocks < forecast.begun) {
        return {};
    }
    forecast.blocks = weights.blocks;
    forecast.logits_bytes =
        static_cast<std::int64_t>(kCopiesOfLogits * logitsBytes(facts, weights, hidden_state));
    return forecast;
}

} // namespace tidemark::diagnose
