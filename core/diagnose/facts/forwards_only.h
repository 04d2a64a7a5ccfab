// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/facts/facts.h"

#include <cstdint>

namespace tidemark::diagnose {

/// Forward passes one after the other with no backward between, as of scores, losses or features
/// that are computed with gradients on.
struct ForwardsOnly {
    std::uint32_t turns = 0; ///< Since the last backward; 0: none were told apart.
    std::uint32_t alive = 0; ///< Of them, those whose graphs live at the moment.
    std::int64_t bytes = 0; ///< Of those graphs.
    StackId stack; ///< Of theirs, the one that holds most.
};

/// Counted where frames of modules tell where a pass begins and a batch, made outside of them,
/// recurs as often: the layers of one pass recur as well. O(allocations).
ForwardsOnly findForwardsOnly(const Facts& facts);
/// Bytes live at the moment of the graph that a pass before the trace left to one that no backward
/// follows. O(allocations).
std::int64_t graphOfLastPass(const Facts& facts);
/// How many forward passes one pass with its backward is made of; at least 1. As above.
std::uint32_t forwardsOfPass(const Facts& facts, const Pass& pass);

} // namespace tidemark::diagnose
