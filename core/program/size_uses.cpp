// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/size_uses.h"

#include "core/program/constants.h"
#include "core/program/sides.h"
#include "core/program/stated_constants.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace tidemark::program {
namespace {

/// What tells uses of one size apart.
struct UseKey {
    std::int64_t bytes = 0;
    Usage kind = Usage::unknown;
    Side side = Side::unknown;
    bool is_between_passes = false; ///< Only asked of what is as large as a weight.
    friend auto operator<=>(const UseKey&, const UseKey&) = default;
};

TensorKind whatOf(Usage kind)
{
    switch (kind) {
    case Usage::weight:
        return TensorKind::weight;
    case Usage::gradient:
        return TensorKind::gradient;
    case Usage::state:
        return TensorKind::state;
    case Usage::workspace:
        return TensorKind::workspace;
    case Usage::communication:
        return TensorKind::communication;
    default:
        return TensorKind::unknown;
    }
}

TensorKind whatOf(const Expression& e)
{
    using enum Factor;
    const auto has = [&e](Factor f) { return std::ranges::find(e.factors, f) != e.factors.end(); };
    if (isSquare(e)) {
        return has(heads) || has(number) ? TensorKind::attention_matrix : TensorKind::mask;
    }
    if (has(vocabulary)) {
        return TensorKind::logits;
    }
    const bool is_shifted = has(sequence_less_one) || has(sequence_more_one);
    if ((is_shifted || e.factors[0] == tokens) && e.factors[is_shifted ? 2 : 1] == none) {
        return e.element_bytes == 8 ? TensorKind::token_ids : TensorKind::row_statistics;
    }
    if (has(tokens)) {
        return has(heads)                                  ? TensorKind::row_statistics
            : has(hidden)                                  ? TensorKind::hidden_state
            : has(feed_forward) || has(twice_feed_forward) ? TensorKind::feed_forward
                                                           : TensorKind::projection;
    }
    return has(sequence) ? TensorKind::positions : TensorKind::per_sample;
}

/// A weight that has one row per position grows with the sequence, as do its gradient and state.
bool isPositionTable(std::int64_t bytes, std::int32_t element, const Solution& s)
{
    const std::int64_t length = s.best().sequence;
    const auto factor = s.view.factors.find(length);
    return length > 0 && factor != s.view.factors.end() && factor->second == 1
        && length != s.names.feed_forward && length != s.names.vocabulary
        && length != s.names.kv_width && length != s.view.hidden
        && bytes == length * s.view.hidden * element;
}

bool isSizedAsWeight(Usage kind)
{
    return kind == Usage::weight || kind == Usage::gradient || kind == Usage::state;
}

bool isWeightOf(const Solution& s, std::int64_t elements)
{
    return elements == s.view.hidden || s.view.vectors.contains(elements)
        || (elements % s.view.hidden == 0 && s.view.factors.contains(elements / s.view.hidden));
}

/// What is as large as a weight of 4 or of 2 bytes an element. A multiple of the hidden size that
/// no weight has is none: so is any bucket of gradients, by chance.
std::vector<Expression> expressionsOfCopy(std::int64_t bytes, const Solution& s)
{
    std::vector<Expression> found;
    for (const std::int32_t element : {4, 2}) {
        const auto e = expressionOfWeight(bytes, element, s);
        if (e && isWeightOf(s, bytes / element)) {
            found.push_back(*e);
        }
    }
    return found;
}

/// The one in the weights' own width where there is one.
std::vector<Expression> expressionsOfCompanion(std::int64_t bytes, const Solution& s)
{
    std::vector<Expression> found = expressionsOfCopy(bytes, s);
    const auto own = std::ranges::find(found, s.view.element_bytes, &Expression::element_bytes);
    return own == found.end() ? found : std::vector<Expression>{*own};
}

/// Bytes → how a size of them grows under other hypotheses.
using RivalGrowths = std::unordered_map<std::int64_t, std::vector<Growth>>;

/// Of the hypotheses that are stated as alternatives, all that a size may be there. A size that is
/// no product under one of them tells nothing there.
RivalGrowths growthsUnderRivals(const Solution& s)
{
    RivalGrowths growths;
    const Hypothesis best = s.best();
    const std::size_t most = std::min(s.hypotheses.size(), kMostRivals + 1);
    for (std::size_t i = 1; i < most; ++i) {
        const Hypothesis& rival = s.hypotheses[i];
        if (rival.score < best.score - kAlternativeGap) {
            break;
        }
        const std::vector<Reading> readings = allReadings(s, rival);
        std::unordered_map<std::int64_t, double> best_of;
        for (const Reading& reading : readings) {
            double& prior = best_of[reading.bytes];
            prior = std::max(prior, reading.prior);
        }
        for (const Reading& reading : readings) {
            const double least = std::max(kExplains, best_of[reading.bytes] - kAboutAsGood);
            if (reading.prior >= least && s.sizes.find(reading.bytes) != nullptr) {
                growths[reading.bytes].push_back(growthOf(reading.expression));
            }
        }
    }
    return growths;
}

/// Readings of what follows the batch or the sequence, best first, with the copy of a weight among
/// them where it may be one.
class UseReader {
public:
    UseReader(const Solution& solution, const SizeReadings& readings)
        : m_solution(solution)
        , m_readings(readings)
        , m_rivals(growthsUnderRivals(solution))
    {
    }

