// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/program/observed.h"
#include "core/program/program.h"
#include "core/program/size_readings.h"
#include "core/program/solution.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::program {

/// The allocations of a device by size and use, each with the expressions of that size there.
struct SizeUses {
    std::vector<SizeUse> sizes; ///< The largest share first.
    std::vector<std::uint32_t> size_of; ///< Per allocation: index into `sizes`.
    std::vector<SizeUse> failed; ///< Of each failed request.
    double explained_share = 0; ///< Of bytes × states, with exactly one expression.
};

/// One size may be several things in one file: what is kept in the attention half of a layer is an
/// attention matrix, in the other half a row of feed-forward; what is as large as a weight is a
/// copy of one where nothing is saved, and may be a row elsewhere. So a use is a size with its
/// kind, its half of a layer, and whether it was made between passes. O(allocations log).
SizeUses findUses(const Observed& observed, std::span<const Request> failed,
                  const Solution& solution, const SizeReadings& readings);

/// A weight's size as a product of the model's own dimensions; nullopt where it is none.
std::optional<Expression> expressionOfWeight(std::int64_t bytes, std::int32_t element_bytes,
                                             const Solution& solution);

} // namespace tidemark::program
