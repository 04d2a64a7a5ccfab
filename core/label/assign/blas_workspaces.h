// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/runs/runs.h"

#include <unordered_set>

namespace tidemark::label {

/// The workspaces that cuBLAS gets from PyTorch's allocator: one for each handle and stream, made
/// by the first matrix product there and kept until the process ends. The thread that runs backward
/// has a handle of its own (ATen/cuda/CublasHandlePool.cpp). They are told without C++ frames:
///
///     forward   first product: alloc result, alloc 32 MiB (kept)   side by side, one place
///     backward  first product: alloc result, alloc 32 MiB (kept)   side by side, no stack
///
/// Of each stream, and of forward and backward apart, the first of the size may be one: if it is
/// never freed, a neighbour has its stack, and no weight or gradient accounts for it. What a pass
/// made before the trace is one if it outlives a backward.
class BlasWorkspaces {
public:
    /// O(events + streams · allocations).
    BlasWorkspaces(const trace::Device& device, const replay::DeviceReplay& replay,
                   const StackKinds& kinds, const Runs& runs);

    [[nodiscard]] bool contains(AllocationId a) const
    {
        return m_found.contains(a.value);
    }

    /// Made before the trace and kept, without a frame, in a size that says so: at most two of one
    /// size, for forward and backward.
    [[nodiscard]] bool isOfItsSize(AllocationId a) const
    {
        return m_of_its_size.contains(a.value);
    }

    [[nodiscard]] static bool isItsSize(Bytes bytes);
    /// Whether a size is one's before Hopper, which hardly anything else has.
    [[nodiscard]] static bool isUnmistakable(Bytes bytes);

private:
    std::unordered_set<std::uint32_t> m_found;
    std::unordered_set<std::uint32_t> m_of_its_size;
};

} // namespace tidemark::label