    [[nodiscard]] SizeUse read(const UseKey& key) const
    {
        SizeUse use = readExpressions(key);
        for (const Expression& e : use.expressions) {
            addGrowth(use, growthOf(e));
        }
        const auto rivals = m_rivals.find(key.bytes);
        if (!isFixed(key.kind) && !use.growths.empty() && rivals != m_rivals.end()) {
            for (const Growth growth : rivals->second) {
                const bool is_square = growth.sequence == 2;
                if (key.side == Side::unknown || is_square == (key.side == Side::attention)) {
                    addGrowth(use, growth);
                }
            }
        }
        return use;
    }

private:
    static void addGrowth(SizeUse& use, const Growth& growth)
    {
        if (std::ranges::find(use.growths, growth) == use.growths.end()) {
            use.growths.push_back(growth);
        }
    }

    [[nodiscard]] SizeUse readExpressions(const UseKey& key) const
    {
        SizeUse use;
        use.bytes = key.bytes;
        use.kind = key.kind;
        use.what = whatOf(key.kind);
        if (key.kind == Usage::weight) {
            if (const auto e =
                    expressionOfWeight(key.bytes, m_solution.view.element_bytes, m_solution)) {
                use.expressions.push_back(*e);
            }
        }
        if (use.expressions.empty() && isSizedAsWeight(key.kind)) {
            use.expressions = expressionsOfCompanion(key.bytes, m_solution);
        }
        if (isFixed(key.kind)) {
            return use;
        }
        const std::vector<Reading> readings = readingsOf(key);
        for (const Reading& r : readings) {
            use.expressions.push_back(r.expression);
        }
        if (!readings.empty()) {
            const bool is_copy = growthOf(use.expressions.front()) == Growth{};
            use.what = is_copy ? TensorKind::weight_copy : whatOf(use.expressions.front());
        }
        return use;
    }

    [[nodiscard]] std::vector<Reading> readingsOf(const UseKey& key) const
    {
        std::vector<Reading> readings;
        if (const auto* const found = m_readings.find(key.bytes)) {
            readings = *found;
        }
        if (m_solution.sizes.isWeightSized(key.bytes)) {
            addCopy(readings, key);
        }
        if (key.side != Side::unknown) {
            std::vector<Reading> of_side;
            for (const Reading& r : readings) {
                if (isSquare(r.expression) == (key.side == Side::attention)) {
                    of_side.push_back(r);
                }
            }
            if (!of_side.empty()) {
                return of_side;
            }
        }
        return readings;
    }

