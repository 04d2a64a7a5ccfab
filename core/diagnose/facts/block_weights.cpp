// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/block_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

using Sizes = std::map<std::int64_t, std::int64_t>; ///< Bytes → how many.

/// The weights of a model.
struct ModelWeights {
    Sizes sizes;
    std::vector<std::int64_t> in_order; ///< As they were made; empty where that was not recorded.
};

/// Of a frozen model beside the trained one only what that has not.
ModelWeights modelWeights(const DeviceRun& run)
{
    static constexpr std::int64_t kSmallest = 256; // bytes; flags and counters tell nothing
    std::vector<AllocationId> found;
    ModelWeights weights;
    Sizes frozen;
    bool was_recorded = true;
    for (const AllocationId a : run.weights) {
        if (run.bytes(a) >= kSmallest) {
            ++(run.role(a) == label::Role::frozen ? frozen : weights.sizes)[run.bytes(a)];
            found.push_back(a);
            was_recorded = was_recorded && run.allocations().begin[a.index()] > StateId::start();
        }
    }
    for (const AllocationId a : found) {
        const bool counts =
            run.role(a) != label::Role::frozen || !weights.sizes.contains(run.bytes(a));
        if (counts && was_recorded) {
            weights.in_order.push_back(run.bytes(a));
        }
    }
    weights.sizes.merge(frozen);
    return weights;
}

constexpr std::int64_t kVectorBelow = 64; // a vector beside matrices

/// An embedding and a head of its size, which enclose all other matrices, with one of places beside
/// them perhaps; 0 without.
std::int64_t enclosingSize(const ModelWeights& weights)
{
    const auto& in_order = weights.in_order;
    const auto isMatrix = [&](std::int64_t size) {
        return size > weights.sizes.rbegin()->first / kVectorBelow;
    };
    const auto begin = std::ranges::find_if(in_order, isMatrix);
    if (begin == in_order.end()) {
        return 0;
    }
    const std::int64_t size = *begin;
    const auto isOther = [&](std::int64_t other) { return isMatrix(other) && other != size; };
    const auto first = std::find_if(begin, in_order.end(), isOther);
    const auto last = std::find_if(in_order.rbegin(), in_order.rend(), isOther).base();
    const bool encloses = first < last && std::find(first, last, size) == last
        && std::find(last, in_order.end(), size) != in_order.end();
    return encloses ? size : 0;
}

/// Of the bytes of one size, those that n blocks hold. A weight or two of that size may lie
/// outside: the last norm, an embedding.
double heldBy(std::int64_t n, std::int64_t size, std::int64_t count)
{
    static constexpr std::int64_t kOutside = 2;
    const std::int64_t rest = count % n;
    const bool fits = count >= n && rest <= std::min(kOutside, n - 1);
    return fits ? static_cast<double>(size * (count - rest)) : 0;
}

/// Of what lies between the first and the last weight of a size that n blocks have the share of
/// those sizes.
double shareBetween(const ModelWeights& weights, std::int64_t n)
{
    const auto isOfBlocks = [&](std::int64_t size) {
        const auto found = weights.sizes.find(size);
        return found != weights.sizes.end() && heldBy(n, size, found->second) > 0;
    };
    const auto first = std::ranges::find_if(weights.in_order, isOfBlocks);
    const auto last = std::find_if(weights.in_order.rbegin(), weights.in_order.rend(), isOfBlocks);
    double all = 0;
    double held = 0;
    for (auto it = first; it < last.base(); ++it) {
        all += static_cast<double>(*it);
        held += isOfBlocks(*it) ? static_cast<double>(*it) : 0;
    }
    return all > 0 ? held / all : 1;
}

