// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/weight_names.h"

#include "core/program/constants.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace tidemark::program {
namespace {

/// Whether factor · hidden elements are something else than a matrix with hidden as a side: the
/// bias of a wide matrix, or a matrix of two other widths, as an adapter's rank and the keys'
/// width.
bool isOtherwise(std::int64_t factor, const WeightView& view)
{
    const std::int64_t elements = factor * view.hidden;
    if (factor >= kSmallestTable) {
        return false;
    }
    return view.factors.contains(elements)
        || std::ranges::any_of(view.factors, [&](const auto& of) {
               return of.first >= kFewestElements && of.first != factor && of.first != view.hidden
                   && elements % of.first == 0 && elements / of.first != factor
                   && view.factors.contains(elements / of.first);
           });
}

/// Matrices with a share worth counting: bytes → how many.
Counts weightyMatrices(const WeightSet& weights, const WeightView& view)
{
    Counts matrices;
    for (const auto& [bytes, count] : weights.counts) {
        const std::int64_t elements = bytes / view.element_bytes;
        if (view.hidden > 0 && elements > view.hidden && elements % view.hidden == 0
            && static_cast<double>(bytes) * static_cast<double>(count)
                > kWeightyShare * static_cast<double>(weights.total_bytes)) {
            matrices[bytes] = count;
        }
    }
    return matrices;
}

/// The largest number that divides the counts of most matrices, up to `remainder`. 0: none.
std::int64_t commonDivisor(const Counts& matrices, std::int64_t fewest, std::int64_t remainder)
{
    std::int64_t all = 0;
    for (const auto& [bytes, count] : matrices) {
        all += count;
    }
    for (std::int64_t n = kMostLayers; n >= fewest; --n) {
        std::int64_t divided = 0;
        for (const auto& [bytes, count] : matrices) {
            divided += count >= n && count % n <= remainder ? count : 0;
        }
        if (all > 0 && static_cast<double>(divided) >= kDividedShare * static_cast<double>(all)) {
            return n;
        }
    }
    return 0;
}

struct Period {
    std::int64_t repeats = 0;
    double cover = 0; ///< Of all weights.
};

/// How often the order of creation repeats itself with one distance.
Period repeatsAt(std::span<const std::int64_t> order, std::size_t distance)
{
    std::size_t run = 0;
    std::size_t best = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i + distance < order.size(); ++i) {
        run = order[i] == order[i + distance] ? run + 1 : 0;
        if (run > best) {
            best = run;
            at = i;
        }
    }
    const std::size_t repeats = (best + distance) / distance;
    const auto unit = order.subspan(at, std::min(distance, order.size() - at));
    const std::set<std::int64_t> sizes(unit.begin(), unit.end());
    if (repeats < 2 || sizes.size() < kFewestSizesOfALayer) {
        return {};
    }
    return {static_cast<std::int64_t>(repeats),
            static_cast<double>(repeats * distance) / static_cast<double>(order.size())};
}

Period periodOf(const WeightSet& weights)
{
    const auto count = std::min(kMostOrdered, weights.order.size());
    const std::span<const std::int64_t> order = std::span(weights.order).first(count);
    Period best;
    for (std::size_t distance = 3; distance < std::min(kLongestPeriod, order.size() / 2 + 1);
         ++distance) {
        const Period found = repeatsAt(order, distance);
        if (found.cover > best.cover + kPeriodGain) {
            best = found;
        }
    }
    return best.cover > kPeriodCover ? best : Period{};
}

/// Whether most of the layers' matrices are there in so many copies, by their bytes.
bool areOf(const Counts& matrices, std::int64_t copies, std::int64_t layers)
{
    double all = 0;
    double divided = 0;
    for (const auto& [bytes, count] : matrices) {
        if (count >= layers * copies) {
            const double sum = static_cast<double>(bytes) * static_cast<double>(count);
            all += sum;
            divided += count % copies == 0 ? sum : 0;
        }
    }
    return divided >= kDividedShare * all;
}

/// Without frames weights and moments may be told as one. Then the vectors do not fit the layers:
/// 27 of hidden in 12 layers are three times 9 in 4.
void countCopies(const Counts& matrices, const WeightView& view, bool is_fixed, WeightNames& names)
{
    const auto found = view.vectors.find(view.hidden);
    const std::int64_t vectors = found == view.vectors.end() ? 0 : found->second;
    const auto fits = [](std::int64_t count, std::int64_t layers) {
        return layers >= 2 && count >= 2 * layers && count % layers <= kMostOtherVectors;
    };
    if (names.layers < 2 || vectors == 0 || fits(vectors, names.layers)) {
        return;
    }
    for (std::int64_t copies = 2; copies <= kMostCopies; ++copies) {
        if (vectors % copies != 0 || !areOf(matrices, copies, names.layers)) {
            continue;
        }
        for (const std::int64_t divided :
             {names.layers % copies == 0 && !is_fixed ? names.layers / copies : 0, names.layers}) {
            if (fits(vectors / copies, divided)) {
                names.layers = divided;
                names.copies = copies;
                return;
            }
        }
    }
}

