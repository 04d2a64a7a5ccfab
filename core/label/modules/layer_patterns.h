// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/id.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace tidemark::label {

/// Something that a forward pass made: where, and how much.
struct MadeThing {
    StackId stack;
    std::int64_t bytes = 0;
};

/// Recurring stacks of one part of a model: an anchor that opens every block, and all that belongs
/// to it.
struct LayerPattern {
    StackId anchor;
    std::uint32_t per_layer = 1; ///< How often the anchor occurs in one block.
    std::size_t at = 0; ///< Where the anchor first occurs in the sequence.
    std::size_t end = 0; ///< One past the last thing that belongs to a block.
    std::size_t things = 0; ///< That the first block makes.
    std::unordered_set<StackId> members;
};

/// How patterns are searched.
struct PatternSearch {
    bool is_cut = false; ///< The pass was cut off, so the last block may lack what it makes last.
    /// How often the first of what recurs may turn out to open no block, as two embeddings that
    /// are made side by side do not.
    int tries = 0;
};

/// The patterns of one pass, in order. Each is the number of blocks whose stacks (those that
/// recur a multiple of that number of times) hold the most bytes beside the first block's.
/// O(things · candidates), recursively between the patterns found.
std::vector<LayerPattern> findLayerPatterns(std::span<const MadeThing> made, PatternSearch search);

/// Of the bytes between the first and the last block of the largest pattern, the share that
/// belongs to its stacks. 0 without patterns.
double shareOfLayers(std::span<const MadeThing> made, std::span<const LayerPattern> patterns);

} // namespace tidemark::label
