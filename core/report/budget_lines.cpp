// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/budget_lines.h"

#include "core/base/language.h"

namespace tidemark::report {
namespace {

BudgetLine lineOf(const diagnose::BudgetRow& row)
{
    using Part = diagnose::BudgetRow::Kind;
    using Kind = BudgetLine::Kind;
    const auto line = [&row](Kind kind, std::string name, std::string_view meaning = {}) {
        return BudgetLine{kind, std::move(name), meaning, row.bucket, row.before, row.after};
    };
    switch (row.kind) {
    case Part::bucket:
        return line(Kind::bucket, std::string(label::bucketName(row.bucket)));
    case Part::failed:
        return line(Kind::part, say("Failed request"), translated("The request that failed."));
    case Part::to_follow:
        return line(Kind::part, say("Still to come"),
                    translated("Needed later, as far as known: rest of the pass, gradients, "
                               "optimizer state, a larger step."));
    case Part::overhead:
        return line(Kind::part, say("Kept by the allocator"),
                    translated("Reserved beyond live bytes: free blocks and rounding. An estimate "
                               "after a fix."));
    case Part::total:
        break;
    }
    return line(Kind::total, say("Total needed"),
                translated("Sum of the rows above: what the process needs from the GPU."));
}

} // namespace

std::vector<BudgetLine> budgetLines(const diagnose::Prediction& prediction)
{
    std::vector<BudgetLine> lines;
    if (!prediction.before_budget || !prediction.after_budget) {
        return lines;
    }
    for (const diagnose::BudgetRow& row :
         diagnose::budgetRows(*prediction.before_budget, *prediction.after_budget)) {
        lines.push_back(lineOf(row));
    }
    if (prediction.capacity) {
        const std::int64_t capacity = prediction.capacity->value;
        const BudgetLine total = lines.back();
        lines.push_back(
            {BudgetLine::Kind::capacity, say("Capacity"), {}, total.bucket, capacity, capacity});
        lines.push_back({BudgetLine::Kind::spare, say("Spare"),
                         translated("An estimate: the capacity less the total."), total.bucket,
                         capacity - total.before, capacity - total.after});
    }
    return lines;
}

} // namespace tidemark::report
