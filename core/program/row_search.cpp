// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/row_search.h"

#include "core/program/constants.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tidemark::program {
namespace {

using Votes = std::map<std::int64_t, double>;

void vote(Votes& votes, std::int64_t bytes, std::int64_t unit, double weight)
{
    if (unit > 0 && bytes % unit == 0) {
        const std::int64_t tokens = bytes / unit;
        if (tokens > 1 && tokens <= kMostTokens) {
            votes[tokens] += weight;
        }
    }
}

Votes votesOf(const ReadingContext& context, const SizeScore& score)
{
    Votes votes;
    for (const SizeGroup& g : score.sizes()) {
        for (const std::int32_t element : {8, 4}) {
            vote(votes, g.bytes, element, g.evidence);
        }
        for (const auto& [width, of] : context.widths) {
            const double trust = of.is_derived ? kDerivedPrior : 1;
            vote(votes, g.bytes, width * 4, g.evidence * trust);
            vote(votes, g.bytes, width * 2, g.evidence * trust);
            vote(votes, g.bytes, width, g.evidence * trust);
        }
    }
    for (const std::int64_t bytes : context.sizes.inputs()) {
        vote(votes, bytes, 8, kInputVote);
    }
    return votes;
}

} // namespace

std::vector<RowCount> findRowCounts(const ReadingContext& context, const SizeScore& score)
{
    const Votes votes = votesOf(context, score);
    std::vector<std::pair<std::int64_t, double>> ranked;
    for (const auto& [tokens, weight] : votes) {
        if (context.said.allowsTokens(tokens)) {
            ranked.emplace_back(tokens, weight);
        }
    }
    if (const std::int64_t only = context.said.tokens(); ranked.empty() && only > 1) {
        ranked.emplace_back(only, 0);
    }
    std::ranges::stable_sort(ranked, std::greater<>(), &std::pair<std::int64_t, double>::second);
    ranked.resize(std::min(ranked.size(), kMostVoted));
    std::vector<RowCount> rows;
    for (const auto& [tokens, weight] : ranked) {
        RowCount row{tokens, 0, score.nothing()};
        score.explain(row.explained, readingsOfTokens(context, tokens));
        row.score =
            score.total(row.explained) + (context.sizes.isInput(tokens * 8) ? kInputRowsBonus : 0);
        rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows, [](const RowCount& a, const RowCount& b) {
        return a.score != b.score ? a.score > b.score : a.tokens < b.tokens;
    });
    rows.resize(std::min(rows.size(), kMostRowCounts));
    return rows;
}

std::int64_t vocabularyInLogits(const ReadingContext& context, const std::vector<RowCount>& rows)
{
    // 384 numbers of 4 bytes are 768 of 2: a row that a layer's width explains as well tells
    // nothing.
    const WeightNames& names = context.names;
    const auto isRowOfLayer = [&](std::int64_t bytes) {
        return std::ranges::any_of(
            std::array{context.view.hidden, names.feed_forward, names.kv_width},
            [bytes](std::int64_t width) { return bytes == 4 * width || bytes == 2 * width; });
    };
    std::int64_t vocabulary = 0;
    for (std::size_t i = 0; i < std::min(rows.size(), kRowCountsForLogits); ++i) {
        const std::int64_t unit = rows[i].tokens;
        const std::int64_t hidden_rows = context.sizes.countOf(unit * context.view.hidden * 4)
            + context.sizes.countOf(unit * context.view.hidden * 2);
        const auto most = std::max(kMostLogits, static_cast<double>(hidden_rows) / kRowsPerLogits);
        for (const std::int64_t factor : context.names.once) {
            for (const std::int32_t element : {4, 2}) {
                const std::int64_t count = context.sizes.countOf(unit * factor * element);
                if (count > 0 && static_cast<double>(count) <= most
                    && !isRowOfLayer(factor * element)) {
                    vocabulary = std::max(vocabulary, factor);
                }
            }
        }
    }
    // Where something smaller looks like logits, a table of positions for example, the embedding
    // that is there twice, in and out, is the vocabulary all the same.
    const std::int64_t largest = context.names.once.empty() ? 0 : context.names.once.back();
    const auto tables = context.view.factors.find(largest);
    return tables != context.view.factors.end() && tables->second == 2 * context.names.copies
        ? largest
        : vocabulary;
}

} // namespace tidemark::program
