// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/check/budget.h"
#include "core/diagnose/analysis.h"

#include <optional>
#include <vector>

namespace tidemark::check {

/// What one device of a run took.
struct DeviceMeasures {
    std::int32_t device = 0; ///< CUDA index; −1: host memory.
    std::size_t index = 0; ///< Among the snapshot's devices.
    std::int64_t peak = 0;
    std::int64_t reserved = 0;
    std::optional<std::int64_t> growth; ///< Unset below three complete steps.
    std::int64_t fragmentation = 0;
    std::int64_t ooms = 0;
    label::BucketBytes buckets{}; ///< The most that each ever took.
    std::size_t steps = 0; ///< Complete ones.

    /// Nullopt: not known of this run.
    [[nodiscard]] std::optional<std::int64_t> of(const Budget& budget) const;
};

/// Devices that have memory, in the file's order. Requires block sizes.
std::vector<DeviceMeasures> measuresOf(const diagnose::Analysis& analysis);

} // namespace tidemark::check
