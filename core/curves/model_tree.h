// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/label/modules/module_paths.h"
#include "core/label/modules/module_places.h"
#include "core/program/program.h"
#include "core/replay/replay.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidemark::curves {

/// A part of the model with all that lies below it.
struct ModelNode {
    std::string name; ///< "model.py:39 › Linear", "layers.*.attn"; of one size what it is.
    std::uint32_t parent = 0; ///< Index into the nodes; of those at the top the first.
    std::vector<std::uint32_t> children; ///< Most bytes first.
    label::BucketBytes bytes{}; ///< Requested.
    std::int64_t total = 0; ///< Sum of `bytes`.
    std::int64_t count = 0; ///< Allocations.
    std::uint32_t layers = 0; ///< In how many of the model's repeated blocks; 0 outside of them.
    AllocationId largest;
    bool is_one_size = false; ///< All are of one size and one bucket, so one shape and expression.
};

/// What is live in a state by where in the model it belongs. The first node stands for everything
/// and has no name; what lies below it is a tree.
struct ModelTree {
    std::vector<ModelNode> nodes;
    bool has_modules = false; ///< Frames or a capture tell modules or lines; else buckets stand on
                              ///< top.
    std::vector<std::uint32_t> of; ///< Per live allocation, as in `live`: the lowest node.
    std::vector<AllocationId> live;
};

/// Modules and lines as the paths of the places have them; a chain of nodes with nothing beside it
/// is one node. Below them one node per bucket and size, named after what the program makes of it.
/// What no path tells about stands by bucket, apart from the rest where there is one. O(live ·
/// (depth
/// + log live)).
ModelTree modelTree(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                    const label::ModulePaths& paths, const label::ModulePlaces& places,
                    const program::Program& program, StateId state);

} // namespace tidemark::curves