void countLayers(const WeightSet& weights, const WeightView& view, WeightNames& names)
{
    const Counts matrices = weightyMatrices(weights, view);
    const Period period = periodOf(weights);
    if (weights.is_order_seen && period.cover >= kWholeOrder) {
        names.layers = period.repeats;
        names.are_layers_seen = true;
        countCopies(matrices, view, true, names);
        return;
    }
    std::int64_t divisor = commonDivisor(matrices, 2, 0);
    if (divisor == 0) {
        divisor = commonDivisor(matrices, kFewestUnevenLayers, kUnevenLayers);
    }
    const std::int64_t repeats = period.repeats;
    const auto found = view.vectors.find(view.hidden);
    const std::int64_t vectors = found == view.vectors.end() ? 0 : found->second;
    // Both matrices of a feed-forward are as large: what divides all counts may be twice the
    // layers, where queries, keys and values of encoders and decoders are 4 and 8 each.
    while (divisor > 2 && divisor % 2 == 0 && divisor <= vectors && vectors < 2 * divisor) {
        divisor /= 2;
    }
    const bool has_two_norms = 2 * divisor <= vectors && vectors <= 2 * divisor + kMostOtherVectors;
    const bool is_part = divisor > 0 && repeats > 0 && divisor % repeats == 0 && !has_two_norms
        && (divisor / repeats == 2 || divisor / repeats == 4);
    names.layers = is_part || divisor == 0 ? repeats : divisor;
    names.layers_alternative = is_part ? divisor : divisor == 0 ? 0 : repeats;
    countCopies(matrices, view, false, names);
}

std::int64_t exactRoot(std::int64_t value)
{
    const auto root = std::llround(std::sqrt(static_cast<double>(value)));
    return root * root == value ? root : 0;
}

/// A square that is used once and is no hidden · hidden is a mask kept as a buffer, where a table
/// has as many rows, or where it alone is not trained.
bool isMask(std::int64_t factor, const Counts& once, const WeightSet& weights,
            const WeightView& view)
{
    const std::int64_t side = exactRoot(factor * view.hidden);
    const bool is_left_out = !weights.trained.empty()
        && !weights.trained.contains(factor * view.hidden * view.element_bytes)
        && std::ranges::any_of(once, [&](const auto& of) {
               return weights.trained.contains(of.first * view.hidden * view.element_bytes);
           });
    return once.size() > 1 && side > 0 && factor != view.hidden
        && (is_left_out || once.contains(side) || view.factors.contains(side));
}

Counts onceUsed(const WeightSet& weights, const WeightView& view, std::int64_t layers)
{
    Counts once;
    if (layers <= 1) {
        if (!view.factors.empty()) {
            once.insert(*view.factors.rbegin());
        }
        return once;
    }
    for (const auto& [factor, count] : view.factors) {
        // In two layers a vocabulary's tables, one in and one out, are as many as the layers.
        const bool is_pair = layers == 2 && count == 2 && factor != 3 * view.hidden;
        if ((count < layers || is_pair) && factor >= kSmallestTable) {
            once[factor] = count;
        }
    }
    Counts tables;
    for (const auto& [factor, count] : once) {
        if (!isMask(factor, once, weights, view)) {
            tables[factor] = count;
        }
    }
    return tables;
}

void nameWidths(const WeightView& view, WeightNames& names)
{
    const std::int64_t layers = std::max<std::int64_t>(1, names.layers);
    std::int64_t most = 0;
    bool best_is_fused = true;
    for (const auto& [factor, count] : view.factors) {
        if (factor == names.vocabulary || count < layers) {
            continue;
        }
        if (factor >= kSmallestFactor && factor < kSmallestTable && factor != view.hidden
            && count == layers && !isOtherwise(factor, view)) {
            names.experts = factor;
        }
        if (factor < view.hidden && factor >= kFewestElements && count >= 2 * layers) {
            names.kv_width = factor; // ascending: the largest
        }
        // Queries, keys and values in one are three times hidden, too.
        const bool is_fused = factor == 3 * view.hidden;
        if (factor > view.hidden
            && (is_fused < best_is_fused || (is_fused == best_is_fused && factor * count > most))) {
            names.feed_forward = factor;
            most = factor * count;
            best_is_fused = is_fused;
        }
    }
    // Gate and up in one: then half of it comes back down, as often.
    const auto whole = view.factors.find(names.feed_forward);
    const auto half = view.factors.find(names.feed_forward / 2);
    if (names.feed_forward % 2 == 0 && half != view.factors.end() && half->first > view.hidden
        && whole->second == layers && half->second >= layers) {
        names.feed_forward /= 2;
    }
}