/// Where nothing repeats: one block lies from the first norm to the last, if each matrix in between
/// has rows of the norms' length.
void takeForOneBlock(const ModelWeights& found, BlockWeights& weights)
{
    static constexpr std::int64_t kNorms = 4; // two of a block, a weight and a bias each
    static constexpr std::ptrdiff_t kMatrices = 2;
    std::int64_t vector = 0;
    for (const auto& [size, count] : found.sizes) {
        const bool is_vector = size <= weights.sizes.rbegin()->first / kVectorBelow;
        vector = is_vector && count >= kNorms ? size : vector;
    }
    const auto first = std::ranges::find(found.in_order, vector);
    const auto last = std::find(found.in_order.rbegin(), found.in_order.rend(), vector).base();
    const auto isMatrix = [&](std::int64_t size) { return size > kVectorBelow * vector; };
    if (vector == 0 || first >= last || std::count_if(first, last, isMatrix) < kMatrices
        || std::any_of(first, last,
                       [&](std::int64_t size) { return isMatrix(size) && size % vector != 0; })) {
        return;
    }
    weights.blocks = 1;
    for (const auto& [size, count] : weights.sizes) {
        if (std::find(first, last, size) == last) {
            weights.outside.insert(size);
        }
    }
}

/// What n blocks hold: bytes, less those that they leave over of a size; and of the sizes that
/// recur at all which share. Vectors of a hidden state's length lie outside of blocks in any
/// number.
struct HeldWeights {
    double bytes = 0;
    double share = 0;
};

HeldWeights heldBy(std::int64_t n, const Sizes& sizes)
{
    HeldWeights held;
    int recurring = 0;
    int of_blocks = 0;
    for (const auto& [size, count] : sizes) {
        const double bytes = heldBy(n, size, count);
        const bool is_vector = size <= sizes.rbegin()->first / kVectorBelow;
        held.bytes += bytes > 0 ? 2 * bytes - static_cast<double>(size * count) : 0;
        recurring += count > 1 ? 1 : 0;
        of_blocks += bytes > 0 || (is_vector && count >= n) ? 1 : 0;
    }
    held.share = recurring > 0 ? static_cast<double>(of_blocks) / recurring : 0;
    return held;
}

/// At least `fewest` of them, which hold that share of all weights.
std::int64_t countBlocks(const ModelWeights& weights, std::int64_t fewest, double least_share)
{
    static constexpr std::int64_t kMostBlocks = 512;
    static constexpr double kBetween = 0.75; // what lies between blocks is theirs
    const Sizes& sizes = weights.sizes;
    double all = 0;
    std::int64_t most = 0;
    for (const auto& [size, count] : sizes) {
        all += static_cast<double>(size * count);
        most = std::max(most, count);
    }
    std::int64_t best = 0;
    double best_score = 0;
    for (std::int64_t n = fewest; n <= std::min(most, kMostBlocks); ++n) {
        const HeldWeights held = heldBy(n, sizes);
        const double bytes = held.bytes * (1 - 1.0 / static_cast<double>(n));
        if (bytes > least_share * all && bytes * held.share > best_score
            && shareBetween(weights, n) >= kBetween) {
            best_score = bytes * held.share;
            best = n;
        }
    }
    return best;
}

/// With what the passes show: a whole one runs through all blocks, one that was cut off through
/// as many at least. An embedding and a head of its size would look like two blocks, two matrices
/// of one size in every block like twice as many.
std::int64_t countBlocks(const DeviceRun& run, const ModelWeights& weights)
{
    static constexpr std::int64_t kFewest = 2;
    static constexpr double kAsGood = 0.9;
    static constexpr double kLeastShare = 0.3; // less is no stack of blocks
    static constexpr double kLeastThatRan = 0.05; // beside a large vocabulary
    const std::int64_t ran = run.layers.count;
    const std::int64_t by_weights =
        countBlocks(weights, std::max(ran, kFewest), ran >= kFewest ? kLeastThatRan : kLeastShare);
    if (by_weights == 0) {
        return countBlocks(weights, kFewest, kLeastShare); // some blocks share their weights
    }
    const bool is_whole = std::ranges::any_of(run.passes, &Pass::isWholeTraining);
    const bool agrees = is_whole && ran >= kFewest
        && heldBy(ran, weights.sizes).bytes >= kAsGood * heldBy(by_weights, weights.sizes).bytes;
    return agrees ? ran : by_weights;
}

