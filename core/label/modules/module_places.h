// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/label/modules/module_paths.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::label {

/// Where in the model the allocations of one device belong. Columns are indexed by AllocationId.
struct ModulePlaces {
    std::vector<ModuleId> module; ///< None where nothing tells.
    /// Which of the model's repeated blocks made it, from 1 in the order of the forward pass; 0
    /// outside of all, and where the blocks could not be told apart.
    std::vector<std::uint16_t> layer;
    std::uint32_t layers = 0; ///< Blocks of the longest pass.
    std::vector<bool> by_size; ///< The module is that of the one parameter of the same size.
};

/// Takes, in this order, the name that a capture gives the tensor (`things` as from
/// `capturedThings`), what the file says about the forward pass of a backward allocation, the
/// allocation's own stack, and for gradients and optimizer state the module of the parameters that
/// have its size, if all of them have the same. Memory that no stack tells about has no module.
/// O(allocations log passes).
ModulePlaces placeModules(const trace::Snapshot& snapshot, const trace::Device& device,
                          const replay::DeviceReplay& replay, const DeviceLabels& labels,
                          const ModulePaths& paths, std::span<const std::uint32_t> things);

} // namespace tidemark::label
