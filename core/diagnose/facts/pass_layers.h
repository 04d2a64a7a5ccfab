// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <vector>

namespace tidemark::diagnose {

/// One layer with a weight.
struct PlannedLayer {
    double weight = 0; ///< Bytes.
    double gradient = 0; ///< Of the weight; nothing where that is frozen.
    double output = 0; ///< Bytes of what it makes.
    /// Bytes kept for backward from its call to the next one's: its output, that of a norm or what
    /// follows.
    double kept = 0;
};

/// The layers of a network whose first forward was cut off: those that ran as seen, the others as
/// their weights tell.
struct PassLayers {
    std::vector<PlannedLayer> layers; ///< In the order in which they run. Empty: not known.
    std::vector<PlannedLayer> widest; ///< The same at the upper end.
    double made = 0; ///< Bytes that the pass had added, the failed request included.
    bool copies_weights = false; ///< Each layer copies its weight into another layout in passing.
    bool copies_outputs = false; ///< And what it makes.

    [[nodiscard]] bool isKnown() const
    {
        return !layers.empty();
    }
};

/// `pass` is a first one, cut off in forward. The layers that ran show how much one keeps per byte
/// of output; weights and the vectors made after each tell the channels of the others.
/// Assumed: layers run in the order in which their weights were made, and where the channels double
/// the area falls to a quarter, as in ResNet, VGG and their like; at the upper end it only halves,
/// so that all outputs stay as large. Nothing is said of networks whose end is narrow again, as
/// those that make pictures. O(allocations).
PassLayers findConvolutions(const Facts& facts, const Pass& pass);

/// The most that such a pass needs at once beyond what was there before it, where a change
/// multiplies what layers make and keep by `outputs`, and gradients of weights. From the last layer
/// to the first backward has what the layers before it kept, the gradients so far, and those of the
/// layer's output and input.
double largestOfPass(const PassLayers& pass_layers, const std::vector<PlannedLayer>& layers,
                     double outputs, double gradients);

} // namespace tidemark::diagnose
