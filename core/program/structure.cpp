// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/program/structure.h"

#include "core/base/language.h"
#include "core/program/constants.h"
#include "core/program/stated_constants.h"

#include <algorithm>

namespace tidemark::program {
namespace {

double dividedShare(const WeightSet& weights, const WeightView& view)
{
    double matrices = 0;
    double divided = 0;
    const std::int64_t largest = weights.counts.empty() ? 0 : weights.counts.rbegin()->first;
    for (const auto& [bytes, count] : weights.counts) {
        if (count >= 2 && bytes > largest / kSmallestMatrixShare) {
            const double all = static_cast<double>(bytes) * static_cast<double>(count);
            const std::int64_t elements = bytes / view.element_bytes;
            matrices += all;
            divided += view.hidden > 0 && elements % view.hidden == 0 ? all : 0;
        }
    }
    return matrices > 0 ? divided / matrices : 0;
}

/// Whether a size is a product of two vectors' lengths and so many elements.
bool isProductOfVectors(std::int64_t elements, std::int64_t kernel, const WeightView& view)
{
    return elements % kernel == 0 && std::ranges::any_of(view.vectors, [&](const auto& of) {
               const std::int64_t other = elements / kernel / of.first;
               return of.first * other * kernel == elements && view.vectors.contains(other);
           });
}

double widestOf(const Solution& s)
{
    std::int64_t widest = 0;
    for (const auto& [factor, count] : s.view.factors) {
        widest = count >= s.context().layers() ? std::max(widest, factor) : widest;
    }
    return s.view.hidden > 0 ? static_cast<double>(widest) / static_cast<double>(s.view.hidden) : 0;
}

double matricesPerLayer(const Solution& s)
{
    const std::int64_t layers = s.context().layers() * s.names.copies;
    std::int64_t repeated = 0;
    for (const auto& [factor, count] : s.view.factors) {
        repeated += factor >= kFewestElements && count >= layers ? count : 0;
    }
    return static_cast<double>(repeated) / static_cast<double>(layers);
}

double convolutionShare(const WeightSet& weights, const WeightView& view)
{
    double matrices = 0;
    double convolutions = 0;
    const std::int64_t largest = weights.counts.empty() ? 0 : weights.counts.rbegin()->first;
    for (const auto& [bytes, count] : weights.counts) {
        const std::int64_t elements = bytes / view.element_bytes;
        if (count >= 2 && bytes > largest / kSmallestMatrixShare) {
            const double all = static_cast<double>(bytes) * static_cast<double>(count);
            matrices += all;
            convolutions += isProductOfVectors(elements, kKernelElements, view)
                    && !isProductOfVectors(elements, 1, view)
                ? all
                : 0;
        }
    }
    return matrices > 0 ? convolutions / matrices : 0;
}

/// Attention with its projections is four matrices a layer, and a feed-forward is wider than
/// hidden; split over devices it may be narrower, but then layers are many. A perceptron repeats
/// one matrix, two towers are two stacks of a few.
bool hasLayersOfTransformer(const Structure& s)
{
    return s.feed_forward > 0
        ? s.matrices_per_layer >= kFewestMatrices
        : s.matrices_per_layer >= kFewestMatricesAlone && s.layers >= kFewestLayersAlone;
}

} // namespace

Structure findStructure(const WeightSet& weights, const Solution& s, const SizeReadings& readings)
{
    Structure found;
    found.layers = s.names.layers;
    found.are_layers_said = s.said.has(DimensionName::layers);
    found.divided_share = dividedShare(weights, s.view);
    found.convolution_share = convolutionShare(weights, s.view);
    found.widest = widestOf(s);
    found.hidden = s.view.hidden;
    found.feed_forward = s.names.feed_forward;
    found.matrices_per_layer = matricesPerLayer(s);
    found.has_rows = s.best().tokens > 0;
    double evidence = 0;
    for (const SizeGroup& g : s.sizes.strongest()) {
        const auto* const of = readings.find(g.bytes);
        evidence += g.evidence;
        found.explained_share +=
            g.evidence * std::max(g.explained, of == nullptr ? 0.0 : of->front().prior);
        found.sizes += g.bytes >= kSmallestTelling ? 1 : 0;
    }
    found.explained_share = evidence > 0 ? found.explained_share / evidence : 0;
    const std::int64_t tokens = s.best().tokens;
    const auto rowsOf = [&](std::int64_t width) {
        return static_cast<double>(std::max(s.sizes.countOf(tokens * width * 4),
                                            s.sizes.countOf(tokens * width * 2)))
            / static_cast<double>(s.context().layers());
    };
    found.hidden_rows_per_layer = s.view.hidden > 0 ? rowsOf(s.view.hidden) : 0;
    for (const auto& [width, of] : s.widths) {
        if (width != s.view.hidden && of.factor != Factor::vocabulary) {
            found.width_rows_per_layer = std::max(found.width_rows_per_layer, rowsOf(width));
        }
    }
    const std::int64_t wide = s.names.feed_forward;
    found.feed_forward_rows_per_layer = wide > 0 ? std::max(rowsOf(wide), rowsOf(2 * wide)) : 0;
    const auto vectors = s.view.vectors.find(s.view.hidden);
    found.vectors_per_layer = vectors == s.view.vectors.end() ? 0
                                                              : static_cast<double>(vectors->second)
            / static_cast<double>(s.context().layers() * s.names.copies);
    return found;
}

std::string doubtOfWeights(const Structure& s)
{
    if (s.layers < 2 && !s.are_layers_said) {
        return say("No weights repeat, so no layers were found.");
    }
    if (s.divided_share < kFewestDivided) {
        return say("Weight matrices share no dimension.");
    }
    if (s.widest < kLeastWidest) {
        return say("Layer matrices are far narrower than their shared dimension.");
    }
    if (s.hidden < kNarrowestHidden || !hasLayersOfTransformer(s)) {
        return say("Layer matrices do not match attention and feed-forward.");
    }
    if (s.convolution_share > kMostConvolutions) {
        return say("Many of the weights are convolutions.");
    }
    if (s.vectors_per_layer < kFewestNorms) {
        return say("Layers have no norms of one width, as transformers do.");
    }
    return {};
}

std::string doubtOfRows(const Structure& s)
{
    if (!s.has_rows || s.hidden_rows_per_layer < kFewestRowsPerLayer
        || s.width_rows_per_layer < kFewestRowsPerLayer) {
        return say("Activations share no row count across layers.");
    }
    if (s.explained_share < kFewestExplained) {
        return say("Too many sizes are not products of common dimensions.");
    }
    return {};
}

} // namespace tidemark::program