/// The most common size of a block that is far smaller than its largest.
std::int64_t commonVector(const BlockWeights& weights)
{
    std::int64_t largest = 0;
    for (const auto& [size, count] : weights.sizes) {
        largest = weights.isOfBlocks(size) ? std::max(largest, size) : largest;
    }
    std::pair<std::int64_t, std::int64_t> best; // count, size
    for (const auto& [size, count] : weights.sizes) {
        if (weights.isOfBlocks(size) && size <= largest / kVectorBelow) {
            best = std::max(best, std::pair(count, size));
        }
    }
    return best.second;
}

/// Whether a pass saves one number of that width per row of its hidden state, as norms do.
bool savesOnePerRow(const DeviceRun& run, const BlockWeights& weights, double width)
{
    for (std::uint32_t p = 0; p < run.passes.size(); ++p) {
        const std::int64_t hidden =
            run.passes[p].isTraining() ? hiddenStateBytes(run, weights, p) : 0;
        if (hidden == 0) {
            continue;
        }
        const double wanted = static_cast<double>(hidden / weights.vector) * width;
        const auto [first, end] = run.madeIn(run.passes[p]);
        for (std::size_t i = first; i < end; ++i) {
            const AllocationId a(i);
            if (run.bucket(a) == Bucket::activation
                && static_cast<double>(run.bytes(a)) == wanted) {
                return true;
            }
        }
        return false; // passes are alike
    }
    return false;
}

/// Each matrix may be the square one, as the projection after attention is: common widths first,
/// then that of the norms' numbers; else the smallest matrix is taken.
double widthOf(const DeviceRun& run, const BlockWeights& weights)
{
    const auto vector = static_cast<double>(weights.vector);
    std::vector<double> widths;
    for (const auto& [size, count] : weights.sizes) {
        const double width = vector * vector / static_cast<double>(size);
        const bool is_matrix = weights.isOfBlocks(size) && size % weights.vector == 0
            && width < vector / 16; // else a vector, too
        if (!is_matrix) {
            continue;
        }
        if (std::ranges::any_of(std::array{1.0, 2.0, 4.0}, [&](double w) { return w == width; })) {
            return width;
        }
        widths.push_back(width);
    }
    if (widths.size() > 1) {
        const auto of_norms = std::ranges::find_if(
            widths, [&](double width) { return savesOnePerRow(run, weights, width); });
        return of_norms == widths.end() ? widths.front() : *of_norms;
    }
    return widths.empty() ? 0 : widths.front();
}

} // namespace

bool BlockWeights::isOfBlocks(std::int64_t bytes) const
{
    const auto found = sizes.find(bytes);
    return blocks > 0 && !outside.contains(bytes) && found != sizes.end()
        && found->second >= blocks;
}

double BlockWeights::otherSide(std::int64_t bytes) const
{
    if (width <= 0 || !isOfBlocks(bytes)) {
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

BlockWeights blockWeights(const DeviceRun& run)
{
    BlockWeights weights;
    ModelWeights found = modelWeights(run);
    weights.sizes = found.sizes;
    if (const std::int64_t size = enclosingSize(found); size > 0) {
        weights.outside.insert(size);
        found.sizes.erase(size);
    }
    weights.blocks = countBlocks(run, found);
    if (weights.blocks == 0 && run.layers.count == 0) {
        takeForOneBlock(found, weights);
    }
    weights.vector = commonVector(weights);
    if (weights.vector > 0) {
        weights.width = widthOf(run, weights);
    }
    return weights;
}

std::int64_t hiddenStateBytes(const DeviceRun& run, const BlockWeights& weights, std::uint32_t pass)
{
    std::map<std::int64_t, int> counts;
    const auto [first, end] = run.madeIn(run.passes[pass]);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        const Layer* layer = run.layers.layerOf(a);
        const bool in_block =
            layer != nullptr ? layer->pass == pass : weights.blocks == 1 && run.layers.count == 0;
        if (in_block && run.bucket(a) == Bucket::activation && run.bytes(a) >= weights.vector
            && run.bytes(a) % weights.vector == 0) {
            ++counts[run.bytes(a)];
        }
    }
    const auto most = std::ranges::max_element(counts, {}, [](const auto& e) { return e.second; });
    return most == counts.end() ? 0 : most->first;
}

} // namespace tidemark::diagnose