    void addCopy(std::vector<Reading>& readings, const UseKey& key) const
    {
        std::vector<Reading> copies;
        for (const Expression& e : expressionsOfCopy(key.bytes, m_solution)) {
            copies.push_back({key.bytes, e, kNarrowCopy});
        }
        const bool is_unlikely_row = readings.empty() || readings.front().prior < kExplains;
        const bool is_first = is_unlikely_row || key.is_between_passes;
        if (is_unlikely_row || key.kind != Usage::saved) {
            readings.insert(is_first ? readings.begin() : readings.end(), copies.begin(),
                            copies.end());
        }
    }

    const Solution& m_solution;
    const SizeReadings& m_readings;
    RivalGrowths m_rivals;
};

void sortByShare(SizeUses& uses)
{
    std::vector<std::uint32_t> order(uses.sizes.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&uses](std::uint32_t a, std::uint32_t b) {
        const SizeUse& x = uses.sizes[a];
        const SizeUse& y = uses.sizes[b];
        return x.share != y.share ? x.share > y.share : x.bytes > y.bytes;
    });
    std::vector<std::uint32_t> place(order.size());
    std::vector<SizeUse> ranked;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        place[order[i]] = i;
        ranked.push_back(std::move(uses.sizes[order[i]]));
    }
    uses.sizes = std::move(ranked);
    for (std::uint32_t& of : uses.size_of) {
        of = place[of];
    }
}

} // namespace

std::optional<Expression> expressionOfWeight(std::int64_t bytes, std::int32_t element,
                                             const Solution& s)
{
    const std::int64_t hidden = s.view.hidden;
    if (hidden == 0 || bytes % element != 0) {
        return std::nullopt;
    }
    if (isPositionTable(bytes, element, s)) {
        return Expression{{Factor::sequence, Factor::hidden}, 0, element};
    }
    const std::int64_t elements = bytes / element;
    if (elements == hidden) {
        return Expression{{Factor::hidden}, 0, element};
    }
    if (elements == hidden * hidden) {
        return Expression{{Factor::hidden, Factor::hidden}, 0, element};
    }
    if (elements > hidden && elements % hidden == 0) {
        const std::int64_t factor = elements / hidden;
        const auto width = s.widths.find(factor);
        return Expression{
            {width == s.widths.end() ? Factor::number : width->second.factor, Factor::hidden},
            factor,
            element};
    }
    if (const auto width = s.widths.find(elements); width != s.widths.end()) {
        return Expression{{width->second.factor}, elements, element};
    }
    return std::nullopt;
}

SizeUses findUses(const Observed& o, std::span<const Request> failed, const Solution& s,
                  const SizeReadings& readings)
{
    SizeUses uses;
    const UseReader reader(s, readings);
    const std::vector<Side> sides = findSides(o, s, readings);
    std::map<UseKey, std::uint32_t> known;
    uses.size_of.reserve(o.count());
    double total = 0;
    for (std::size_t a = 0; a < o.count(); ++a) {
        UseKey key{o.size(a), o.kind[a], Side::unknown, false};
        if (!isFixed(key.kind)) {
            key.side = sides.empty() ? Side::unknown : sides[a];
            key.is_between_passes = s.sizes.isWeightSized(key.bytes) && o.isMadeBetweenPasses(a);
        }
        const auto [at, is_new] = known.emplace(key, static_cast<std::uint32_t>(uses.sizes.size()));
        if (is_new) {
            uses.sizes.push_back(reader.read(key));
            if (o.isShard(key.kind)) {
                uses.sizes.back().bytes = o.bytes[a].value;
                uses.sizes.back().expressions.clear(); // They give the bytes of the whole.
            }
        }
        SizeUse& use = uses.sizes[at->second];
        const double byte_states =
            static_cast<double>(o.bytes[a].value) * static_cast<double>(o.life(a));
        ++use.count;
        use.share += byte_states;
        total += byte_states;
        uses.size_of.push_back(at->second);
    }
    for (SizeUse& use : uses.sizes) {
        use.share = total > 0 ? use.share / total : 0;
        uses.explained_share += use.expressions.size() == 1 ? use.share : 0;
    }
    sortByShare(uses);
    for (const Request& request : failed) {
        uses.failed.push_back(reader.read({request.bytes, request.kind, Side::unknown, false}));
    }
    return uses;
}

} // namespace tidemark::program
