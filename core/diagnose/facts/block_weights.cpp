// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/block_weights.h"

#include <algorithm>
#include <cmath>

namespace tidemark::diagnose {

double BlockWeights::otherSide(std::int64_t bytes) const
{
    if (width <= 0 || !isOfBlocks(bytes) || holdsExperts(bytes)) {
        return 0;
    }
    const double side = static_cast<double>(bytes) * width / static_cast<double>(vector);
    // Vectors are as long as the hidden state or some times that; a matrix has more rows.
    return side > width * 16 ? side : 0;
}

bool BlockWeights::groupsQueries() const
{
    static constexpr std::int64_t kPair = 2; // in each block: keys and values, queries and the last
    const auto hasPair = [&](const auto& isSide) {
        return std::ranges::any_of(sizes, [&](const auto& entry) {
            return entry.second >= kPair * blocks && isSide(otherSide(entry.first));
        });
    };
    const auto side = static_cast<double>(vector);
    return hasPair([&](double other) { return other > 0 && other <= side / 2; })
        && hasPair([&](double other) { return std::abs(other - side) < 1; });
}

bool BlockWeights::isGatedWithoutBiases() const
{
    static constexpr std::int64_t kGated = 3; // matrices of the MLP
    static constexpr std::int64_t kNorms = 2;
    const auto largest = std::ranges::find_if(sizes.rbegin(), sizes.rend(),
                                              [&](const auto& e) { return isOfBlocks(e.first); });
    if (width <= 0 || largest == sizes.rend() || largest->second % (kGated * blocks) != 0) {
        return false;
    }
    const std::int64_t models = largest->second / (kGated * blocks);
    const std::int64_t norms = models * (kNorms * blocks + 2); // one or two lie outside
    return std::ranges::all_of(sizes, [&](const auto& entry) {
        // Norms of single heads are shorter than the hidden state, biases are as long at least.
        const bool is_vector =
            isOfBlocks(entry.first) && otherSide(entry.first) <= 0 && entry.first >= vector;
        return !is_vector || (entry.first == vector && entry.second <= norms);
    });
}

double BlockWeights::shareWithAdapter(std::int64_t bytes) const
{
    static constexpr double kQueriesOrValues = 0.5; // of q and o, of k and v, of all four
    const auto count = static_cast<double>(sizes.at(bytes));
    const double other = otherSide(bytes);
    const bool is_square = std::abs(other - static_cast<double>(vector)) < 1;
    if (adaptsQueriesAndValues()) {
        const bool is_narrow = other <= static_cast<double>(vector) / 2;
        return is_square || is_narrow ? kQueriesOrValues : 0;
    }
    const auto largest = std::ranges::find_if(sizes.rbegin(), sizes.rend(),
                                              [&](const auto& e) { return isOfBlocks(e.first); });
    const bool is_largest = largest != sizes.rend() && largest->first == bytes;
    const auto others = static_cast<double>(blocks) * ((is_largest ? 1 : 0) + (is_square ? 1 : 0));
    return std::max(0.0, (count - others) / count);
}

namespace {

/// Of other networks: the largest number that the counts of most weights are multiples of. 0
/// without.
std::int64_t commonCount(const std::map<std::int64_t, std::int64_t>& sizes)
{
    static constexpr double kMost = 0.75; // of their bytes
    // Of n weights there are O(√n) different counts.
    std::map<std::int64_t, double> bytes_of;
    double all = 0;
    for (const auto& [size, count] : sizes) {
        const double bytes = static_cast<double>(size) * static_cast<double>(count);
        bytes_of[count] += bytes;
        all += bytes;
    }
    const auto bytesOf = [&](std::int64_t n) {
        double bytes = 0;
        for (const auto& [count, of_count] : bytes_of) {
            bytes += count % n == 0 ? of_count : 0;
        }
        return bytes;
    };
    std::int64_t best = 0;
    for (const auto& [count, of_count] : bytes_of) {
        best = count > 1 && bytesOf(count) >= kMost * all ? count : best;
    }
    return best;
}

/// A router has a row per expert, and all that a layer's experts have is in two weights.
std::int64_t expertsOf(const BlockWeights& weights)
{
    const auto isOnce = [&](std::int64_t bytes) {
        return weights.perBlock(bytes) == 1 && weights.sizes.at(bytes) == weights.blocks;
    };
    const auto largest = std::ranges::find_if(weights.sizes.rbegin(), weights.sizes.rend(),
                                              [&](const auto& e) { return isOnce(e.first); });
    if (weights.vector == 0 || largest == weights.sizes.rend() || !isOnce(largest->first / 2)) {
        return 0;
    }
    const bool has_router = std::ranges::any_of(weights.sizes, [&](const auto& e) {
        const std::int64_t experts = e.first / weights.vector;
        return isOnce(e.first) && e.first % weights.vector == 0 && experts > 1
            && largest->first % (2 * e.first) == 0 && largest->first / e.first > 2;
    });
    return has_router ? largest->first : 0;
}

} // namespace

BlockWeights blockWeights(const DeviceRun& run)
{
    static constexpr std::int64_t kSmallest = 256; // bytes; flags and counters tell nothing
    const program::Weights& found = run.program.weights;
    BlockWeights weights;
    std::map<std::int64_t, std::int64_t> frozen;
    for (const AllocationId a : run.weights) {
        if (run.bytes(a) >= kSmallest) {
            ++(run.role(a) == label::Role::frozen ? frozen : weights.sizes)[run.bytes(a)];
        }
    }
    weights.sizes.merge(frozen);
    weights.blocks = found.layers > 0 ? found.layers : commonCount(weights.sizes);
    weights.vector = found.hidden * found.element_bytes;
    weights.width = found.hidden > 0 ? found.element_bytes : 0;
    if (found.layers > 0) {
        for (const program::WeightSize& size : found.sizes) {
            if (size.per_layer > 0 && weights.sizes.contains(size.bytes)) {
                weights.of_blocks.insert(size.bytes);
            }
        }
        weights.of_experts = expertsOf(weights);
        return weights;
    }
    for (const auto& [bytes, count] : weights.sizes) {
        if (weights.blocks > 0 && count % weights.blocks == 0) {
            weights.of_blocks.insert(bytes);
        }
    }
    return weights;
}

std::vector<LayerWeight> layerWeights(const DeviceRun& run, std::span<const AllocationId> made,
                                      std::int64_t width)
{
    static constexpr double kMostOutputs = 512; // per input
    std::vector<LayerWeight> weights;
    for (const AllocationId a : made) {
        const std::int64_t bytes = run.bytes(a);
        if (bytes == 0) {
            continue;
        }
        LayerWeight* const last = weights.empty() ? nullptr : &weights.back();
        const auto squared = static_cast<double>(bytes) * static_cast<double>(bytes);
        if (last != nullptr && last->vector == 0 && bytes * kFewestInputs <= last->bytes
            && last->bytes % bytes == 0
            && squared
                <= kMostOutputs * static_cast<double>(width) * static_cast<double>(last->bytes)) {
            last->vector = bytes;
        }
        if (last != nullptr && bytes == last->vector) {
            ++last->vectors;
        } else if (last == nullptr || bytes >= last->vector * kFewestInputs) {
            weights.push_back({.bytes = bytes, .is_frozen = run.role(a) == label::Role::frozen});
        }
    }
    return weights;
}

std::int64_t hiddenStateBytes(const DeviceRun& run, const BlockWeights& weights, std::uint32_t pass)
{
    if (weights.vector == 0) {
        return 0;
    }
    std::map<std::int64_t, int> counts;
    const auto [first, end] = run.madeIn(run.passes[pass]);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        const Layer* layer = run.layers.layerOf(a);
        const bool in_block =
            layer != nullptr ? layer->pass == pass : weights.blocks > 0 && run.layers.count == 0;
        if (in_block && run.bucket(a) == label::Bucket::activation && run.bytes(a) >= weights.vector
            && run.bytes(a) % weights.vector == 0) {
            ++counts[run.bytes(a)];
        }
    }
    const auto most = std::ranges::max_element(counts, {}, [](const auto& e) { return e.second; });
    return most == counts.end() ? 0 : most->first;
}

} // namespace tidemark::diagnose
