// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/answer.h"
#include "core/message/fix.h"
#include "core/plan/budget.h"
#include "core/plan/catalog.h"

#include <optional>
#include <string>
#include <vector>

namespace tidemark::plan {

/// What is to be planned.
struct Question {
    walk::ModelShape model;
    walk::RunShape run;
    std::optional<Bytes> capacity; ///< That a process can get of its card.
    /// What cuBLAS has per thread, where the card is known; else the range of all cards.
    std::optional<Bytes> workspace;
    bool counts_context = true; ///< The capacity is the GPU's; else what PyTorch may reserve.
    bool optimizer_is_assumed = false; ///< Nobody said which.
    std::vector<std::string> assumed; ///< Sentences on what else nobody said.
};

/// Low, expected and high.
struct EstimateRange {
    Bytes low;
    Bytes expected;
    Bytes high;
};

/// The figures of one run.
struct Estimate {
    PlannedBudget budget;
    EstimateRange peak; ///< Requested bytes.
    EstimateRange reserved; ///< What the caching allocator gets from the driver.
    EstimateRange workspace; ///< cuBLAS, outside of the two above.
    EstimateRange context; ///< CUDA's own, outside of all PyTorch knows.
    /// True only if the upper end leaves a margin, false only if the lower end exceeds the
    /// capacity; unset without a capacity, or between the two.
    std::optional<bool> fits;

    /// All that the process takes of the card.
    [[nodiscard]] EstimateRange need() const
    {
        return {reserved.low + workspace.low + context.low,
                reserved.expected + workspace.expected + context.expected,
                reserved.high + workspace.high + context.high};
    }
};
/// `run` in place of the question's. Requires that there is no objection to it.
Estimate estimate(const Question& question, const walk::RunShape& run);

/// The budget of a run before it is made, and what would change it.
struct Plan {
    Estimate estimate;
    std::vector<std::string> assumptions;
    std::vector<diagnose::Fix> fixes; ///< In the ladder's order.
    std::optional<diagnose::Answer> answer; ///< Only where a capacity is given and not met.
    diagnose::Limits limits; ///< Only with a capacity.
    /// The known card with the least memory that holds the run for certain; null: none does.
    const KnownCard* smallest_card = nullptr;
};

/// Errors: badArgument, where the run cannot be: a sequence longer than the model's positions,
/// adapters for layers that it does not have, sharding over one GPU.
Result<Plan> makePlan(const Question& question);

} // namespace tidemark::plan
