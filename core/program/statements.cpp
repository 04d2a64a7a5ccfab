// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/statements.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/program/constants.h"
#include "core/program/stated_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace tidemark::program {
namespace {

/// How sure a value of the hypotheses is.
struct Margin {
    double gap = 0; ///< From the best score to that of the best hypothesis with another value.
    std::vector<Alternative> others; ///< Nearly as good, best first.
};

template <class Member>
Margin marginOf(const std::vector<Hypothesis>& hypotheses, Member valueOf)
{
    std::map<std::int64_t, double> best;
    for (const Hypothesis& h : hypotheses) {
        best.emplace(valueOf(h), h.score); // sorted: the first is the best
    }
    std::vector<std::pair<double, std::int64_t>> ranked;
    for (const auto& [value, score] : best) {
        ranked.emplace_back(score, value);
    }
    std::ranges::sort(ranked, std::greater<>());
    Margin margin;
    margin.gap = ranked.size() > 1 ? ranked[0].first - ranked[1].first : kNoRival;
    for (std::size_t i = 1; i < ranked.size() && margin.others.size() < kMostAlternatives; ++i) {
        const auto [score, value] = ranked[i];
        const double behind = ranked[0].first - score;
        if (behind < kAlternativeGap && value > 0) { // 0: not known.
            margin.others.push_back({value, 1 - behind / kAlternativeGap});
        }
    }
    return margin;
}

/// "163,840,000 B = tokens · vocabulary · 4 B (3 times)": the sizes with the largest shares whose
/// likeliest product has one of these factors.
std::string sizesWith(const SizeUses& uses, std::initializer_list<Factor> factors)
{
    std::string text;
    std::vector<std::int64_t> said;
    for (const SizeUse& use : uses.sizes) {
        if (isFixed(use.kind) || use.expressions.empty() || said.size() >= kMostEvidenceSizes
            || std::ranges::find(said, use.bytes) != said.end()) {
            continue;
        }
        const Expression& e = use.expressions.front();
        const bool has = std::ranges::any_of(
            factors, [&e](Factor f) { return std::ranges::find(e.factors, f) != e.factors.end(); });
        if (has) {
            text += fmt::format("{}{} = {} ({})", said.empty() ? "" : ", ",
                                formatExactBytes({use.bytes}), textOf(e),
                                sayCounted(use.count, "once", "{} times", formatCount(use.count)));
            said.push_back(use.bytes);
        }
    }
    return text;
}

class Stater {
public:
    Stater(const Solution& solution, const SizeUses& uses, const Structure& structure)
        : m_solution(solution)
        , m_uses(uses)
        , m_structure(structure)
    {
    }

    Statements state()
    {
        takeWhatWasSaid();
        m_said.unidentified = doubtOfWeights(m_structure);
        if (m_said.unidentified.empty() && m_solution.has_activity) {
            m_said.unidentified = doubtOfRows(m_structure);
        }
        if (!m_said.unidentified.empty()) {
            return std::move(m_said);
        }
        stateWeights();
        if (m_solution.has_activity) {
            stateRows();
        } else {
            note(say("No activations recorded, so batch and sequence are unknown"));
        }
        return std::move(m_said);
    }

private:
    /// With what follows from nothing else.
    void takeWhatWasSaid()
    {
        const Said& said = m_solution.said;
        for (std::size_t i = 0; i < kDimensionCount; ++i) {
            const auto name = static_cast<DimensionName>(i);
            add(name, said.of(name), 1, say("from a correction"));
        }
        using enum DimensionName;
        if (said.has(batch) && said.has(sequence)) {
            add(tokens, said.tokens(), 1, "batch · sequence");
        } else if (said.has(tokens) && said.has(sequence)) {
            add(batch, said.of(tokens) / said.of(sequence), 1, "tokens / sequence");
        } else if (said.has(tokens) && said.has(batch)) {
            add(sequence, said.of(tokens) / said.of(batch), 1, "tokens / batch");
        }
        if (said.has(hidden) && said.has(heads) && said.of(hidden) % said.of(heads) == 0) {
            add(head_width, said.of(hidden) / said.of(heads), 1, "hidden / heads");
        }
    }

    [[nodiscard]] const Dimension* stated(DimensionName name) const
    {
        const auto found = std::ranges::find(m_said.dimensions, name, &Dimension::name);
        return found == m_said.dimensions.end() ? nullptr : &*found;
    }

    /// Nothing that is not known, and nothing twice: what was said comes first.
    void add(DimensionName name, std::int64_t value, double confidence, std::string evidence,
             std::vector<Alternative> alternatives = {})
    {
        if (value > 0 && stated(name) == nullptr) {
            m_said.dimensions.push_back({name, value, std::clamp(confidence, 0.0, 1.0),
                                         std::move(evidence), std::move(alternatives)});
        }
    }

