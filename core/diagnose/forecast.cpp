// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/forecast.h"

#include "core/diagnose/likeness.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

/// How many weights there are of each size.
std::map<std::int64_t, std::int64_t> weightSizes(const Facts& facts)
{
    static constexpr std::int64_t kSmallest = 256; // bytes; flags and counters tell nothing
    std::map<std::int64_t, std::int64_t> sizes;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == Bucket::parameter && facts.bytes(a) >= kSmallest
            && facts.allocations().isLive(a, facts.moment.state)) {
            ++sizes[facts.bytes(a)];
        }
    }
    return sizes;
}

/// The number of blocks whose weights, if every block has the same, hold most bytes: sizes then
/// recur a multiple of that number of times. 0 if nothing recurs.
std::int64_t blocksByWeights(const std::map<std::int64_t, std::int64_t>& sizes)
{
    static constexpr double kLeastShare = 0.3; // of all weights; less is no stack of blocks
    std::set<std::int64_t> candidates;
    double all = 0;
    for (const auto& [size, count] : sizes) {
        all += static_cast<double>(size * count);
        for (const auto& [other, other_count] : sizes) {
            candidates.insert(std::gcd(count, other_count));
        }
    }
    std::int64_t best = 0;
    double best_score = kLeastShare * all;
    for (const std::int64_t n : candidates) {
        double held = 0;
        for (const auto& [size, count] : sizes) {
            held += n >= 2 && count % n == 0 ? static_cast<double>(size * count) : 0;
        }
        const double score = n < 2 ? 0 : held * (1 - 1.0 / static_cast<double>(n));
        if (score > best_score) {
            best_score = score;
            best = n;
        }
    }
    return best;
}

/// Bytes of one element of the hidden state. Token ids are 64 bits wide, which measures it; else 4.
std::int64_t elementWidth(const Facts& facts, std::int64_t tokens)
{
    const std::int64_t ids_per_element = facts.sixteen_bit ? 4 : 2;
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        const std::int64_t bytes = facts.bytes(a);
        const bool may_be_ids = facts.bucket(a) == Bucket::input && bytes % tokens == 0
            && bytes / tokens >= 8 && bytes / tokens <= 128;
        if (may_be_ids && facts.allocations().isLive(a, facts.moment.state)) {
            return bytes / tokens / ids_per_element;
        }
    }
    return facts.sixteen_bit ? 2 : 4;
}

/// Logits of a language model: as many rows as the hidden state has, as many columns as the
/// embedding has rows. A norm's weight is one row of the hidden state, the embedding the largest
/// weight that no block has. 0 if these are not found.
double logitsBytes(const Facts& facts, const std::map<std::int64_t, std::int64_t>& sizes,
                   std::int64_t blocks, std::int64_t hidden_state)
{
    const auto row =
        std::ranges::find_if(sizes, [&](const auto& entry) { return entry.second >= blocks; });
    if (row == sizes.end() || hidden_state < row->first || hidden_state % row->first != 0) {
        return 0;
    }
    const std::int64_t tokens = hidden_state / row->first;
    for (auto it = sizes.rbegin(); it != sizes.rend(); ++it) {
        if (it->second < blocks && it->first % row->first == 0) {
            const std::int64_t columns = it->first / row->first;
            return static_cast<double>(tokens)
                * static_cast<double>(columns * elementWidth(facts, tokens));
        }
    }
    return 0;
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
    std::vector<std::int64_t> kept;
    std::int64_t hidden_state = 0;
    for (const Layer& layer : facts.layers.layers) {
        if (layer.pass == pass) {
            const std::int64_t output =
                layer.output == AllocationId::none() ? 0 : facts.bytes(layer.output);
            hidden_state = kept.empty() ? output : hidden_state;
            kept.push_back(layer.saved_bytes + output);
        }
    }
    const auto sizes = weightSizes(facts);
    const std::int64_t blocks = blocksByWeights(sizes);
    const auto begun = static_cast<std::int64_t>(kept.size());
    if (begun < 2 || blocks < begun) {
        return {};
    }
    const double done =
        static_cast<double>(std::accumulate(kept.begin(), kept.end() - 1, std::int64_t{0}));
    const double per_block = done / static_cast<double>(begun - 1);
    const double rest = static_cast<double>(blocks - begun) * per_block
        + std::max(0.0, per_block - static_cast<double>(kept.back()));
    const auto so_far = static_cast<double>(facts.moment.active.value + facts.moment.requested.value
                                            - facts.replay.activeAt(now->forward.begin).value);
    if (so_far <= 0) {
        return {};
    }
    return {1 + rest / so_far,
            static_cast<std::int64_t>(kCopiesOfLogits
                                      * logitsBytes(facts, sizes, blocks, hidden_state))};
}

} // namespace tidemark::diagnose
