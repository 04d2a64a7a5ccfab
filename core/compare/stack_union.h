// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/curves/stack_tree.h"

#include <cstdint>
#include <vector>

namespace tidemark::compare {

/// What one run has of a call.
struct CallShare {
    std::int64_t bytes = 0; ///< 0: it has no such call.
    std::int64_t count = 0; ///< Allocations.
    AllocationId largest;
};

/// The calls of two runs as one tree. Its `bytes` are widths: a call is as wide as in the run that
/// has more of it, and at least as wide as what it calls.
struct StackUnion {
    curves::StackTree tree;
    std::vector<CallShare> a; ///< Per node.
    std::vector<CallShare> b;

    [[nodiscard]] std::int64_t delta(std::uint32_t node) const
    {
        return b[node].bytes - a[node].bytes;
    }
};

/// Calls are one where their names are, below the same callers; what is left over is one where its
/// function is, whatever file and line it moved to. O(nodes · children of one).
StackUnion uniteStacks(const curves::StackTree& a, const curves::StackTree& b);

} // namespace tidemark::compare
