// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/size_readings.h"

#include "core/program/constants.h"

#include <algorithm>

namespace tidemark::program {
namespace {

bool isAttention(const Reading& r)
{
    return isSquare(r.expression) && growthOf(r.expression).batch == 1
        && r.expression.factors[1] == Factor::heads;
}

bool isFeedForward(const Reading& r)
{
    return r.expression.factors[0] == Factor::tokens
        && r.expression.factors[1] == Factor::feed_forward;
}

bool isOfOtherHeads(const Reading& r)
{
    return isSquare(r.expression) && r.expression.factors[1] == Factor::number;
}

void markSure(const Solution& s, SizeReadings& found)
{
    for (const auto& of_size : found.of) {
        const std::int64_t bytes = of_size.first;
        const std::vector<Reading>& readings = of_size.second;
        const SizeGroup* const group = s.sizes.find(bytes);
        if (group == nullptr || group->count < s.context().layers()) {
            continue;
        }
        const double best = readings.front().prior;
        const auto any = [&readings](auto holds) { return std::ranges::any_of(readings, holds); };
        if (bytes >= kSmallestMatrixBytes && !group->is_weight_sized && any([](const Reading& r) {
                return isAttention(r) && r.expression.element_bytes > 1;
            })
            && !any([](const Reading& r) {
                   return !isSquare(r.expression) && r.prior >= kStillPossible;
               })) {
            found.surely_attention.insert(bytes);
        }
        if (any([](const Reading& r) { return isFeedForward(r) && r.expression.element_bytes > 1; })
            && !any([best](const Reading& r) {
                   return isSquare(r.expression)
                       && r.prior >= std::max(kStillPossible, best - kAboutAsGood);
               })) {
            found.surely_feed_forward.insert(bytes);
        }
    }
}

/// Rows that would be attention matrices under another number of heads, which no evidence chose: in
/// fused attention nothing shows it.
void addOtherHeads(const Solution& s, SizeReadings& found)
{
    const Hypothesis best = s.best();
    if (best.sequence < kShortestSequence || s.said.has(DimensionName::heads)) {
        return;
    }
    for (const Reading& row : readingsOfTokens(s.context(), best.tokens)) {
        const std::int32_t element = row.expression.element_bytes;
        const std::int64_t unit = best.tokens * best.sequence * element;
        if (element == 1 || row.expression.factors[1] == Factor::none || row.prior < kExplains
            || row.bytes < kSmallestOtherMatrix || row.bytes % unit != 0
            || s.sizes.find(row.bytes) == nullptr) {
            continue;
        }
        const std::int64_t heads = row.bytes / unit;
        if (heads != best.heads && usualHeads(heads, s.context()) > kUsualEnough) {
            const Expression e{{Factor::batch, Factor::number, Factor::sequence, Factor::sequence},
                               heads,
                               element};
            auto& readings = found.of[row.bytes];
            const bool is_known =
                std::ranges::any_of(readings, [&e](const Reading& r) { return r.expression == e; });
            if (!is_known) {
                readings.push_back({row.bytes, e, kExplains});
            }
        }
    }
}

void sortAndPrune(std::vector<Reading>& readings)
{
    std::ranges::stable_sort(readings, std::greater<>(), &Reading::prior);
    const double least = readings.front().prior - kFarLessLikely;
    std::erase_if(readings,
                  [least](const Reading& r) { return r.prior < least && !isOfOtherHeads(r); });
}

bool isUnclear(std::int64_t bytes, const std::vector<Reading>& readings, const Solution& s)
{
    if (bytes < kSmallestMatrixBytes) {
        return false;
    }
    bool has_square = false;
    bool has_row = false;
    bool is_row_of_hidden = false;
    const double best = readings.front().prior;
    for (const Reading& r : readings) {
        const bool counts = r.prior >= std::min(kSurePrior, best - kAboutAsGood)
            || (r.prior >= kStillPossible && isOfOtherHeads(r));
        if (!counts || growthOf(r.expression).batch != 1) {
            continue;
        }
        has_square = has_square || isSquare(r.expression);
        has_row = has_row || !isSquare(r.expression);
    }
    const std::int64_t tokens = s.best().tokens;
    for (const std::int64_t width : {s.view.hidden, s.names.kv_width}) {
        is_row_of_hidden = is_row_of_hidden
            || (width > 0 && (bytes == tokens * width * 4 || bytes == tokens * width * 2));
    }
    return has_square && has_row && (!is_row_of_hidden || isSquare(readings.front().expression));
}

} // namespace

bool isSquare(const Expression& expression)
{
    return growthOf(expression).sequence == 2;
}

std::vector<Reading> allReadings(const Solution& s, const Hypothesis& h)
{
    if (h.tokens == 0) {
        return {};
    }
    auto all = readingsOfTokens(s.context(), h.tokens);
    const auto shapes = readingsOfSequence(s.context(), h.tokens, h.sequence, h.heads);
    all.insert(all.end(), shapes.begin(), shapes.end());
    return all;
}

SizeReadings readSizes(const Solution& s, const std::set<std::int64_t>& others, Effort& effort)
{
    SizeReadings found;
    const std::vector<Reading> all = allReadings(s, s.best());
    effort.readings += static_cast<std::int64_t>(all.size());
    for (const Reading& reading : all) {
        if (s.sizes.find(reading.bytes) != nullptr || others.contains(reading.bytes)) {
            found.of[reading.bytes].push_back(reading);
        }
    }
    for (auto& [bytes, readings] : found.of) {
        std::ranges::stable_sort(readings, std::greater<>(), &Reading::prior);
    }
    markSure(s, found);
    if (found.surely_attention.empty()) {
        addOtherHeads(s, found);
    }
    for (auto& [bytes, readings] : found.of) {
        sortAndPrune(readings);
        if (isUnclear(bytes, readings, s)) {
            found.unclear.insert(bytes);
        }
    }
    return found;
}

} // namespace tidemark::program
