// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/check/budget.h"
#include "core/check/measures.h"

#include <span>
#include <string>
#include <vector>

namespace tidemark::check {

/// Where a budget broke; texts as in the file, empty where nothing tells.
struct GrewAt {
    std::string text; ///< "model.py:41 forward".
    std::string filename; ///< The whole path.
    std::int32_t line = 0;
    std::int64_t bytes = 0; ///< By how much it grew; without a baseline what it takes.
    bool is_growth = false; ///< `bytes` is a difference.
};

/// One budget on one device of one run.
struct Verdict {
    std::string file;
    Budget budget;
    std::int32_t device = 0;
    std::int64_t actual = 0;
    GrewAt where{};

    [[nodiscard]] bool holds() const
    {
        return actual <= budget.limit;
    }
};

/// All budgets of a run. Errors: badArgument where a budget that a person gave has no device or no
/// figure to be held against: what was not measured has not passed.
Result<std::vector<Verdict>> judge(const diagnose::Analysis& analysis,
                                   std::span<const Budget> budgets);

/// Fills in `where` of those that broke: what grew most against the baseline, or without one what
/// takes most. `baseline` may be null; both require programs.
void findPlaces(std::vector<Verdict>& verdicts, const diagnose::Analysis& analysis,
                const diagnose::Analysis* baseline);

/// "peak of GPU 0 is 11.2 GiB, 1.2 GiB over its budget of 10.0 GiB; model.py:41 forward grew by 1.1
/// GiB".
std::string sentenceOf(const Verdict& verdict);

} // namespace tidemark::check
