// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/completion_head.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Trait;

/// Bytes of one element of the hidden state: that of the weights, or half of it under autocast.
double elementWidth(const Facts& facts, const BlockWeights& weights)
{
    static constexpr double kFull = 4;
    return (weights.width > 0 ? weights.width : kFull) / (facts.autocasts() ? 2 : 1);
}

/// Whether a pass reads one number per row of its hidden state: a token, 4 or 8 bytes of it beside
/// 4 or 2 of a weight's element; there may be one more per sample.
bool readsTokens(const Facts& facts, const Pass& pass, const BlockWeights& weights, double rows)
{
    static constexpr double kFewest = 0.9;
    static constexpr double kMost = 5;
    for (const AllocationId a : facts.ids()) {
        const double elements = static_cast<double>(facts.bytes(a)) / (rows * weights.width);
        if (facts.bucket(a) == Bucket::input && elements >= kFewest && elements <= kMost
            && facts.allocations().isLive(a, pass.forward.begin)) {
            return true;
        }
    }
    return false;
}

} // namespace

std::optional<int> countLive(const Facts& facts, const Pass& pass, double bytes)
{
    int count = 0;
    for (const AllocationId a : facts.madeIn(pass)) {
        if (std::abs(static_cast<double>(facts.bytes(a)) - bytes) > kAlike * bytes) {
            continue;
        }
        if (facts.layers.layerOf(a) != nullptr) {
            return std::nullopt;
        }
        count += facts.isLive(a) ? 1 : 0;
    }
    return count;
}

bool failedInLoss(const Facts& facts)
{
    return facts.stacks.traits(facts.failedStack()).has(Trait::loss);
}

namespace {

/// Whether under autocast what failed is the head's own result, in 16 bits, of logits that were
/// computed as that large or in 32 bits.
bool failedInNarrowHead(const Facts& facts, const Pass& pass, double logits)
{
    const auto requested = static_cast<double>(facts.moment.requested.value);
    const bool is_as_large = std::abs(requested - logits) <= kAlike * logits
        || std::abs(2 * requested - logits) <= kAlike * logits;
    return facts.autocasts() && !failedInLoss(facts) && is_as_large
        && countLive(facts, pass, requested) == 0 && countLive(facts, pass, requested / 2) == 0;
}

/// Adds logits of that size with what a loss makes of them; what failed may be one of these. Under
/// autocast a loss reads a copy in 32 bits; the head's own result goes.
void takeLogits(const Facts& facts, const Pass& pass, double logits, PassCompletion& completion)
{
    static constexpr double kCopies = 3; // log-softmax, its gradient, that of the logits
    if (failedInNarrowHead(facts, pass, logits)) {
        const std::int64_t narrow = facts.moment.requested.value;
        completion.is_at_head = true;
        completion.logits_bytes = static_cast<std::int64_t>(kCopies) * 2 * narrow;
        return;
    }
    double copies = kCopies;
    if (facts.sixteen_bit && failedInLoss(facts)) {
        copies -= countLive(facts, pass, logits / 2).value_or(1) > 0 ? 0.5 : 0;
    }
    const auto requested = static_cast<double>(facts.moment.requested.value);
    const std::optional<int> live = countLive(facts, pass, logits);
    completion.is_at_head = live && std::abs(requested - logits) <= kAlike * logits;
    if (completion.is_at_head) {
        copies = std::max(1.0, copies - *live);
        completion.live_logits = std::llround(*live * logits);
    }
    completion.logits_bytes = static_cast<std::int64_t>(copies * logits);
}

} // namespace

void addLogits(const Facts& facts, const BlockWeights& weights, std::uint32_t pass,
               PassCompletion& completion)
{
    const auto requested = static_cast<double>(facts.moment.requested.value);
    if (failedInLoss(facts) && countLive(facts, facts.passes[pass], requested).value_or(0) > 0) {
        takeLogits(facts, facts.passes[pass], requested, completion);
        return;
    }
    if (weights.vector == 0 || weights.width <= 0) {
        return;
    }
    const double row =
        static_cast<double>(weights.vector) * elementWidth(facts, weights) / weights.width;
    const double rows = static_cast<double>(hiddenStateBytes(facts, weights, pass)) / row;
    if (rows < 1 || !readsTokens(facts, facts.passes[pass], weights, rows)) {
        return;
    }
    for (auto it = weights.sizes.rbegin(); it != weights.sizes.rend(); ++it) {
        if (!weights.isOfBlocks(it->first) && it->first % weights.vector == 0) {
            const auto columns = static_cast<double>(it->first / weights.vector);
            const double logits = rows * columns * elementWidth(facts, weights);
            takeLogits(facts, facts.passes[pass], logits, completion);
            return;
        }
    }
}

} // namespace tidemark::diagnose
