// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::curves {

/// What of the allocations is counted.
enum class StackMeasure : std::uint8_t {
    live, ///< Those that live in the last state of `range`.
    allocated, ///< Those that begin after its first state, up to the last.
    kept, ///< Of those, the ones that still live in the last.
    grown, ///< What a stack has more live in the last state than in the first.
};

struct StackTreeRequest {
    StackMeasure measure = StackMeasure::live;
    Interval<StateId> range; ///< First and last state; `live` looks at the last alone.
    bool begins_at_callers = true; ///< Else at the functions that allocate.
    /// Only the user's calls and those of a library's models, each once in a row; a stack without
    /// any is one call of its package. Else every frame.
    bool folds_libraries = true;
    std::uint32_t buckets = ~std::uint32_t{0}; ///< Bit i: bucket i counts.
};

/// One call, with all that it and what it calls allocated (or, from the other end, all that was
/// allocated through its callers).
struct StackNode {
    std::string name; ///< "model.py:41 Attention.forward", or of a folded package "torch".
    FrameId frame; ///< None of a folded package, and of "no stack".
    std::uint32_t parent = 0;
    std::vector<std::uint32_t> children; ///< Most bytes first.
    label::BucketBytes buckets{}; ///< Requested bytes.
    std::int64_t bytes = 0; ///< Their sum.
    std::int64_t count = 0; ///< Allocations.
    AllocationId largest; ///< Of those counted.
    bool is_library = false;
};

/// The first node stands for everything. Allocations without a stack have a node of their own,
/// "no stack recorded".
struct StackTree {
    std::vector<StackNode> nodes;
    std::vector<std::pair<StackId, std::uint32_t>> ends; ///< Where each stack that counts ends.
    /// 0: the stack does not count. O(log stacks).
    [[nodiscard]] std::uint32_t endOf(StackId stack) const;
    /// A call chain from the outermost node down to `node`, as flame graph tools read it:
    /// "main;train.py:4 step;torch" (Brendan Gregg's folded stacks, without the count).
    [[nodiscard]] std::string folded(std::uint32_t node) const;
};

/// Frames of the allocator, the unwinder and the interpreter are left out. O(allocations + frames
/// of the stacks that count). Requires labels.
StackTree stackTree(const trace::Snapshot& snapshot, const replay::DeviceReplay& replay,
                    const label::DeviceLabels& labels, const StackTreeRequest& request);

/// All allocations of the run, in the buckets that count, whose stacks lead through a call of a
/// tree that was made by the same request. O(allocations + frames of all stacks).
std::vector<AllocationId> allocationsThrough(const trace::Snapshot& snapshot,
                                             const replay::DeviceReplay& replay,
                                             const label::DeviceLabels& labels,
                                             const StackTreeRequest& request, const StackTree& tree,
                                             std::uint32_t node);

/// One line per chain that allocates something itself, with its bytes behind it, largest first:
/// what flamegraph.pl, speedscope and inferno take. Names hold no semicolons or line breaks.
std::string foldedStacks(const StackTree& tree);

} // namespace tidemark::curves
