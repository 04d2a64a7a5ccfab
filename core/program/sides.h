// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/size_readings.h"
#include "core/program/solution.h"

#include <cstdint>
#include <vector>

namespace tidemark::program {

/// The half of a layer that made an allocation.
enum class Side : std::uint8_t { unknown, attention, feed_forward };

/// Per allocation, for those of sizes that may be attention matrices or rows of feed-forward.
///
/// An interval (norm_intervals.h) that has a size which is surely one of them is that half. Where
/// none is sure, two intervals a layer alternate, attention first; one a layer is feed-forward.
/// What is not saved is as the nearest saved one of its size. Empty: order tells nothing.
/// O(allocations log).
std::vector<Side> findSides(const Observed& observed, const Solution& solution,
                            const SizeReadings& readings);

} // namespace tidemark::program
