// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <vector>

namespace tidemark::diagnose {

struct Facts;
struct BlockWeights;

/// What needs a saved activation once the weights are frozen and adapters are trained beside them.
enum class InputUse : std::uint8_t {
    other, ///< Something else needs it, too.
    adapted, ///< The layer that reads it may have an adapter.
    frozen, ///< Only the gradient of a weight needed it.
};

/// Per allocation. Only the gradients of weights need the inputs of linear layers, and what a norm
/// that is written out multiplies its weight with. Adapters lie on the layers that read a norm's
/// result, so the inputs of these stay; a norm shows by the statistics per row beside it.
/// O(allocations · sizes of weights).
std::vector<InputUse> inputUses(const Facts& facts, const BlockWeights& weights);

} // namespace tidemark::diagnose
