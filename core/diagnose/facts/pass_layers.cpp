// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/pass_layers.h"

#include <algorithm>
#include <cstddef>

namespace tidemark::diagnose {

double addedBy(const Facts& facts, const Pass& pass)
{
    return static_cast<double>(facts.replay.activeAt(facts.moment.state).value
                               + facts.moment.requested.value
                               - facts.replay.activeAt(pass.forward.begin).value);
}

double largestOfPass(const PassLayers& pass_layers, const std::vector<PlannedLayer>& layers,
                     const PassFactors& factors)
{
    const auto keptBy = [&](const PlannedLayer& layer) {
        return layer.matrices * factors.matrices + (layer.kept - layer.matrices) * factors.outputs;
    };
    double kept = 0;
    for (const PlannedLayer& layer : layers) {
        kept += keptBy(layer);
    }
    double largest = kept;
    double made = 0; // gradients of weights
    for (std::size_t l = layers.size(); l-- > 0;) {
        const double output = layers[l].output * factors.outputs;
        const double input = l > 0 ? layers[l - 1].output * factors.outputs : 0;
        // A 16-bit copy, say, which lies behind as well.
        const double narrower =
            std::min(layers[l].kept_after_matrix, layers[l].matrices - layers[l].matrix);
        const double beside_matrix = (2 * layers[l].matrix - narrower) * factors.matrices
            - (layers[l].kept_after_matrix - narrower) * factors.outputs;
        largest = std::max(largest, kept + std::max(2 * output, beside_matrix) + made);
        kept -= keptBy(layers[l]);
        made += layers[l].gradient * factors.gradients;
        largest = std::max(largest,
                           kept + made + (pass_layers.copies_weights ? layers[l].weight : 0)
                               + (output + input) * (pass_layers.copies_outputs ? 2 : 1));
    }
    return largest;
}

} // namespace tidemark::diagnose
