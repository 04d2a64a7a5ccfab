// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/block_weights.h"
#include "core/diagnose/facts/facts.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

/// One call of a layer.
struct LayerCall {
    std::size_t weight = 0; ///< In the order of creation.
    StateId begin;
    std::int64_t rows = 0;
    double output = 0; ///< Bytes.
};

/// The linear layers of a pass that were called.
struct LinearCalls {
    /// All of the model but adapters, in the order in which they were made.
    std::vector<LayerWeight> weights;
    std::vector<LayerCall> calls; ///< In their order; those of convolutions among them as well.
    std::int64_t weight_width = 4; ///< Bytes of an element of a weight.
    std::int64_t width = 4; ///< Of what is computed: half of it under autocast.
    /// Two at least, most are no convolutions, none is recurrent, few use a weight again.
    bool is_sure = false;

    /// Of the last call; 0 without one.
    [[nodiscard]] double rows() const
    {
        return calls.empty() ? 0 : static_cast<double>(calls.back().rows);
    }
};

/// A call is known by its frame, and its weight by sizes: rows × inputs went in shortly before,
/// rows × outputs come out, and the weight has inputs × outputs. How wide an element is shows where
/// the sizes agree most often. O(allocations of the pass · sizes of weights · widths).
LinearCalls findLinearCalls(const DeviceRun& run, const Precision& precision, const Pass& pass);
inline LinearCalls findLinearCalls(const Facts& facts, const Pass& pass)
{
    return findLinearCalls(facts, facts, pass);
}

} // namespace tidemark::diagnose