/// Key-value heads · the width of a head, as far as both follow from what was said; else 0.
std::int64_t saidKeyWidth(const WeightView& view, const Said& said)
{
    const std::int64_t heads = said.of(DimensionName::heads);
    const std::int64_t own = said.of(DimensionName::head_width);
    const std::int64_t width = own > 0          ? own
        : heads > 0 && view.hidden % heads == 0 ? view.hidden / heads
                                                : 0;
    return said.of(DimensionName::kv_heads) * width;
}

void takeSaidWidths(const WeightView& view, const Said& said, WeightNames& names)
{
    if (said.has(DimensionName::feed_forward)) {
        names.feed_forward = said.of(DimensionName::feed_forward);
        names.experts = 0; // It was that of all of them together.
    }
    names.rank = said.of(DimensionName::rank);
    if (said.has(DimensionName::kv_width)) {
        names.kv_width = said.of(DimensionName::kv_width);
    } else if (const std::int64_t width = saidKeyWidth(view, said);
               width > 0 && view.factors.contains(width)) {
        names.kv_width = width < view.hidden ? width : 0; // As wide as hidden it has no own name.
    }
}

} // namespace

WeightNames nameWeights(const WeightSet& weights, const WeightView& view, const Said& said)
{
    WeightNames names;
    if (view.hidden == 0) {
        return names;
    }
    if (said.has(DimensionName::layers)) {
        names.layers = said.of(DimensionName::layers);
        countCopies(weightyMatrices(weights, view), view, true, names);
    } else {
        countLayers(weights, view, names);
    }
    WeightView one = view;
    std::erase_if(one.factors, [&](const auto& of) { return of.second < names.copies; });
    for (auto& [factor, count] : one.factors) {
        count /= names.copies;
    }
    for (const auto& [factor, count] : onceUsed(weights, one, names.layers)) {
        names.once.push_back(factor);
    }
    names.vocabulary = names.once.empty() ? 0 : names.once.back();
    if (said.has(DimensionName::vocabulary)) {
        names.vocabulary = said.of(DimensionName::vocabulary);
        if (std::ranges::find(names.once, names.vocabulary) == names.once.end()) {
            names.once.push_back(names.vocabulary);
            std::ranges::sort(names.once);
        }
    }
    nameWidths(one, names);
    takeSaidWidths(one, said, names);
    return names;
}

Widths widthsOf(const WeightView& view, const WeightNames& names)
{
    Widths widths;
    if (view.hidden == 0) {
        return widths;
    }
    const std::int64_t often =
        std::max<std::int64_t>(2, std::max<std::int64_t>(1, names.layers) / 2);
    for (const auto& [factor, count] : view.factors) {
        if (factor < kFewestElements && isOtherwise(factor, view)) {
            continue;
        }
        const std::int64_t needed = factor >= kFewestElements
            ? std::min(often, kOftenEnough)
            : std::max(names.layers, kOftenEnough);
        if (factor >= kSmallestFactor && count >= needed) {
            widths.emplace(factor, Width{});
        }
    }
    for (const auto& [length, count] : view.vectors) {
        if (count >= often) {
            widths.emplace(length, Width{Factor::number, kVectorPrior, false});
        }
    }
    const auto derive = [&widths](std::int64_t value, Factor factor) {
        const auto [at, is_new] = widths.emplace(value, Width{factor, kDerivedPrior, true});
        if (!is_new && at->second.factor == Factor::number) {
            at->second.factor = factor;
        }
    };
    widths[view.hidden] = {Factor::hidden, 1, false};
    if (names.feed_forward > 0) {
        widths[names.feed_forward] = {Factor::feed_forward, 1, false};
        derive(2 * names.feed_forward, Factor::twice_feed_forward);
    }
    for (const std::int64_t factor : names.once) {
        widths[factor] = {factor == names.vocabulary ? Factor::vocabulary : Factor::number, 1,
                          false};
    }
    if (names.kv_width > 0) {
        widths[names.kv_width] = {Factor::kv_width, 1, false};
    }
    if (names.rank > 0) {
        widths[names.rank] = {Factor::rank, 1, false};
    }
    derive(3 * view.hidden, Factor::thrice_hidden);
    derive(2 * view.hidden, Factor::twice_hidden);
    if (names.kv_width > 0) {
        derive(view.hidden + 2 * names.kv_width, Factor::fused_qkv_width);
    }
    return widths;
}

} // namespace tidemark::program