    [[nodiscard]] std::string matricesOf(std::int64_t factor) const
    {
        const auto found = m_solution.view.factors.find(factor);
        const std::int64_t count =
            found == m_solution.view.factors.end() ? 0 : found->second / m_solution.names.copies;
        return sayCounted(count, "{} matrix of {} × hidden", "{} matrices of {} × hidden",
                          formatCount(count), formatCount(factor));
    }

    void stateWeights()
    {
        const WeightView& view = m_solution.view;
        const WeightNames& names = m_solution.names;
        std::vector<Alternative> others;
        std::vector<Alternative> other_widths;
        double rival = 0; ///< 1: as good as this one.
        for (const OtherView& other : m_solution.other_views) {
            const double weight = 1 - other.behind / kAlternativeGap;
            if (weight <= 0) {
                continue;
            }
            rival = std::max(rival, weight);
            if (other.view.hidden != view.hidden) {
                others.push_back({other.view.hidden, weight});
            }
            if (other.view.element_bytes != view.element_bytes && other_widths.empty()) {
                other_widths.push_back({other.view.element_bytes, weight});
            }
        }
        const double confidence = std::min(1.0, view.score / kFullWeightScore) / (1 + rival);
        add(DimensionName::hidden, view.hidden, confidence,
            say("{} weight matrices have this dimension", formatPercent(m_structure.divided_share)),
            std::move(others));
        add(DimensionName::element_bytes, view.element_bytes, confidence,
            say("weight sizes are products of hidden and {} bytes", view.element_bytes),
            std::move(other_widths));
        std::vector<Alternative> other_layers;
        if (names.layers_alternative > 0 && names.layers_alternative != names.layers) {
            other_layers.push_back({names.layers_alternative, kOtherLayersWeight});
        }
        add(DimensionName::layers, names.layers, kLayersConfidence,
            say("the weights repeat {} times", formatCount(names.layers)), std::move(other_layers));
        stateFeedForward(confidence);
        stateVocabulary(confidence);
        if (names.kv_width > 0) {
            add(DimensionName::kv_width, names.kv_width, confidence * kKvConfidence,
                matricesOf(names.kv_width));
        }
    }

    /// That of all experts together is no dimension of the model.
    void stateFeedForward(double confidence)
    {
        const std::int64_t width = m_solution.names.feed_forward;
        const bool shows = m_solution.hypotheses.empty()
            || m_structure.feed_forward_rows_per_layer >= kFewestRowsPerLayer;
        if (shows && m_solution.names.experts == 0) {
            add(DimensionName::feed_forward, width, confidence, matricesOf(width));
        }
    }

    /// A table that is there once may as well be one of positions; logits tell, or a second one.
    void stateVocabulary(double confidence)
    {
        const std::int64_t words = m_solution.names.vocabulary;
        const std::string logits = sizesWith(m_uses, {Factor::vocabulary});
        const auto tables = m_solution.view.factors.find(words);
        const bool is_pair = tables != m_solution.view.factors.end()
            && tables->second == 2 * m_solution.names.copies;
        if ((!logits.empty() || is_pair) && words != m_solution.best().sequence) {
            add(DimensionName::vocabulary, words, confidence,
                matricesOf(words) + (logits.empty() ? "" : "; " + logits));
        }
    }

    void stateRows()
    {
        const Hypothesis best = m_solution.best();
        const auto& all = m_solution.hypotheses;
        const double trust = trustInRows();
        const auto sure = [trust](double gap) {
            return trust * std::min(1.0, kTieConfidence + gap * kGapConfidence);
        };
        const Margin tokens = marginOf(all, [](const Hypothesis& h) { return h.tokens; });
        add(DimensionName::tokens, best.tokens, sure(tokens.gap),
            say("{} of the evidence is products of it: {}",
                formatPercent(m_structure.explained_share), sizesWith(m_uses, {Factor::tokens})),
            tokens.others);
        Margin sequence = marginOf(all, [](const Hypothesis& h) { return h.sequence; });
        const Margin heads = marginOf(all, [](const Hypothesis& h) { return h.heads; });
        stateSequence(sequence, sure(sequence.gap));
        stateHeads(heads, sure(heads.gap));
    }

    [[nodiscard]] double trustInRows() const
    {
        const double explained = (m_solution.best().score - kNoTrustScore) / kTrustSpan;
        const double sizes = static_cast<double>(m_structure.sizes) / kEnoughSizes;
        return std::clamp(explained, 0.0, 1.0) * std::min(1.0, sizes);
    }

