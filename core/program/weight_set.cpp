// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/weight_set.h"

#include "core/program/constants.h"
#include "core/program/cublas_workspaces.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tidemark::program {
namespace {

std::int64_t squareRoot(std::int64_t value)
{
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
    while (root * root > value) {
        --root;
    }
    while ((root + 1) * (root + 1) <= value) {
        ++root;
    }
    return root;
}

bool isVectorLength(std::int64_t elements)
{
    return kFewestElements <= elements && elements <= kMostVectorElements;
}

/// Elements → how many, of the sizes that hold most bytes: a bounded number.
Counts elementsOf(const WeightSet& weights, std::int32_t width)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> all; // bytes of all, bytes of one
    for (const auto& [bytes, count] : weights.counts) {
        if (bytes % width == 0 && bytes > 0) {
            all.emplace_back(bytes * count, bytes);
        }
    }
    if (all.size() > kMostWeightSizes) {
        std::ranges::sort(all, std::greater<>());
        all.resize(kMostWeightSizes);
    }
    Counts elements;
    for (const auto& [sum, bytes] : all) {
        elements[bytes / width] = weights.counts.at(bytes);
    }
    return elements;
}

/// Which of the sizes are matrices, and what each is worth.
struct Parts {
    Counts elements;
    Counts matrices; ///< What is not tiny beside the largest.
    std::int64_t vector_count = 0;
    double total = 0; ///< Elements of all weights.
};

Parts partsOf(const WeightSet& weights, std::int32_t width)
{
    Parts parts;
    parts.elements = elementsOf(weights, width);
    parts.total = static_cast<double>(weights.total_bytes) / width;
    const std::int64_t largest = weights.counts.rbegin()->first;
    for (const auto& [elements, count] : parts.elements) {
        if (elements * width > largest / kSmallestMatrixShare) {
            parts.matrices[elements] = count;
        } else if (isVectorLength(elements)) {
            parts.vector_count += count;
        }
    }
    return parts;
}

std::set<std::int64_t> candidates(const Parts& parts, const Said& said)
{
    std::set<std::int64_t> lengths;
    if (said.has(DimensionName::hidden)) {
        lengths.insert(said.of(DimensionName::hidden));
        return lengths;
    }
    for (const auto& [elements, count] : parts.elements) {
        if (isVectorLength(elements)) {
            lengths.insert(elements);
        }
    }
    for (const auto& [elements, count] : parts.matrices) {
        const std::int64_t root = squareRoot(elements);
        if (root * root == elements && root >= kFewestElements) {
            lengths.insert(root);
        }
    }
    return lengths;
}

/// How well `d` is the hidden size, 0 to about 3: the share of bytes in matrices that it divides,
/// the share of matrix sizes, a square matrix of it, the share of vectors that have its length.
double scoreOf(std::int64_t d, std::int32_t width, const Parts& parts)
{
    double divided = 0;
    double sizes = 0;
    double divided_sizes = 0;
    for (const auto& [elements, count] : parts.matrices) {
        if (elements <= 2 * d) {
            continue;
        }
        sizes += 1;
        if (elements % d == 0) {
            divided_sizes += 1;
            divided += elements / d >= kFewestRows
                ? static_cast<double>(elements) * static_cast<double>(count)
                : 0;
        }
    }
    if (sizes == 0) {
        return -1;
    }
    const auto found = parts.elements.find(d);
    const double vectors = found == parts.elements.end() ? 0
                                                         : static_cast<double>(found->second)
            / static_cast<double>(std::max<std::int64_t>(1, parts.vector_count));
    return divided / parts.total + kSharedSizesWeight * divided_sizes / sizes
        + (parts.elements.contains(d * d) ? kSquareMatrixWeight : 0)
        + kVectorWeight * std::min(1.0, vectors)
        + (width == kFullPrecisionBytes ? kFullPrecisionBonus : 0);
}

std::vector<std::int32_t> elementWidths(const WeightSet& weights, const Said& said)
{
    if (said.has(DimensionName::element_bytes)) {
        return {static_cast<std::int32_t>(said.of(DimensionName::element_bytes))};
    }
    if (weights.element_bytes > 0) {
        return {weights.element_bytes};
    }
    return {4, 2};
}

WeightView viewOf(const WeightSet& weights, std::int64_t d, std::int32_t width, double score)
{
    WeightView view;
    view.hidden = d;
    view.element_bytes = width;
    view.score = score;
    for (const auto& [bytes, count] : weights.counts) {
        const std::int64_t elements = bytes / width;
        if (bytes % width != 0) {
            continue;
        }
        if (elements > d && elements % d == 0) {
            view.factors[elements / d] += count;
        }
        if (isVectorLength(elements) && count >= 2) {
            view.vectors[elements] += count;
        }
    }
    return view;
}

/// Sizes of states; without an optimizer those of gradients, which activations have, too.
std::set<std::int64_t> trainedSizes(const Observed& o)
{
    std::set<std::int64_t> states;
    std::set<std::int64_t> gradients;
    for (std::size_t a = 0; a < o.count(); ++a) {
        if (o.kind[a] == Usage::state) {
            states.insert(o.size(a));
        } else if (o.kind[a] == Usage::gradient) {
            gradients.insert(o.size(a));
        }
    }
    return states.empty() ? gradients : states;
}

} // namespace

WeightSet findWeights(const Observed& o)
{
    WeightSet set;
    for (const Usage source : {Usage::weight, Usage::gradient, Usage::state}) {
        std::vector<std::size_t> members;
        std::int64_t bytes = 0;
        for (std::size_t a = 0; a < o.count(); ++a) {
            if (o.kind[a] == source && o.size(a) != kDefaultCublasWorkspace) {
                members.push_back(a);
                bytes += o.size(a);
            }
        }
        if (bytes < kFewestSetBytes) {
            continue;
        }
        set.source = source;
        set.element_bytes = o.element_bytes;
        set.trained = trainedSizes(o);
        set.is_order_seen = true;
        for (const std::size_t a : aliveAtMost(o, members)) {
            set.is_order_seen = set.is_order_seen && o.begin[a].index() > 0;
            set.order.push_back(o.size(a));
            ++set.counts[o.size(a)];
            set.total_bytes += o.size(a);
        }
        return set;
    }
    return set;
}

std::vector<WeightView> readWeights(const WeightSet& weights, const Said& said)
{
    std::vector<WeightView> views;
    if (weights.counts.empty()) {
        views.push_back(viewOf(weights, said.of(DimensionName::hidden),
                               elementWidths(weights, said).front(), 0));
        return views;
    }
    struct Scored {
        double score;
        std::int64_t d;
        std::int32_t width;
    };
    std::vector<Scored> scored;
    const bool is_said = said.has(DimensionName::hidden);
    for (const std::int32_t width : elementWidths(weights, said)) {
        const Parts parts = partsOf(weights, width);
        for (const std::int64_t d : candidates(parts, said)) {
            if (const double score = scoreOf(d, width, parts); score >= 0 || is_said) {
                scored.push_back({std::max(score, 0.0), d, width});
            }
        }
    }
    std::ranges::stable_sort(scored, [](const Scored& a, const Scored& b) {
        return a.score != b.score ? a.score > b.score : a.d > b.d;
    });
    for (const Scored& s : scored) {
        if (s.score < scored.front().score - kHiddenMargin || views.size() >= kMostHidden) {
            break;
        }
        views.push_back(viewOf(weights, s.d, s.width, s.score));
    }
    if (views.empty()) {
        views.emplace_back();
        views.back().element_bytes = elementWidths(weights, said).front();
    }
    return views;
}

} // namespace tidemark::program
