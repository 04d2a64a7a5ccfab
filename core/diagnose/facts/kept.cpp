// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/facts/growth.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

/// Of the ends of all complete steps, the first one included: what is made once, as the optimizer's
/// state is, or up to a limit, as a cache is, does not rise at each of them by the same.
bool isSameInEachStep(const curves::StackGrowth& one)
{
    return one.first_bytes > 0 && one.falls == 0 && one.rises + 1 == one.steps
        && one.last_bytes == one.first_bytes * static_cast<std::int64_t>(one.steps)
        && one.bytes_per_step == static_cast<double>(one.first_bytes);
}

std::optional<Kept> keptInSteps(const Facts& facts)
{
    const curves::StepGrowth growth =
        curves::growthPerStep(facts.replay, facts.labels, facts.replay.lastState());
    Kept kept;
    std::int64_t most = 0;
    for (const curves::StackGrowth& one : growth.stacks) {
        if (!isSameInEachStep(one) || one.bucket == label::Bucket::parameter) {
            continue;
        }
        kept.per_turn += one.first_bytes;
        kept.turns = one.steps;
        if (one.first_bytes > most) {
            most = one.first_bytes;
            kept.stack = one.stack;
        }
    }
    return kept.turns >= kFewestTurns ? std::optional(kept) : std::nullopt;
}

/// What one place kept of evaluation batches and the program still holds at the end.
std::optional<Kept> keptInEvaluation(const Facts& facts, const Growth& growth)
{
    if (growth.kind != GrowthKind::evaluation || growth.stack.isNone() || growth.per_turn <= 0
        || growth.turns < kFewestTurns) {
        return std::nullopt;
    }
    const auto& all = facts.allocations();
    bool is_held = false;
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (all.stack[i] != growth.stack || !all.isLive(AllocationId(i), facts.moment.state)) {
            continue;
        }
        if (all.end[i] <= facts.replay.lastState()) {
            return std::nullopt;
        }
        is_held = true;
    }
    return is_held ? std::optional(Kept{growth.stack, growth.per_turn, growth.turns, true})
                   : std::nullopt;
}

} // namespace

std::optional<Kept> findKept(const Facts& facts, const Growth& growth)
{
    const std::optional<Kept> kept = keptInSteps(facts);
    return kept ? kept : keptInEvaluation(facts, growth);
}

} // namespace tidemark::diagnose
