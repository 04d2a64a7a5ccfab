// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/size_readings.h"
#include "core/program/solution.h"

#include <string>

namespace tidemark::program {

/// What speaks for a transformer, whose dimensions the search assumes. Shares are 0 to 1.
struct Structure {
    double divided_share = 0; ///< Of the bytes of repeated matrices: those that hidden divides.
    double convolution_share = 0; ///< Of the same bytes: 3 × 3 kernels between channels.
    double explained_share = 0; ///< Of the evidence of sizes: what products explain.
    /// Rows of hidden, and rows of another width of the layers' weights, per layer.
    double hidden_rows_per_layer = 0;
    double width_rows_per_layer = 0;
    double feed_forward_rows_per_layer = 0; ///< Of feed-forward, once or twice as wide.
    double widest = 0; ///< Other side of a matrix that every layer has, times hidden.
    double vectors_per_layer = 0; ///< Weights with hidden elements: each layer has two norms.
    double matrices_per_layer = 0; ///< With hidden as a side.
    std::int64_t hidden = 0;
    std::int64_t feed_forward = 0; ///< Wider than hidden; 0: none.
    std::int64_t sizes = 0; ///< Distinct ones that are not tiny.
    std::int64_t layers = 0;
    bool has_rows = false; ///< Activations were seen at all.
    bool are_layers_said = false; ///< Then one is enough.
};

/// O(sizes · widths), bounded.
Structure findStructure(const WeightSet& weights, const Solution& solution,
                        const SizeReadings& readings);

/// Why the weights do not show dimensions; empty: they do.
std::string doubtOfWeights(const Structure& structure);
/// Why the activations do not show rows; empty: they do.
std::string doubtOfRows(const Structure& structure);

} // namespace tidemark::program
