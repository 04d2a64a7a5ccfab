// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/adapter_pairs.h"

#include "core/diagnose/facts/facts.h"

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

} // namespace

std::map<std::int64_t, std::int64_t> adapterMatrices(const Facts& facts)
{
    std::vector<std::int64_t> weights; // bytes, in the order in which they were made
    for (std::size_t i = 0; i < facts.allocations().count(); ++i) {
        const AllocationId a(i);
        if (facts.bucket(a) == label::Bucket::parameter
            && facts.allocations().isLive(a, facts.moment.state)) {
            weights.push_back(facts.bytes(a));
        }
    }
    std::map<std::int64_t, std::int64_t> found;
    for (const std::int64_t width : {4, 2}) {
        std::vector<std::int64_t> elements;
        std::ranges::transform(weights, std::back_inserter(elements),
                               [&](std::int64_t bytes) { return bytes / width; });
        for (std::size_t i = 2 * pairsAtEnd(elements); i > 0; --i) {
            ++found[weights[weights.size() - i]];
        }
        if (!found.empty()) {
            break;
        }
    }
    return found;
}

std::int64_t adapterPairs(const Facts& facts)
{
    std::int64_t sum = 0;
    for (const auto& [bytes, count] : adapterMatrices(facts)) {
        sum += bytes * count;
    }
    return sum;
}

} // namespace tidemark::diagnose
