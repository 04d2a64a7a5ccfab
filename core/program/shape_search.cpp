// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/shape_search.h"

#include "core/program/constants.h"
#include "core/program/norm_intervals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace tidemark::program {
namespace {

std::vector<std::int64_t> divisorsOf(std::int64_t n)
{
    std::vector<std::int64_t> small;
    std::vector<std::int64_t> large;
    for (std::int64_t i = 1; i * i <= n; ++i) {
        if (n % i == 0) {
            small.push_back(i);
            if (i != n / i) {
                large.push_back(n / i);
            }
        }
    }
    small.insert(small.end(), large.rbegin(), large.rend());
    return small;
}

bool isPowerOfTwo(std::int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/// A number of heads with how usual it is.
using Heads = std::vector<std::pair<std::int64_t, double>>;

/// The numbers of heads that agree with what was said of heads; empty: any does.
Heads saidHeads(const ReadingContext& context)
{
    const auto with = [&context](std::int64_t heads) {
        return std::pair(heads, usualHeads(heads, context));
    };
    const Said& said = context.said;
    const std::int64_t hidden = context.view.hidden;
    const std::int64_t kv_width = context.names.kv_width;
    const std::int64_t of_keys = said.of(DimensionName::kv_heads);
    if (said.has(DimensionName::heads)) {
        return {with(said.of(DimensionName::heads))};
    }
    if (const std::int64_t width = said.of(DimensionName::head_width); width > 0) {
        Heads heads{{0, 0.0}};
        for (const auto& [whole, of] : context.widths) {
            const bool may_be = of.factor == Factor::hidden || of.factor == Factor::number;
            if (may_be && whole % width == 0 && whole / width <= kMostHeads) {
                heads.push_back(with(whole / width));
            }
        }
        return heads;
    }
    if (of_keys > 0 && kv_width > 0 && of_keys * hidden % kv_width == 0) {
        return {with(of_keys * hidden / kv_width)};
    }
    return {};
}

/// All that some size shows under these rows and this sequence, 0 (none) first.
Heads headsFor(const ReadingContext& context, const SizeScore& score, std::int64_t tokens,
               std::int64_t sequence)
{
    if (Heads said = saidHeads(context); !said.empty()) {
        return said;
    }
    Heads heads{{0, 0.0}};
    for (const SizeGroup& g : score.sizes()) {
        for (const std::int64_t unit :
             {tokens * sequence * 4, tokens * sequence * 2, tokens * sequence, tokens * 4}) {
            if (g.bytes % unit != 0) {
                continue;
            }
            const std::int64_t count = g.bytes / unit;
            const bool is_known =
                std::ranges::find(heads, count, &Heads::value_type::first) != heads.end();
            if (const double usual = is_known ? 0 : usualHeads(count, context); usual > 0) {
                heads.emplace_back(count, usual);
            }
        }
    }
    return heads;
}

/// What copies of the weights in half their size say of the regime: activations in 2 bytes need
/// weights in 2 bytes, which autocast, or the program, makes of those in 4.
struct Copied {
    double share = 1; ///< Of the weights' bytes for which it can be told, those with copies.
    double unseen = 0; ///< Of the weights' bytes, those of which nothing is a copy.
};

/// It cannot be told where rows of activations have the size of a copy, if anything has.
Copied copiedOf(const ReadingContext& context, std::int64_t tokens)
{
    if (context.view.element_bytes != kFullPrecisionBytes) {
        return {};
    }
    double there = 0;
    double told = 0;
    Copied copied;
    for (const NarrowCopies& copies : context.sizes.narrowCopies()) {
        const bool is_row = !copies.is_unseen
            && (copies.bytes == tokens * 4 || isRow(copies.bytes, tokens, 4, context.widths));
        told += is_row ? 0 : copies.share;
        there += is_row || !copies.are_there ? 0 : copies.share;
        copied.unseen += copies.is_unseen ? copies.share : 0;
    }
    copied.share = told < kFewestTold ? kFewCopies : there / told;
    return copied;
}

/// A table that is used once and is no vocabulary has a row per position that a model knows.
bool isBeyondPositions(const WeightNames& names, std::int64_t sequence)
{
    return std::ranges::any_of(
        names.once, [&](std::int64_t rows) { return rows != names.vocabulary && rows < sequence; });
}

/// What speaks for or against a shape beside the sizes.
double habit(const ReadingContext& context, std::int64_t tokens, std::int64_t sequence,
             const Copied& copied)
{
    const std::int64_t batch = tokens / sequence;
    double sum = context.sizes.isInput(tokens * 8) ? kInputShapeBonus : 0;
    sum -= sequence < batch ? kSequenceBelowBatch : 0;
    sum -= sequence < kShortestSequence ? kShortSequence : 0;
    sum += kLongSequenceBonus
        * std::min(std::log2(static_cast<double>(sequence)), kLongSequenceDoublings);
    sum -= context.regime == Regime::narrow && copied.share < kFewCopies ? kWrongRegime : 0;
    sum -=
        context.regime == Regime::narrow && copied.unseen > kMostUncopied ? kImpossibleRegime : 0;
    sum -= isPowerOfTwo(batch) ? 0 : kOddBatch;
    sum -= isBeyondPositions(context.names, sequence) ? kBeyondPositions : 0;
    return sum;
}

void tryShapes(const ReadingContext& context, const SizeScore& score, const RowCount& row,
               std::vector<Hypothesis>& found, std::int64_t& readings)
{
    const Copied copied = copiedOf(context, row.tokens);
    for (const std::int64_t sequence : divisorsOf(row.tokens)) {
        const bool is_usual = sequence >= 2 && row.tokens / sequence <= kMostBatch;
        const bool is_said =
            context.said.has(DimensionName::batch) || context.said.has(DimensionName::sequence);
        if ((!is_usual && !is_said) || !context.said.allowsShape(row.tokens, sequence)) {
            continue;
        }
        const double usual_shape = habit(context, row.tokens, sequence, copied);
        for (const auto& [heads, usual] : headsFor(context, score, row.tokens, sequence)) {
            const auto tried = readingsOfSequence(context, row.tokens, sequence, heads);
            Explained explained = row.explained;
            score.explain(explained, tried);
            readings += static_cast<std::int64_t>(tried.size());
            found.push_back(
                {row.tokens, sequence, heads, score.total(explained) + usual + usual_shape});
        }
    }
}

void sortBest(std::vector<Hypothesis>& found)
{
    std::ranges::stable_sort(found, std::greater<>(), &Hypothesis::score);
}

/// A size that few of the hypotheses explain says more than one that all explain.
void addRarity(const ReadingContext& context, const SizeScore& score,
               std::vector<Hypothesis>& found, std::int64_t& readings)
{
    const std::size_t sizes = score.sizes().size();
    std::vector<Explained> explained;
    std::vector<double> explainers(sizes, 0);
    for (const Hypothesis& h : found) {
        Explained e = score.nothing();
        const auto rows = readingsOfTokens(context, h.tokens);
        const auto shapes = readingsOfSequence(context, h.tokens, h.sequence, h.heads);
        score.explain(e, rows);
        score.explain(e, shapes);
        readings += static_cast<std::int64_t>(rows.size() + shapes.size());
        for (std::size_t i = 0; i < sizes; ++i) {
            explainers[i] += e[i] >= kExplains ? 1 : 0;
        }
        explained.push_back(std::move(e));
    }
    const auto all = static_cast<double>(found.size());
    for (std::size_t h = 0; h < found.size(); ++h) {
        for (std::size_t i = 0; i < sizes; ++i) {
            const SizeGroup& g = score.sizes()[i];
            const double worth = kRarity * g.distinct_evidence;
            if (g.explained >= kNarrowCopy) {
                // Copies of weights say nothing of shapes, but much of the weights' element.
                found[h].score += worth * g.explained * kMostRarity;
            } else if (explained[h][i] >= kExplains) {
                const double bits = std::min(kMostRarity, -std::log2(explainers[i] / all));
                found[h].score += worth * explained[h][i] * bits;
            }
        }
    }
}

/// Sizes of rows of feed-forward by how many intervals a pass has with them: two a layer (the
/// attention matrices have this size, too), or one.
struct Sides {
    std::set<std::int64_t> both;
    std::set<std::int64_t> one;
};

Sides sidesOf(const ReadingContext& context, const Observed& observed, std::int64_t tokens)
{
    Sides sides;
    const std::int64_t layers = context.names.layers;
    for (const std::int32_t element : {4, 2}) {
        if (element == 2 && context.regime == Regime::full) {
            continue;
        }
        const std::int64_t bytes = tokens * context.names.feed_forward * element;
        const std::int64_t row = tokens * context.view.hidden;
        const Halves halves = halvesOf(observed, bytes, tokens * 4, {row * 4, row * 2}, layers);
        if (halves == Halves::both) {
            sides.both.insert(bytes);
        } else if (halves == Halves::one) {
            sides.one.insert(bytes);
        }
    }
    return sides;
}

void addSides(const ReadingContext& context, const Observed& observed,
              std::vector<Hypothesis>& found)
{
    if (context.names.layers < 2 || context.names.feed_forward == 0) {
        return;
    }
    const std::int64_t tokens = std::ranges::max_element(found, {}, &Hypothesis::score)->tokens;
    const Sides sides = sidesOf(context, observed, tokens);
    for (Hypothesis& h : found) {
        if (h.tokens != tokens || h.heads == 0) {
            continue;
        }
        const std::int64_t elements = h.tokens * h.sequence * h.heads;
        for (const std::int32_t element : {4, 2}) {
            h.score += sides.both.contains(elements * element) ? kSideBonus : 0;
        }
        const bool is_denied = context.regime == Regime::full && sides.one.contains(elements * 4);
        h.score -= is_denied ? kSideBonus : 0;
    }
}

} // namespace

std::int64_t headStatistics(const ReadingContext& context, const Hypothesis& h)
{
    const std::int64_t bytes = h.tokens * h.heads * 4;
    const std::int64_t count = context.sizes.countOf(bytes);
    if (h.heads == 0 || count < context.layers()) {
        return 0;
    }
    auto readings = readingsOfTokens(context, h.tokens);
    const auto others = readingsOfSequence(context, h.tokens, h.sequence, 0);
    readings.insert(readings.end(), others.begin(), others.end());
    const bool is_other = std::ranges::any_of(
        readings, [bytes](const Reading& r) { return r.bytes == bytes && r.prior >= kExplains; });
    return is_other ? 0 : count;
}

double usualHeads(std::int64_t heads, const ReadingContext& context)
{
    if (heads < kFewestHeads || heads > kMostHeads) {
        return 0;
    }
    const std::int64_t hidden = context.view.hidden;
    const bool divides = hidden > 0 && hidden % heads == 0;
    std::vector<std::int64_t> widths;
    if (divides) {
        widths.push_back(hidden / heads);
    } else {
        // Some models give their heads a width of their own; then another width of a weight has it.
        for (const auto& [width, of] : context.widths) {
            if (of.factor == Factor::number && of.prior >= 1 && width % heads == 0
                && std::ranges::find(kOwnHeadWidths, width / heads) != kOwnHeadWidths.end()) {
                widths.push_back(width / heads);
            }
        }
    }
    double usual = 0;
    for (const std::int64_t width : widths) {
        if (width < kNarrowestHead || width > kWidestHead) {
            continue;
        }
        const auto is_in = [width](const auto& list) {
            return std::ranges::find(list, width) != list.end();
        };
        usual = std::max(usual,
                         !divides                          ? kHeadsOfOwnWidth
                             : is_in(kMostUsualHeadWidths) ? kMostUsualHeads
                             : is_in(kUsualHeadWidths)     ? kUsualHeads
                                                           : kPossibleHeads);
    }
    return usual;
}

std::vector<Hypothesis> findShapes(const ReadingContext& context, const SizeScore& score,
                                   const std::vector<RowCount>& rows, const Observed& observed,
                                   std::int64_t& readings)
{
    std::vector<Hypothesis> found;
    for (const RowCount& row : rows) {
        tryShapes(context, score, row, found, readings);
    }
    sortBest(found);
    found.resize(std::min(found.size(), kMostHypotheses));
    if (found.empty()) {
        return found;
    }
    addRarity(context, score, found, readings);
    const OrderEvidence order = findOrder(observed, context.sizes, context.widths);
    for (Hypothesis& h : found) {
        h.score += kSquareBonus * order.forSequence(h.sequence, context.layers());
        h.score += kMaximaBonus * order.forHeads(h.tokens, h.heads, h.sequence, context.layers());
        if (context.regime == Regime::narrow) {
            h.score += kAfterCopyWeight * (order.forTokens(h.tokens, context.widths) - kUndecided);
        }
        const auto table = context.view.factors.find(h.sequence);
        const bool has_table = table != context.view.factors.end() && table->second == 1;
        h.score += has_table ? kPositionTableBonus : 0;
    }
    addSides(context, observed, found);
    sortBest(found);
    return found;
}

} // namespace tidemark::program
