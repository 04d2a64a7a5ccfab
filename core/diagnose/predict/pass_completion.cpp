// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/pass_completion.h"

#include "core/base/language.h"
#include "core/diagnose/facts/activation_gradients.h"
#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/linear_calls.h"
#include "core/diagnose/facts/reference_pass.h"
#include "core/diagnose/predict/completion_head.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// Networks that convolve get narrower and deeper from stage to stage, so what one block keeps says
/// nothing about the others.
bool blocksConvolve(const Facts& facts, std::uint32_t pass)
{
    for (const AllocationId a : facts.ids()) {
        const Layer* layer = facts.layers.layerOf(a);
        if (layer != nullptr && layer->pass == pass && facts.madeBy(a) == MadeBy::convolution) {
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

/// Of what the pass had made until `state` the share that is gone at the moment.
double shareGone(const Facts& facts, const Pass& pass, StateId state)
{
    std::int64_t made = 0;
    std::int64_t gone = 0;
    for (const AllocationId a : facts.madeIn(pass)) {
        if (facts.allocations().isLive(a, state)) {
            made += facts.bytes(a);
            gone += facts.isLive(a) ? 0 : facts.bytes(a);
        }
    }
    return made > 0 ? static_cast<double>(gone) / static_cast<double>(made) : 0;
}

/// Bytes of the weights that the layers of a pass have still to use, to those that they have used:
/// from the first of these on, since models make their weights about in the order of their use. 0
/// where that is not sure, and where so few were used that they tell nothing of the others.
double restOfWeights(const Facts& facts, const Pass& pass)
{
    static constexpr double kMost = 3; // a quarter was used
    const LinearCalls found = findLinearCalls(facts, pass);
    double used = 0;
    double rest = 0;
    for (const LayerWeight& weight : found.weights) {
        const auto bytes = static_cast<double>(weight.bytes);
        used += weight.is_used ? bytes : 0;
        rest += weight.is_used || used == 0 ? 0 : bytes;
    }
    return found.is_sure && rest <= kMost * used ? rest / used : 0;
}

/// Adds the largest matrix of the first block, which has run as a whole; of all where none is
/// known.
void addMatrix(const Facts& facts, std::uint32_t pass, PassCompletion& completion)
{
    for (const AllocationId a : facts.madeIn(facts.passes[pass])) {
        const Layer* const layer = facts.layers.layerOf(a);
        const bool is_in_first = completion.begun == 0 || (layer != nullptr && layer->number == 0);
        const bool counts =
            is_in_first && facts.bucket(a) == label::Bucket::activation && facts.isLive(a);
        if (!counts) {
            continue;
        }
        if (facts.role(a) == label::Role::attention_matrix
            && facts.bytes(a) >= completion.matrix_bytes) {
            completion.matrix_bytes = facts.bytes(a);
            completion.kept_after_matrix = 0;
        } else if (facts.role(a) != label::Role::logits) {
            completion.kept_after_matrix += facts.bytes(a);
        }
    }
}

} // namespace

PassCompletion completeFirstBackward(const Facts& facts, std::optional<int> before)
{
    static constexpr int kOfLoss = 1; // the second is made beside the first
    const Pass* now = cutPass(facts);
    const std::int64_t requested = facts.moment.requested.value;
    if (now == nullptr || !before || *before > kOfLoss
        || facts.logits_kin->share(requested, facts.moment.state) < 1) {
        return {};
    }
    const std::optional<int> live = countLive(facts, *now, static_cast<double>(requested));
    PassCompletion completion;
    completion.blocks = 1; // all have run
    completion.is_at_head = true;
    completion.live_gradients = *before * requested;
    completion.live_logits = std::max(0, live.value_or(0) - *before) * requested;
    addMatrix(facts, static_cast<std::uint32_t>(now - facts.passes.data()), completion);
    return completion;
}

PassCompletion completeFirstPass(const Facts& facts)
{
    const Pass* now = cutPass(facts);
    if (now == nullptr) {
        return {};
    }
    const auto pass = static_cast<std::uint32_t>(now - facts.passes.data());
    PassCompletion completion;
    for (const Layer& layer : facts.layers.layers) {
        if (layer.pass == pass) {
            completion.last_begin = before(layer.forward_begin);
            completion.first_begin =
                completion.begun == 0 ? completion.last_begin : completion.first_begin;
            ++completion.begun;
        }
    }
    const BlockWeights& weights = *facts.blocks;
    if (completion.begun >= 2 && weights.blocks >= completion.begun
        && !blocksConvolve(facts, pass)) {
        addLogits(facts, weights, pass, completion);
        completion.blocks = weights.blocks;
        addMatrix(facts, pass, completion);
        completion.passing = shareGone(facts, *now, completion.last_begin);
        return completion;
    }
    PassCompletion without;
    if (failedInLoss(facts)) {
        addLogits(facts, weights, pass, without);
        if (without.is_at_head) {
            without.blocks = 1; // it has run
            addMatrix(facts, pass, without);
            return without;
        }
    }
    without.pass_layers = findConvolutions(facts, *now);
    without.rest = without.pass_layers.isKnown() ? 0 : restOfWeights(facts, *now);
    return without;
}

std::string completionNote(const PassCompletion& completion)
{
    if (completion.is_at_head) {
        return say("The first forward was cut off at its loss; the logits' part of loss and "
                   "backward is added.");
    }
    if (completion.blocks > 0) {
        return say("The first forward was cut off; the rest is estimated from the blocks that ran "
                   "and the other blocks' weights.");
    }
    if (completion.pass_layers.isKnown()) {
        return say("The first forward was cut off; the rest is estimated from the layers that ran "
                   "and the other layers' weights. Where channels double, the image area is "
                   "assumed to be a quarter (upper bound: half).");
    }
    return completion.rest > 0
        ? say("The first forward was cut off; the rest is estimated from the layers that ran and "
              "the weights not used yet.")
        : say("The first forward was cut off, so the rest is unknown; the range adds up to "
              "125 % of what ran.");
}

} // namespace tidemark::diagnose
