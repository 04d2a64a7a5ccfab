// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/run_budget.h"

#include "core/diagnose/facts/facts.h"
#include "core/diagnose/predict/changed_run.h"

#include <cmath>

namespace tidemark::diagnose {
namespace {

label::BucketBytes bucketsAfter(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run,
                                StateId state)
{
    if (run.walked) {
        return run.walked->buckets;
    }
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

} // namespace

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