    void stateSequence(Margin& margin, double confidence)
    {
        const Hypothesis best = m_solution.best();
        if (m_solution.said.has(DimensionName::batch)
            || m_solution.said.has(DimensionName::sequence)) {
            const double rows = stated(DimensionName::tokens)->confidence;
            add(DimensionName::sequence, best.sequence, rows, "tokens / batch");
            add(DimensionName::batch, best.tokens / best.sequence, rows, "tokens / sequence");
            return;
        }
        const std::string shown = sizesWith(
            m_uses, {Factor::sequence, Factor::sequence_less_one, Factor::sequence_more_one});
        const double least =
            best.sequence < kUsualSequence ? kLeastShortSequenceGap : kLeastSequenceGap;
        if (margin.gap < least || shown.empty()) {
            note(say("Several ways to split the tokens into batch and sequence fit"));
            return;
        }
        add(DimensionName::sequence, best.sequence, confidence, shown, margin.others);
        for (Alternative& other : margin.others) {
            other.value = best.tokens / other.value;
        }
        add(DimensionName::batch, best.tokens / best.sequence, confidence, "tokens / sequence",
            margin.others);
    }

    [[nodiscard]] bool isInEachLayer(std::int64_t bytes) const
    {
        return m_solution.sizes.countOf(bytes) >= m_structure.layers;
    }
    /// Whether a size is also a product in which heads do not occur.
    [[nodiscard]] bool isOtherProduct(const Hypothesis& best, std::int64_t bytes) const
    {
        auto readings = readingsOfTokens(m_solution.context(), best.tokens);
        const auto others = readingsOfSequence(m_solution.context(), best.tokens, best.sequence, 0);
        readings.insert(readings.end(), others.begin(), others.end());
        return std::ranges::any_of(readings, [bytes](const Reading& r) {
            return r.bytes == bytes && r.prior >= kExplains;
        });
    }
    [[nodiscard]] std::int64_t statisticsOf(const Hypothesis& hypothesis) const
    {
        return headStatistics(m_solution.context(), hypothesis);
    }
    /// The most that another number of heads has, for the same rows.
    [[nodiscard]] std::int64_t otherStatistics(const Hypothesis& best) const
    {
        std::int64_t most = 0;
        for (const Hypothesis& h : m_solution.hypotheses) {
            if (h.tokens == best.tokens && h.sequence == best.sequence && h.heads != best.heads) {
                most = std::max(most, statisticsOf(h));
            }
        }
        return most;
    }
    /// Statistics per head show it, if no other number has more; attention matrices do, those that
    /// may be something else only where no statistics show another number.
    [[nodiscard]] bool isShown(const Hypothesis& best) const
    {
        const std::int64_t own = statisticsOf(best);
        if (own == 0 && stated(DimensionName::sequence) == nullptr) {
            return false; // Matrices show heads · sequence, and neither alone.
        }
        const std::int64_t elements = best.tokens * best.heads * best.sequence;
        bool has_matrices = false;
        bool is_sure = false;
        for (const std::int64_t bytes : {elements * 4, elements * 2}) {
            has_matrices = has_matrices || isInEachLayer(bytes);
            is_sure = is_sure || (isInEachLayer(bytes) && !isOtherProduct(best, bytes));
        }
        if (is_sure) {
            return true;
        }
        const std::int64_t others = otherStatistics(best);
        return own > 0 ? own >= others : has_matrices && others == 0;
    }

    void stateHeads(const Margin& margin, double confidence)
    {
        const Hypothesis best = m_solution.best();
        const std::string shown = sizesWith(m_uses, {Factor::heads});
        const bool is_said = m_solution.said.has(DimensionName::heads);
        if (!is_said
            && (best.heads == 0 || shown.empty() || margin.gap < kLeastHeadsGap
                || !isShown(best))) {
            note(say("No size shows the number of heads"));
            return;
        }
        add(DimensionName::heads, best.heads, confidence, shown, margin.others);
        confidence = is_said ? stated(DimensionName::hidden)->confidence : confidence;
        if (m_solution.view.hidden % best.heads == 0) {
            add(DimensionName::head_width, m_solution.view.hidden / best.heads, confidence,
                "hidden / heads");
        }
        const Dimension* const head = stated(DimensionName::head_width);
        if (const std::int64_t width = head == nullptr ? 0 : head->value;
            width > 0 && m_solution.names.kv_width % width == 0) {
            add(DimensionName::kv_heads, m_solution.names.kv_width / width,
                confidence * kKvConfidence, say("key-value width / head width"));
        }
    }

    void note(const std::string& sentence)
    {
        m_said.unidentified += m_said.unidentified.empty() ? "" : " ";
        m_said.unidentified += sentence;
        m_said.unidentified += '.';
    }

    const Solution& m_solution;
    const SizeUses& m_uses;
    const Structure& m_structure;
    Statements m_said;
};

} // namespace

Statements stateDimensions(const Solution& solution, const SizeUses& uses,
                           const Structure& structure)
{
    return Stater(solution, uses, structure).state();
}

} // namespace tidemark::program
