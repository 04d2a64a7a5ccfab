// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/prediction.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

/// A line of what a run takes before and after a change, as the window and all reports show it.
struct BudgetLine {
    enum class Kind : std::uint8_t { bucket, part, total, capacity, spare };
    Kind kind = Kind::bucket;
    std::string name; ///< "Activations", "Still to come", "Spare".
    std::string_view meaning; ///< For a tool tip; empty where the name says it.
    label::Bucket bucket = label::Bucket::unknown; ///< Of `Kind::bucket` only.
    std::int64_t before = 0;
    std::int64_t after = 0;
};

/// `budgetRows`, then the capacity and what is left of it, where it is known. Nothing without both
/// budgets.
std::vector<BudgetLine> budgetLines(const diagnose::Prediction& prediction);

} // namespace tidemark::report
