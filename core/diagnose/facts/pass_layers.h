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
    double matrices = 0; ///< Bytes of attention matrices among that.
    /// Bytes of the largest of them: backward makes two gradients beside it, when what is kept of
    /// what was made later is gone.
    double matrix = 0;
    double kept_after_matrix = 0; ///< Bytes of that.
};

/// The largest weight that no layer has multiplied with: words, or what sorts into them.
struct LmHead {
    double columns = 0; ///< Its words; 0: there is none, or a layer like it has run.
    double rows = 0; ///< Of the layer that ran last.
    double width = 0; ///< Bytes of an element of what is computed.
    double token = 0; ///< Bytes of a number of 8 bytes, in the unit of the weights.
};

/// The layers of a network whose first forward was cut off: those that ran as seen, the others as
/// their weights tell.
struct PassLayers {
    std::vector<PlannedLayer> layers; ///< In the order in which they run. Empty: not known.
    std::vector<PlannedLayer> widest; ///< The same at the upper end.
    double made = 0; ///< Bytes that the pass had added, the failed request included.
    double made_matrices = 0; ///< Of attention matrices among those.
    bool copies_weights = false; ///< Each layer copies its weight into another layout in passing.
    bool copies_outputs = false; ///< And what it makes.
    std::vector<StateId> begins; ///< Of the linear layers that ran, in their order.
    double kept_of_open = 0; ///< What the last of them keeps so far; it may come to be more.
    LmHead table; ///< Of such a network.

    [[nodiscard]] bool isKnown() const
    {
        return !layers.empty();
    }
};

/// Bytes that a pass has added until the moment, the request that failed there included.
double addedBy(const Facts& facts, const Pass& pass);

/// The plan of a first pass through linear layers that was cut off in forward. Weights that no call
/// has used are still to come: one of a size that ran keeps as much as that did; one with both
/// sides doubled half as much, as the rows fall to a quarter where pictures get coarser; any other
/// one keeps per byte of output what the rest did. At the upper end one and a half times as much,
/// and rows do not fall. Not known where the calls are not sure. As `findLinearCalls`.
PassLayers findLinearLayers(const Facts& facts, const Pass& pass);

/// `pass` is a first one, cut off in forward. The layers that ran show how much one keeps per byte
/// of output; weights and the vectors made after each tell the channels of the others.
/// Assumed: layers run in the order in which their weights were made, and where the channels double
/// the area falls to a quarter, as in ResNet, VGG and their like; at the upper end it only halves,
/// so that all outputs stay as large. Nothing is said of networks whose end is narrow again, as
/// those that make pictures. O(allocations).
PassLayers findConvolutions(const Facts& facts, const Pass& pass);

/// What a change multiplies parts of such a pass by.
struct PassFactors {
    double matrices = 1; ///< Of attention, and their gradients.
    double outputs = 1; ///< All else that layers make and keep.
    double gradients = 1; ///< Of weights.
};

/// The most that such a pass needs at once beyond what was there before it. From the last layer to
/// the first backward has what the layers before it kept, the gradients so far, and those of the
/// layer's output and input, or of the attention matrix that it kept.
double largestOfPass(const PassLayers& pass_layers, const std::vector<PlannedLayer>& layers,
                     const PassFactors& factors);

} // namespace tidemark::diagnose
