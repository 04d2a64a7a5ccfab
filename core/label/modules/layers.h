// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"
#include "core/label/labels.h"
#include "core/label/runs/passes.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <vector>

namespace tidemark::label {

/// One repeated block of a model in one pass.
struct Layer {
    std::uint32_t pass = 0;
    std::uint32_t number = 0; ///< 0-based, in the order of the forward pass.
    StateId forward_begin;
    StateId forward_end;
    /// When the backward pass reaches it: all that was saved behind it has been used. The end of
    /// the trace where it never did.
    StateId backward_begin;
    AllocationId output; ///< The last thing saved in it, the input of the next one.
    std::int64_t saved_bytes = 0; ///< Alive until backward, without the output.
    std::int64_t largest_bytes = 0; ///< Largest single allocation of its forward.
};

/// The repeated block structure of a model, found in the sequence of allocating stacks of its
/// forward passes.
struct Layers {
    std::vector<Layer> layers; ///< By pass, then number.
    std::vector<std::int32_t> of; ///< Per allocation: index into `layers`, −1 outside of all.
    std::uint32_t count = 0; ///< Blocks of the longest pass; 0 if nothing repeats.

    [[nodiscard]] const Layer* layerOf(AllocationId a) const
    {
        const std::int32_t i = of[a.index()];
        return i < 0 ? nullptr : &layers[static_cast<std::size_t>(i)];
    }
};

/// Finds n, the number of blocks, as the count whose stacks (those that recur a multiple of n
/// times) hold the most saved bytes that checkpointing n blocks would free, per training pass.
/// O(allocations log).
Layers findLayers(const replay::DeviceReplay& replay, const DeviceLabels& labels,
                  const std::vector<Pass>& passes, const std::vector<std::int32_t>& pass_of);

} // namespace tidemark::label
