// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/plan/plan.h"

#include <optional>
#include <vector>

namespace tidemark::plan {

/// What would make a run smaller, each by planning the changed run.
struct Remedies {
    std::vector<diagnose::Fix> fixes; ///< In the ladder's order: those that save something.
    std::optional<diagnose::Answer> answer; ///< The cheapest set that fits; unset without capacity.
};
/// Some hundred plans at most.
Remedies findRemedies(const Question& question, const Estimate& base);

/// The largest batch and the longest sequence that fit for certain, and the fewest GPUs of each
/// stage of sharding, by search on the planned peak. Nothing without a capacity.
diagnose::Limits findLimits(const Question& question);

} // namespace tidemark::plan
