// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/walk/run_shape.h"

#include <cstdint>

namespace tidemark::plan {

/// What one GPU's process needs beside its card for what was offloaded.
struct HostBudget {
    Bytes memory; ///< Of the host.
    Bytes memory_high; ///< With the buffers that DeepSpeed's own estimate allows for: 1.5 times.
    Bytes disk; ///< On NVMe.

    [[nodiscard]] bool isNone() const
    {
        return memory.value == 0 && disk.value == 0;
    }
};

/// `parameters`: those of this GPU's part of the model; `trained_share`: those whose states it has.
/// Adam's states offloaded take 16 bytes each: the weight, two moments and the gradient in 32 bits.
/// On NVMe these lie on disk, and the host keeps four buffers of the largest sub-group (10⁹
/// elements); of weights, five buffers of 10⁸ elements and as many as 10⁹ elements. Sources:
/// deepspeed/runtime/zero/stage3.py and stage_1_and_2.py (estimate_zero*_model_states_mem_needs),
/// offload_config.py (buffer_count, buffer_size, max_in_cpu) and config.py (sub_group_size) of
/// DeepSpeed 0.19.8.
HostBudget hostBudgetOf(const walk::RunShape& run, std::int64_t parameters,
                        std::int64_t trained_share);

} // namespace tidemark::plan
