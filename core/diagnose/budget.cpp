// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/budget.h"

#include "core/diagnose/changed_run.h"
#include "core/diagnose/facts.h"

#include <cmath>
#include <numeric>

namespace tidemark::diagnose {

std::int64_t Budget::live() const
{
    return std::accumulate(buckets.begin(), buckets.end(), std::int64_t{0});
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

label::BucketBytes bucketsAfter(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run,
                                StateId state)
{
    label::BucketBytes buckets = facts.curves.at(state);
    for (std::size_t i = 0; i < facts.allocations().count() && !run.sizes.empty(); ++i) {
        const AllocationId a(i);
        if (facts.allocations().isLive(a, state)) {
            buckets[label::indexOf(facts.bucket(a))] += run.sizes[kinds.of[i]].mid - facts.bytes(a);
        }
    }
    if (run.lifetimes != nullptr) {
        for (const LifetimeTurn& turn : *run.lifetimes) {
            if (turn.at <= state) {
                buckets[label::indexOf(kinds.examples[turn.kind].bucket)] +=
                    turn.count * run.sizeOf(kinds, turn.kind).mid;
            }
        }
    }
    for (const auto& additions : run.additions) {
        for (const Addition& addition : *additions) {
            if (addition.begin <= state && state < addition.end) {
                buckets[label::indexOf(addition.bucket)] += addition.bytes.mid;
            }
        }
    }
    return buckets;
}

Budget budgetOf(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run, StateId state,
                std::int64_t need, std::int64_t reserved)
{
    Budget budget;
    budget.state = state;
    budget.buckets = bucketsAfter(facts, kinds, run, state);
    budget.failed = facts.isOom() ? std::llround(run.failed.mid) : 0;
    budget.to_follow = need - budget.live() - budget.failed;
    budget.overhead = reserved - need;
    return budget;
}

} // namespace tidemark::diagnose
