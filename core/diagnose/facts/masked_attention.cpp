// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/masked_attention.h"

#include "core/diagnose/facts/block_weights.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;
using label::Phase;
using label::Role;

constexpr std::int64_t kShortest = 16; // of a sequence worth looking at

bool isMadeInForward(const Facts& facts, std::size_t i, std::uint32_t pass)
{
    return facts.pass_of[i] == static_cast<std::int32_t>(pass) && facts.phase[i] == Phase::forward
        && (facts.labels.bucket[i] == Bucket::activation
            || facts.labels.bucket[i] == Bucket::temporary);
}

/// Sizes of what a pass makes in forward, and of what it makes inside its blocks in how many.
struct Sizes {
    std::set<std::int64_t> all;
    std::set<std::pair<std::int64_t, std::uint32_t>> by_block; ///< Bytes, number of the block.

    [[nodiscard]] bool recur(std::int64_t bytes) const
    {
        const auto first = by_block.lower_bound({bytes, 0});
        return first != by_block.end() && first->first == bytes
            && std::next(first) != by_block.end() && std::next(first)->first == bytes;
    }
};

Sizes sizesOf(const Facts& facts, std::uint32_t pass)
{
    Sizes sizes;
    const auto [first, end] = facts.madeIn(facts.passes[pass]);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        if (!isMadeInForward(facts, i, pass)) {
            continue;
        }
        sizes.all.insert(facts.bytes(a));
        if (const Layer* layer = facts.layers.layerOf(a)) {
            sizes.by_block.emplace(facts.bytes(a), layer->number);
        }
    }
    return sizes;
}

/// The hidden state, its elements as wide as those of the weights.
struct Hidden {
    std::int64_t bytes = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    bool is_mixed = false; ///< Other things have elements half or twice as wide.

    [[nodiscard]] bool isItself(std::int64_t other) const
    {
        return other == bytes || (is_mixed && (other == 2 * bytes || 2 * other == bytes));
    }
};

bool isMadeByWeight(const BlockWeights& weights, const Hidden& hidden, double columns)
{
    return std::ranges::any_of(weights.sizes, [&](const auto& entry) {
        const double made = weights.otherSide(entry.first) / weights.width;
        return made == columns || (hidden.is_mixed && made == 2 * columns);
    });
}

/// Lengths that divide the rows and of which there is a square, of elements or of bytes, that is
/// not by chance as large as what the blocks make of rows.
std::vector<std::int64_t> maskedLengths(const BlockWeights& weights, const Sizes& sizes,
                                        const Hidden& hidden)
{
    static constexpr double kByte = 0.25; // of an element
    std::vector<std::int64_t> lengths;
    for (const std::int64_t bytes : sizes.all) {
        const double columns =
            static_cast<double>(bytes) / (static_cast<double>(hidden.rows) * weights.width);
        if (hidden.isItself(bytes) || isMadeByWeight(weights, hidden, columns)) {
            continue;
        }
        for (const double width : {weights.width, weights.width * kByte}) {
            const double root = std::sqrt(static_cast<double>(bytes) / width);
            const std::int64_t length = std::llround(root);
            if (length >= kShortest && length != hidden.columns && hidden.rows % length == 0
                && static_cast<double>(length) == root) {
                lengths.push_back(length);
            }
        }
    }
    return lengths;
}

/// The size of the matrices of a pass, the largest that fits; 0 without any.
std::int64_t matrixBytes(const BlockWeights& weights, const Sizes& sizes, const Hidden& hidden)
{
    std::int64_t largest = 0;
    for (const std::int64_t length : maskedLengths(weights, sizes, hidden)) {
        for (std::int64_t heads = 1; heads <= hidden.columns; ++heads) {
            const auto columns = static_cast<double>(heads * length);
            if (hidden.columns % heads != 0 || isMadeByWeight(weights, hidden, columns)) {
                continue;
            }
            const auto bytes = static_cast<std::int64_t>(static_cast<double>(hidden.rows) * columns
                                                         * weights.width);
            const bool fits = !hidden.isItself(bytes) && sizes.recur(bytes);
            largest = fits ? std::max(largest, bytes) : largest;
        }
    }
    return largest;
}

void give(Facts& facts, std::uint32_t pass, std::int64_t bytes)
{
    const auto [first, end] = facts.madeIn(facts.passes[pass]);
    for (std::size_t i = first; i < end; ++i) {
        const AllocationId a(i);
        if (facts.bytes(a) == bytes && isMadeInForward(facts, i, pass)
            && facts.roles[i] == Role::none && facts.layers.layerOf(a) != nullptr) {
            facts.roles[i] = Role::attention_matrix;
        }
    }
    const bool is_failed = facts.failed_request && facts.failed_request->role == Role::none
        && facts.moment.requested.value == bytes && facts.phaseAtMoment() == Phase::forward
        && passAt(facts.passes, facts.moment.state) == static_cast<std::int32_t>(pass);
    if (is_failed) {
        facts.failed_request->role = Role::attention_matrix;
    }
}

} // namespace

void inferMaskedAttention(Facts& facts)
{
    const BlockWeights weights = blockWeights(facts);
    if (facts.layers.count < 2 || weights.vector <= 0 || weights.width <= 0) {
        return;
    }
    const std::int64_t columns = std::llround(static_cast<double>(weights.vector) / weights.width);
    for (std::size_t p = 0; p < facts.passes.size(); ++p) {
        const auto pass = static_cast<std::uint32_t>(p);
        const std::int64_t state = hiddenStateBytes(facts, weights, pass);
        const Hidden hidden{state, state / weights.vector, columns, facts.sixteen_bit};
        const std::int64_t bytes =
            state == 0 ? 0 : matrixBytes(weights, sizesOf(facts, pass), hidden);
        if (bytes > 0) {
            give(facts, pass, bytes);
        }
    }
}

} // namespace tidemark::diagnose
