// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/agreement.h"

#include "core/program/constants.h"
#include "core/program/stated_constants.h"

#include <algorithm>

namespace tidemark::program {
namespace {

/// Whether hidden or a width of a weight that holds for one is a whole number of times this value.
bool isPartOfWidth(std::int64_t value, const Solution& s)
{
    return s.view.hidden % value == 0 || std::ranges::any_of(s.view.factors, [&](const auto& of) {
               return of.first != s.names.vocabulary && of.first % value == 0;
           });
}

/// Whether some matrix is there once or several times a layer, up to a few where there are many.
bool repeats(std::int64_t layers, const Solution& s)
{
    return layers == 0 || std::ranges::any_of(s.view.factors, [layers](const auto& of) {
               const bool is_uneven = layers >= kFewestUnevenLayers && of.second > layers;
               return of.second % layers == 0 || (is_uneven && of.second % layers <= kUnevenLayers);
           });
}

/// Whether the weights have the widths that were said.
bool haveWidths(const Solution& s)
{
    using enum DimensionName;
    const Said& said = s.said;
    const auto isWidth = [&s](std::int64_t value) {
        return value == 0 || value == s.view.hidden || s.view.factors.contains(value);
    };
    const auto isPart = [&s](std::int64_t value) { return value == 0 || isPartOfWidth(value, s); };
    // One expert's width is a part of that of all of them, which are one matrix.
    return isWidth(said.of(vocabulary)) && isWidth(said.of(kv_width))
        && (said.of(rank) == 1 || isWidth(said.of(rank))) && isPart(said.of(feed_forward))
        && isPart(said.of(heads)) && isPart(said.of(head_width)) && repeats(said.of(layers), s);
}

} // namespace

bool agrees(const Solution& said, const Structure& of_said, const Solution& without,
            const Structure& of_without)
{
    if (!said.said.isPossible()) {
        return false;
    }
    const bool weights_show = doubtOfWeights(of_without).empty();
    if (weights_show && (!doubtOfWeights(of_said).empty() || !haveWidths(said))) {
        return false;
    }
    if (!without.has_activity || without.hypotheses.empty()) {
        return true;
    }
    if (said.hypotheses.empty()) {
        return false;
    }
    const bool rows_show = weights_show && doubtOfRows(of_without).empty();
    const double lost = of_without.explained_share - of_said.explained_share;
    return !rows_show || (doubtOfRows(of_said).empty() && lost <= kMostLost);
}

} // namespace tidemark::program
