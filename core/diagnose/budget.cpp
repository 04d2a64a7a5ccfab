// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/budget.h"

namespace tidemark::diagnose {

std::int64_t Budget::live() const
{
    return label::totalOf(buckets);
}

std::int64_t Budget::need() const
{
    return live() + failed + to_follow;
}

std::int64_t Budget::total() const
{
    return need() + overhead;
}

std::vector<BudgetRow> budgetRows(const Budget& before, const Budget& after)
{
    using Kind = BudgetRow::Kind;
    std::vector<BudgetRow> rows;
    for (std::size_t i = label::kBucketCount; i-- > 0;) {
        rows.push_back({Kind::bucket, label::bucketAt(i), before.buckets[i], after.buckets[i]});
    }
    rows.push_back({Kind::failed, {}, before.failed, after.failed});
    rows.push_back({Kind::to_follow, {}, before.to_follow, after.to_follow});
    rows.push_back({Kind::overhead, {}, before.overhead, after.overhead});
    std::erase_if(rows, [](const BudgetRow& row) { return row.before == 0 && row.after == 0; });
    rows.push_back({Kind::total, {}, before.total(), after.total()});
    return rows;
}

} // namespace tidemark::diagnose
