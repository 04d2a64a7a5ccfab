// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/readings.h"

#include "core/program/constants.h"

#include <algorithm>
#include <array>

namespace tidemark::program {
namespace {

using enum Factor;

/// Collects readings of one hypothesis.
class Collector {
public:
    Collector(const ReadingContext& context, const Values& values)
        : m_context(context)
        , m_values(values)
        , m_narrow(context.narrowPrior())
    {
    }

    void add(std::array<Factor, 4> factors, std::int32_t element, double prior,
             std::int64_t number = 0)
    {
        const Expression e{factors, number, element};
        const std::int64_t bytes = valueOf(e, m_values);
        if (bytes > 0 && prior > 0) {
            m_readings.push_back({bytes, e, prior});
        }
    }
    /// In 4 bytes with one prior, in 2 with another that the regime scales.
    void addBoth(std::array<Factor, 4> factors, double full, double narrow, std::int64_t number = 0)
    {
        add(factors, 4, full, number);
        add(factors, 2, narrow * m_narrow, number);
    }
    /// The same, but hardly believed where the size is made more often than `limit` times.
    void addFew(std::array<Factor, 4> factors, std::int32_t element, double prior, double limit)
    {
        const std::int64_t bytes = valueOf(Expression{factors, 0, element}, m_values);
        const auto count = static_cast<double>(m_context.sizes.countOf(bytes));
        const bool is_often = count > std::max(kAlwaysFew, limit);
        add(factors, element, is_often ? prior * kTooOften : prior);
    }
    [[nodiscard]] std::int64_t countOf(std::array<Factor, 4> factors, std::int32_t element) const
    {
        return m_context.sizes.countOf(valueOf(Expression{factors, 0, element}, m_values));
    }
    /// Of those, how many are saved for a backward pass.
    [[nodiscard]] std::int64_t savedOf(std::array<Factor, 4> factors, std::int32_t element) const
    {
        const SizeGroup* const group =
            m_context.sizes.find(valueOf(Expression{factors, 0, element}, m_values));
        return group == nullptr ? 0 : group->saved;
    }
    [[nodiscard]] double narrow() const
    {
        return m_narrow;
    }
    std::vector<Reading> take()
    {
        return std::move(m_readings);
    }

private:
    const ReadingContext& m_context;
    const Values& m_values;
    double m_narrow;
    std::vector<Reading> m_readings;
};

Values valuesOf(const ReadingContext& context, std::int64_t tokens, std::int64_t sequence,
                std::int64_t heads)
{
    Values v;
    v.tokens = tokens;
    v.sequence = sequence;
    v.batch = sequence > 0 ? tokens / sequence : 0;
    v.heads = heads;
    v.hidden = context.view.hidden;
    v.feed_forward = context.names.feed_forward;
    v.vocabulary = context.names.vocabulary;
    v.kv_width = context.names.kv_width;
    v.rank = context.names.rank;
    return v;
}

/// How often a tensor without a batch may be made: a quarter as often as rows of hidden, and L · L
/// no more often than the attention matrices it is added to.
struct UnbatchedLimits {
    double any = 0;
    double square = 0;
};

UnbatchedLimits limitsOf(const Collector& c, bool has_heads)
{
    UnbatchedLimits limits;
    limits.any =
        static_cast<double>(c.countOf({tokens, hidden}, 4) + c.countOf({tokens, hidden}, 2))
        / kRowsPerUnbatched;
    limits.square = limits.any;
    if (has_heads) {
        const std::int64_t full = c.countOf({batch, heads, sequence, sequence}, 4);
        const std::int64_t matrices =
            full > 0 ? full : c.countOf({batch, heads, sequence, sequence}, 2);
        if (matrices > 0) {
            limits.square = std::min(limits.any, static_cast<double>(matrices));
        }
    }
    return limits;
}

/// A mask of the matrices' shape needs matrices, and a backward pass needs no more masks than
/// matrices.
bool mayBeMasked(const Collector& c, bool has_matrices)
{
    constexpr std::array kMatrix{batch, heads, sequence, sequence};
    const std::int64_t matrices = c.savedOf(kMatrix, 4) + c.savedOf(kMatrix, 2);
    return has_matrices && c.savedOf(kMatrix, 1) <= matrices;
}

void addSquares(Collector& c, const UnbatchedLimits& limits, std::int64_t length, bool has_heads)
{
    struct Element {
        std::int32_t bytes;
        double prior;
    };
    const bool has_matrices = c.countOf({batch, heads, sequence, sequence}, 4) > 0
        || (c.narrow() > kFullRegimeNarrowPrior
            && c.countOf({batch, heads, sequence, sequence}, 2) > 0);
    const bool may_be_masked = mayBeMasked(c, has_matrices);
    if (has_heads) {
        c.add({batch, heads, sequence, sequence}, 8, has_matrices ? kLongMatrixPrior : 0);
    }
    for (const Element e : {Element{4, kMatrixPrior}, Element{2, kMatrixPrior * c.narrow()},
                            Element{1, kByteMatrixPrior}}) {
        if (has_heads) {
            c.add({batch, heads, sequence, sequence}, e.bytes,
                  e.bytes > 1 || may_be_masked ? e.prior : kByteMatrixAlone);
        }
        if (length >= kShortestSequence) {
            c.add({batch, sequence, sequence}, e.bytes, e.prior * kMaskPerSample);
            c.addFew({sequence, sequence}, e.bytes, e.bytes > 1 ? e.prior : kByteMaskPrior,
                     limits.square);
        }
    }
}

bool hasMatrices(const Collector& c)
{
    return c.countOf({batch, heads, sequence, sequence}, 4) > 0
        || c.countOf({batch, heads, sequence, sequence}, 2) > 0;
}

void addPerHead(Collector& c, const UnbatchedLimits& limits)
{
    c.addBoth({tokens, heads}, kHeadStatisticsPrior, kNarrowHeadStatisticsPrior);
    c.add({tokens, heads}, 8,
          c.countOf({tokens, heads}, 4) > 0 && hasMatrices(c) ? kHeadIndicesPrior
                                                              : kHeadIndicesAlone);
    // Where keys are normalised per head, so are queries.
    const bool has_queries = c.countOf({tokens, heads}, 4) > 0;
    c.add({tokens, kv_heads}, 4, has_queries ? kKvHeadStatisticsPrior : kKvHeadsAlone);
    // Rotary embedding's inverse frequencies, and the range that they are computed of.
    c.add({half_head_width}, 4, kRotaryPrior);
    c.add({half_head_width}, 8, kRotaryPrior);
    for (const Factor width : {head_width, half_head_width}) {
        c.addFew({sequence, width}, 4, kRotaryPrior, limits.any);
        c.addFew({sequence, width}, 2, kNarrowRotaryPrior * c.narrow(), limits.any);
        c.add({tokens, width}, 4, kRotaryPerTokenPrior);
    }
}

void addPositions(Collector& c, std::int64_t layers)
{
    const auto twice = static_cast<double>(2 * layers);
    const auto half = static_cast<double>(layers / 2);
    c.addFew({sequence}, 8, kPositionsPrior, twice);
    c.addFew({sequence}, 4, kNarrowPositionsPrior, twice);
    c.addFew({sequence, hidden}, 4, kPositionRowsPrior, half);
    c.addFew({sequence, hidden}, 2, kNarrowPositionRowsPrior * c.narrow(), half);
    const auto rows =
        static_cast<double>(c.countOf({tokens, hidden}, 4) + c.countOf({tokens, hidden}, 2));
    for (const Factor width : {half_hidden, half_kv_width}) {
        c.addFew({tokens, width}, 4, kHalfRowPrior, rows * kHalvesPerRow);
        c.addFew({tokens, width}, 2, kNarrowHalfRowPrior * c.narrow(), rows * kHalvesPerRow);
    }
}

void addPerSample(Collector& c, std::int64_t samples)
{
    c.add({batch}, 8, kSamplesPrior);
    c.add({batch}, 4, kSamplesPrior);
    if (samples > 1) {
        c.addBoth({batch, hidden}, kPerSamplePrior, kNarrowPerSamplePrior);
    }
    c.addBoth({batch, vocabulary}, kPerSamplePrior, kNarrowLastLogitsPrior);
    for (const Factor length : {sequence_less_one, sequence_more_one}) {
        c.add({batch, length}, 8, kShiftedIdsPrior);
        c.add({batch, length}, 4, kShiftedStatisticsPrior);
        c.addBoth({batch, length, vocabulary}, kShiftedLogitsPrior, kNarrowShiftedLogitsPrior);
    }
}

} // namespace

double ReadingContext::narrowPrior() const
{
    return regime == Regime::narrow ? kNarrowRegimeNarrowPrior : kFullRegimeNarrowPrior;
}

std::vector<Reading> readingsOfTokens(const ReadingContext& context, std::int64_t rows)
{
    const Values values = valuesOf(context, rows, 0, 0);
    Collector c(context, values);
    const bool is_often =
        context.sizes.countOf(rows * 8) > std::max<std::int64_t>(kManyIds, context.layers());
    c.add({tokens}, 8, is_often ? kFrequentIdsPrior : 1);
    c.addBoth({tokens}, 1, kNarrowStatisticsPrior);
    c.add({tokens}, 1, kByteRowPrior);
    for (const auto& [width, of] : context.widths) {
        c.addBoth({tokens, of.factor}, of.prior, of.prior, width);
        const bool is_main = of.factor == hidden || of.factor == feed_forward;
        c.add({tokens, of.factor}, 1, of.prior * (is_main ? kDropoutMaskPrior : kByteWidthPrior),
              width);
    }
    return c.take();
}

std::vector<Reading> readingsOfSequence(const ReadingContext& context, std::int64_t rows,
                                        std::int64_t length, std::int64_t head_count)
{
    const Values values = valuesOf(context, rows, length, head_count);
    Collector c(context, values);
    const UnbatchedLimits limits = limitsOf(c, head_count > 0);
    addSquares(c, limits, length, head_count > 0);
    if (head_count > 0) {
        addPerHead(c, limits);
    }
    addPositions(c, context.layers());
    addPerSample(c, values.batch);
    return c.take();
}

Expression attentionMatrix(std::int32_t element_bytes)
{
    return {{batch, heads, sequence, sequence}, 0, element_bytes};
}

} // namespace tidemark::program
