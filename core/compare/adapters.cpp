// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/adapters.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

namespace tidemark::compare {
namespace {

/// What adapters are beside the model that they adapt, at most.
constexpr double kThinShare = 0.25;
/// One side of their matrices is at most this part of the other.
constexpr std::int64_t kThin = 8;
/// A head that is trained alone has fewer weights.
constexpr std::int64_t kFewestAdapters = 4;
/// Of the trained matrices: so many are as wide as a frozen one in one direction.
constexpr double kNearlyAll = 0.9;

using Weights = std::vector<const program::WeightSize*>;

std::int64_t elementsOf(const program::WeightSize& weight)
{
    return weight.element_bytes > 0 ? weight.bytes / weight.element_bytes : 0;
}

std::int64_t countOf(const Weights& weights)
{
    std::int64_t count = 0;
    for (const program::WeightSize* const w : weights) {
        count += w->count;
    }
    return count;
}

/// How many of the trained weights are rank × a side of a frozen matrix. One of them as it is, a
/// bias or a norm, is none.
std::int64_t fitting(const Weights& trained, const std::set<std::int64_t>& sides, std::int64_t rank)
{
    std::int64_t count = 0;
    for (const program::WeightSize* const w : trained) {
        const std::int64_t elements = elementsOf(*w);
        count += elements % rank == 0 && sides.contains(elements / rank) ? w->count : 0;
    }
    return count;
}

/// The rank with which most trained weights fit the sides of frozen matrices; of equal ones a power
/// of two, as people choose. 0: no shapes are known, or too few of them fit.
std::int64_t rankBySides(const Weights& trained, const std::set<std::int64_t>& sides)
{
    std::set<std::int64_t> ranks;
    for (const program::WeightSize* const w : trained) {
        for (const std::int64_t side : sides) {
            const std::int64_t elements = elementsOf(*w);
            if (elements % side == 0 && kThin * (elements / side) <= side) {
                ranks.insert(elements / side);
            }
        }
    }
    std::int64_t best = 0;
    std::int64_t most = 0;
    for (const std::int64_t rank : ranks) {
        const std::int64_t count = rank > 1 ? fitting(trained, sides, rank) : 0;
        const bool is_rounder = std::has_single_bit(static_cast<std::uint64_t>(rank))
            && !std::has_single_bit(static_cast<std::uint64_t>(best));
        if (count > most || (count == most && count > 0 && is_rounder)) {
            most = count;
            best = rank;
        }
    }
    return static_cast<double>(most) >= kNearlyAll * static_cast<double>(countOf(trained)) ? best
                                                                                           : 0;
}

/// The thin side of most trained matrices; 0: one of them is whole.
std::int64_t rankByShape(const Weights& trained)
{
    std::int64_t rank = kUnknownRank;
    std::int64_t most = 0;
    for (const program::WeightSize* const w : trained) {
        const std::int64_t thin = w->shape.size() == 2 ? std::min(w->shape[0], w->shape[1]) : 0;
        if (thin > 0 && kThin * thin > std::max(w->shape[0], w->shape[1])) {
            return 0;
        }
        if (thin > 0 && w->count > most) {
            most = w->count;
            rank = thin;
        }
    }
    return rank;
}

} // namespace

Adapters adaptersOf(const program::Weights& weights)
{
    Weights trained;
    Weights frozen;
    std::set<std::int64_t> sides;
    std::int64_t trained_bytes = 0;
    std::int64_t all_bytes = 0;
    std::int64_t widest = 0;
    for (const program::WeightSize& w : weights.sizes) {
        const bool is_trained = w.trainable.value_or(false);
        (is_trained ? trained : frozen).push_back(&w);
        trained_bytes += is_trained ? w.bytes * w.count : 0;
        all_bytes += w.bytes * w.count;
        if (!is_trained && w.shape.size() == 2) {
            sides.insert(w.shape.begin(), w.shape.end());
            widest = std::max({widest, w.shape[0], w.shape[1]});
        }
    }
    const bool is_thin =
        static_cast<double>(trained_bytes) < kThinShare * static_cast<double>(all_bytes);
    if (trained.empty() || !is_thin || countOf(trained) < kFewestAdapters) {
        return {};
    }
    Adapters adapters;
    adapters.rank = rankBySides(trained, sides);
    if (adapters.rank != 0) {
        adapters.matrices = fitting(trained, sides, adapters.rank) / 2;
        for (const program::WeightSize* const w : frozen) {
            // The vocabulary is the widest side, of an embedding and a head.
            const bool is_vocabulary = w->count <= 2 && std::ranges::count(w->shape, widest) > 0;
            adapters.linears += w->shape.size() == 2 && !is_vocabulary ? w->count : 0;
        }
        if (adapters.linears < adapters.matrices) {
            adapters.linears = 0;
        }
    } else {
        adapters.rank = rankByShape(trained);
    }
    for (const program::WeightSize* const w : trained) {
        adapters.parameters += adapters.rank == 0 ? 0 : elementsOf(*w) * w->count;
    }
    return adapters;
}

std::string nameOf(const Adapters& adapters)
{
    const std::string on = formatCount(adapters.matrices);
    if (adapters.rank == 0) {
        return say("none");
    }
    if (adapters.rank == kUnknownRank) {
        return say("adapters of {} parameters", formatCount(adapters.parameters));
    }
    if (adapters.matrices == 0) {
        return say("rank {}", adapters.rank);
    }
    if (adapters.linears == adapters.matrices) {
        return say("rank {} on all {} linear layers", adapters.rank, on);
    }
    return adapters.linears == 0 ? say("rank {} on {} linear layers", adapters.rank, on)
                                 : say("rank {} on {} of {} linear layers", adapters.rank, on,
                                       formatCount(adapters.linears));
}

} // namespace tidemark::compare
