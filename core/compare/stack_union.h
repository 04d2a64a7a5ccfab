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

/// The calls of two runs as one tree. Its `bytes` are widths: what changed in a call itself, up or
/// down, and in all that it calls. What is equal has no width.
struct StackUnion {
    curves::StackTree tree;
    std::vector<CallShare> a; ///< Per node.
    std::vector<CallShare> b;
    std::int64_t equal = 0; ///< Bytes that both runs have in the same calls.

    [[nodiscard]] std::int64_t delta(std::uint32_t node) const
    {
        return b[node].bytes - a[node].bytes;
    }
};

/// Calls are one where their names are, below the same callers; what is left over is one where its
/// function is, whatever file and line it moved to. O(nodes · children of one).
StackUnion uniteStacks(const curves::StackTree& a, const curves::StackTree& b);

} // namespace tidemark::compare
