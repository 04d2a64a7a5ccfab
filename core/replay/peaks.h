// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tidemark::replay {

/// A state in which a total is larger than around it.
struct Peak {
    StateId state; ///< The first with that total.
    std::int64_t bytes = 0;
    friend bool operator==(const Peak&, const Peak&) = default;
};

/// The highest peaks of a series of totals, largest first (of equal ones the earlier first). Two
/// are apart when the total falls between them by at least a tenth of the lower one. The first is
/// the first state of the largest total. O(states).
std::vector<Peak> highestPeaks(std::span<const std::int64_t> totals, std::size_t count);

/// The largest total in each of some stretches of states. O(states in them).
std::vector<Peak> peaksIn(std::span<const std::int64_t> totals,
                          std::span<const Interval<StateId>> stretches);

/// The three measures, which are never mixed: what was asked for, what the allocator set aside for
/// it, what it got from the driver.
struct MeasuredPeaks {
    std::vector<Peak> requested;
    std::vector<Peak> blocks_lower; ///< Peaks of the lower bounds.
    std::vector<std::int64_t> blocks_upper; ///< Upper bound in each of those states.
    std::vector<Peak> reserved;
};
/// `blocks`: the block totals of the same replay. O(states).
MeasuredPeaks highestPeaks(const DeviceReplay& replay, const BlockTotals& blocks,
                           std::size_t count);
MeasuredPeaks peaksIn(const DeviceReplay& replay, const BlockTotals& blocks,
                      std::span<const Interval<StateId>> stretches);

} // namespace tidemark::replay
