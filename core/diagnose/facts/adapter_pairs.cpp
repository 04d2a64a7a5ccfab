// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/adapter_pairs.h"

#include "core/diagnose/facts/device_run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

namespace tidemark::diagnose {
namespace {

constexpr std::int64_t kNarrowest = 4; // sides of a weight are that many ranks at least

/// Ranks that make two matrices a pair for one of the weights, all in elements. One of its sides is
/// a vector among the weights, a norm's or a bias: two vectors would be a pair of rank 2 for sides
/// that nothing has. Where both sides are, they tell the rank alone.
std::set<std::int64_t> ranksOf(std::int64_t a, std::int64_t b,
                               const std::set<std::int64_t>& weights)
{
    std::set<std::int64_t> ranks;
    const auto consider = [&](std::int64_t r, std::int64_t weight) {
        if (r < 2 || a % r != 0 || b % r != 0 || r > std::min(a, b) / r / kNarrowest) {
            return;
        }
        const bool has_rows = weights.contains(a / r);
        const bool has_columns = weights.contains(b / r);
        const bool is_product = weight % (a / r) == 0 && weight / (a / r) == b / r;
        if ((has_rows && has_columns) || (is_product && (has_rows || has_columns))) {
            ranks.insert(r);
        }
    };
    for (const std::int64_t weight : weights) {
        if (weight <= 0) {
            continue;
        }
        const double rank = std::sqrt(static_cast<double>(a) * static_cast<double>(b)
                                      / static_cast<double>(weight));
        consider(static_cast<std::int64_t>(std::llround(rank)), weight);
        if (a % weight == 0) {
            consider(a / weight, weight);
        }
    }
    return ranks;
}

/// Whether so many pairs end the weights, given as elements in the order in which they were made.
bool endsWithPairs(const std::vector<std::int64_t>& elements, std::size_t pairs)
{
    static constexpr std::size_t kMostSizes = 256; // no model has as many
    const std::size_t begin = elements.size() - 2 * pairs;
    const std::set<std::int64_t> weights(elements.begin(),
                                         elements.begin() + static_cast<std::ptrdiff_t>(begin));
    if (weights.size() > kMostSizes) {
        return false;
    }
    std::set<std::int64_t> common = ranksOf(elements[begin], elements[begin + 1], weights);
    for (std::size_t i = begin + 2; i < elements.size() && !common.empty(); i += 2) {
        const std::set<std::int64_t> ranks = ranksOf(elements[i], elements[i + 1], weights);
        std::erase_if(common, [&](std::int64_t r) { return !ranks.contains(r); });
    }
    return !common.empty();
}

/// The most pairs that end the weights, 0 where these are fewer than two. Where many do, fewer do
/// as well: they have the same ranks, and more weights before them.
std::size_t pairsAtEnd(const std::vector<std::int64_t>& elements)
{
    static constexpr std::size_t kFewest = 2;
    if (elements.size() <= 2 * kFewest || !endsWithPairs(elements, kFewest)) {
        return 0;
    }
    std::size_t found = kFewest;
    std::size_t too_many = (elements.size() + 1) / 2; // something lies before them
    while (found + 1 < too_many) {
        const std::size_t middle = found + (too_many - found) / 2;
        (endsWithPairs(elements, middle) ? found : too_many) = middle;
    }
    return found;
}

/// Weights in the order in which they were made, bytes.
struct Split {
    std::vector<std::int64_t> frozen;
    std::vector<std::int64_t> trained;
};

Split splitWeights(const DeviceRun& run)
{
    Split split;
    for (const AllocationId a : run.weights) {
        const label::Role role = run.role(a);
        if (role == label::Role::frozen) {
            split.frozen.push_back(run.bytes(a));
        } else if (role == label::Role::trainable) {
            split.trained.push_back(run.bytes(a));
        }
    }
    if (split.frozen.empty() || split.trained.empty()) {
        const std::map<std::int64_t, std::int64_t> matrices = adapterMatrices(run);
        Split at_end;
        for (const auto* part : {&split.frozen, &split.trained}) {
            for (const std::int64_t bytes : *part) {
                (matrices.contains(bytes) ? at_end.trained : at_end.frozen).push_back(bytes);
            }
        }
        return matrices.empty() ? Split() : at_end;
    }
    return split;
}

/// A rank, and the sides that second matrices of a pair have, in elements.
struct Ranked {
    std::int64_t rank = 0;
    std::set<std::int64_t> sides;
    std::set<std::int64_t> sizes; ///< Of matrices, in elements.
};

/// The rank that makes most neighbours pairs; 0 where it is not most of all.
Ranked commonRank(const std::vector<std::int64_t>& trained, const std::set<std::int64_t>& weights)
{
    std::map<std::pair<std::int64_t, std::int64_t>, std::set<std::int64_t>> known;
    std::map<std::int64_t, std::size_t> votes;
    const auto ranksAt = [&](std::size_t i) -> const std::set<std::int64_t>& {
        const auto [it, is_new] = known.try_emplace({trained[i], trained[i + 1]});
        if (is_new) {
            it->second = ranksOf(trained[i], trained[i + 1], weights);
        }
        return it->second;
    };
    for (std::size_t i = 0; i + 1 < trained.size(); ++i) {
        for (const std::int64_t rank : ranksAt(i)) {
            ++votes[rank];
        }
    }
    const auto best = std::ranges::max_element(votes, {}, [](const auto& e) { return e.second; });
    // Every second pair of neighbours is one at least.
    if (best == votes.end() || 4 * best->second < trained.size()) {
        return {};
    }
    Ranked found;
    found.rank = best->first;
    for (std::size_t i = 0; i + 1 < trained.size(); ++i) {
        if (ranksAt(i).contains(found.rank)) {
            found.sizes.insert({trained[i], trained[i + 1]});
            found.sides.insert(trained[i + 1] / found.rank);
            ++i;
        }
    }
    return found;
}

/// What passes make that is to something else they make as the rank is to a side.
std::set<std::int64_t> madeBetween(const DeviceRun& run, const Ranked& ranked)
{
    std::set<std::int64_t> made;
    for (std::size_t i = 0; i < run.allocations().count(); ++i) {
        if (run.pass_of[i] >= 0 && run.phase[i] == label::Phase::forward) {
            made.insert(run.bytes(AllocationId(i)));
        }
    }
    std::set<std::int64_t> between;
    for (const std::int64_t bytes : made) {
        const bool is_between = std::ranges::all_of(ranked.sides, [&](std::int64_t side) {
            return bytes % ranked.rank == 0 && made.contains(bytes / ranked.rank * side);
        });
        if (is_between) {
            between.insert(bytes);
        }
    }
    return between;
}

} // namespace

std::optional<LowRank> lowRank(const DeviceRun& run)
{
    const Split split = splitWeights(run);
    for (const std::int64_t width : {4, 2}) {
        const auto elements = [width](const std::vector<std::int64_t>& bytes) {
            std::vector<std::int64_t> counts;
            std::ranges::transform(bytes, std::back_inserter(counts),
                                   [width](std::int64_t b) { return b / width; });
            return counts;
        };
        const std::vector<std::int64_t> frozen = elements(split.frozen);
        const Ranked ranked = commonRank(elements(split.trained), {frozen.begin(), frozen.end()});
        if (ranked.rank == 0) {
            continue;
        }
        LowRank found;
        found.rank = ranked.rank;
        for (const std::int64_t size : ranked.sizes) {
            found.sizes.insert(size * width);
        }
        found.between = madeBetween(run, ranked);
        return found;
    }
    return std::nullopt;
}

std::map<std::int64_t, std::int64_t> adapterMatrices(const DeviceRun& run)
{
    std::map<std::int64_t, std::int64_t> found;
    const auto trains = [&](AllocationId a) { return run.role(a) == label::Role::trainable; };
    if (std::ranges::any_of(run.passes, &Pass::isWholeTraining)
        && std::ranges::all_of(run.weights, trains)) {
        return found; // Beside adapters the weights that they adapt are frozen.
    }
    for (const std::int64_t width : {4, 2}) {
        std::vector<std::int64_t> elements;
        std::ranges::transform(run.weights, std::back_inserter(elements),
                               [&](AllocationId a) { return run.bytes(a) / width; });
        for (std::size_t i = 2 * pairsAtEnd(elements); i > 0; --i) {
            ++found[run.bytes(run.weights[run.weights.size() - i])];
        }
        if (!found.empty()) {
            break;
        }
    }
    return found;
}

std::int64_t adapterPairs(const DeviceRun& run)
{
    std::int64_t sum = 0;
    for (const auto& [bytes, count] : adapterMatrices(run)) {
        sum += bytes * count;
    }
    return sum;
}

} // namespace tidemark::diagnose
