// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/solution.h"

#include "core/program/constants.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace tidemark::program {
namespace {

Solution solveOne(const Observed& observed, const WeightSet& weights, const WeightView& view,
                  const SizeTable& sizes, const Said& said, Regime regime, Effort& effort)
{
    Solution s{view, {}, said, nameWeights(weights, view, said), {}, sizes, regime, false, {}};
    s.widths = widthsOf(s.view, s.names);
    const SizeScore score(s.sizes);
    const std::vector<RowCount> rows = findRowCounts(s.context(), score);
    effort.readings +=
        static_cast<std::int64_t>(kMostVoted * (s.widths.size() + 1) * kReadingsPerWidth);
    if (s.names.once.size() > 1 && !said.has(DimensionName::vocabulary)) {
        if (const std::int64_t v = vocabularyInLogits(s.context(), rows); v > 0) {
            s.names.vocabulary = v;
            s.widths = widthsOf(s.view, s.names);
        }
    }
    s.hypotheses = findShapes(s.context(), score, rows, observed, effort.readings);
    effort.allocations += static_cast<std::int64_t>(observed.count());
    return s;
}

double jointScore(const Solution& s)
{
    return s.best().score + kWeightsInJoint * s.view.score;
}

} // namespace

Solution solve(const Observed& observed, const WeightSet& weights, const Said& said, Effort& effort)
{
    const std::vector<WeightView> views = readWeights(weights, said);
    std::map<std::int32_t, SizeTable> tables;
    std::optional<Solution> best;
    std::vector<double> scores; ///< By view.
    for (const WeightView& view : views) {
        scores.push_back(std::numeric_limits<double>::lowest());
        auto table = tables.find(view.element_bytes);
        if (table == tables.end()) {
            table =
                tables.emplace(view.element_bytes, SizeTable(observed, weights, view.element_bytes))
                    .first;
            effort.allocations += static_cast<std::int64_t>(observed.count());
        }
        for (const Regime regime : {Regime::narrow, Regime::full}) {
            if (regime == Regime::full && view.element_bytes < kFullPrecisionBytes) {
                continue; // What weights of 16 bits make has 16 bits, but for norms and losses.
            }
            Solution found = solveOne(observed, weights, view, table->second, said, regime, effort);
            scores.back() = std::max(scores.back(), jointScore(found));
            if (!best || jointScore(found) > jointScore(*best)) {
                best = std::move(found);
            }
        }
    }
    const auto made = std::ranges::count_if(best->sizes.groups(), [](const SizeGroup& g) {
        return g.byte_states > 0 && g.bytes >= kSmallestMatrixBytes;
    });
    best->has_activity = made > 0 && observed.stateCount() > 1;
    for (std::size_t i = 0; i < views.size(); ++i) {
        if (views[i].hidden != best->view.hidden
            || views[i].element_bytes != best->view.element_bytes) {
            best->other_views.push_back({views[i], jointScore(*best) - scores[i]});
        }
    }
    return std::move(*best);
}

Values valuesOf(const Solution& solution)
{
    const Hypothesis best = solution.best();
    const Said& said = solution.said;
    Values v;
    v.tokens = best.tokens > 0 ? best.tokens : said.tokens();
    v.sequence = best.sequence > 0 ? best.sequence : said.of(DimensionName::sequence);
    v.batch = best.sequence > 0 ? best.tokens / best.sequence : said.of(DimensionName::batch);
    v.heads = best.heads > 0 ? best.heads : said.of(DimensionName::heads);
    v.hidden = solution.view.hidden;
    v.feed_forward = solution.names.feed_forward;
    v.vocabulary = solution.names.vocabulary;
    v.kv_width = solution.names.kv_width;
    v.rank = solution.names.rank;
    return v;
}

} // namespace tidemark::program
