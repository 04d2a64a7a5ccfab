// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstddef>
#include <vector>

namespace tidemark::diagnose {

/// The devices of a file that are diagnosed, and of which reports tell everything. A process drives
/// a few, and PyTorch's builds count to 120 (C10_COMPILE_TIME_MAX_GPUS in c10/cuda/CUDAMacros.h); a
/// file of thousands would take thousands of times what one of them takes.
struct DetailedDevices {
    std::vector<std::size_t> shown; ///< Indices into the snapshot's devices, rising; none is empty.
    std::size_t left_out = 0; ///< Those that are not empty either, with lower peaks.

    [[nodiscard]] bool has(std::size_t device) const; ///< O(log devices).
};
inline constexpr std::size_t kMostDetailedDevices = 64;

/// The 64 devices with the highest peaks of requested bytes, the main one among them in any case.
/// O(states + devices log devices). Requires the replay.
DetailedDevices detailedDevices(const Analysis& analysis);

} // namespace tidemark::diagnose
