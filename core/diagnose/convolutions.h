// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts.h"

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// One layer of a network that convolves.
struct ConvolutionLayer {
    double weight = 0; ///< Bytes.
    double gradient = 0; ///< Of the weight; nothing where that is frozen.
    double output = 0; ///< Bytes of what it makes.
    double kept = 0; ///< Bytes it keeps for backward: its output, that of a norm or what follows.
};

/// The layers of a network whose first forward was cut off. Those that ran show how much one keeps
/// per byte of output; weights and the vectors made after each tell the channels of the others.
/// Assumed: layers run in the order in which their weights were made, and where the channels double
/// the area falls to a quarter, as in ResNet, VGG and their like. Networks whose
/// end is narrow again make pictures: nothing is said of these.
struct Convolutions {
    std::vector<ConvolutionLayer> layers; ///< Empty where it cannot be told.
    /// The same if the area only halved, so that all outputs stay as large: the upper end.
    std::vector<ConvolutionLayer> widest;
    double made = 0; ///< Bytes that the pass had added, the failed request included.
    bool copies_weights = false; ///< Each layer copies its weight into another layout in passing.
    bool copies_outputs = false; ///< And what it makes.

    [[nodiscard]] bool isKnown() const
    {
        return !layers.empty();
    }
};
/// Whether it was made by a convolution.
bool isConvolution(const Facts& facts, AllocationId allocation);

/// `pass` is a first one, cut off in forward. O(allocations).
Convolutions findConvolutions(const Facts& facts, const Pass& pass);

/// The most that such a pass needs at once beyond what was there before it: layers' outputs times
/// `scale`, gradients of weights times `gradients`. From the last layer to the first backward has
/// what the layers before it kept, the gradients so far, and those of the layer's output and input.
double largestOfPass(const Convolutions& convolutions, const std::vector<ConvolutionLayer>& layers,
                     double scale, double gradients);

} // namespace tidemark::diagnose
