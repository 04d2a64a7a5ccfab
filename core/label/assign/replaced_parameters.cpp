// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/replaced_parameters.h"

#include "core/base/keyed_hash.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::label {

std::unordered_set<std::uint32_t> findReplacedParameters(const RuleInputs& evidence,
                                                         const Assigner& labels, const Run& run)
{
    const replay::Allocations& all = evidence.replay.allocations;
    const trace::Events& events = evidence.device.events;
    // Per size, kept past the run.
    std::unordered_map<std::int64_t, AllocationId, KeyedNumberHash> newest;
    std::unordered_set<std::uint32_t> found;
    std::vector<AllocationId> kept;
    for (std::size_t i = run.first.index(); i < run.end.index(); ++i) {
        const AllocationId a = evidence.replay.event_allocation[i];
        if (a.isNone()) {
            continue;
        }
        const std::int64_t size = all.requested[a.index()].value;
        if (events.action[i] == trace::Action::alloc && evidence.livesOn(a, run.over)) {
            newest[size] = a;
            kept.push_back(a);
        } else if (events.action[i] == trace::Action::free_completed
                   && labels.bucketOf(a) == Bucket::parameter && newest.contains(size)
                   && (i < run.last_alloc.index()
                       || all.end[newest[size].index()] > evidence.replay.lastState())) {
            // A program that ends takes all with it: what goes then gave way to nothing.
            found.insert(newest[size].value);
        }
    }
    // Equal sizes make single ones doubtful, so each line of the optimizer is judged as a whole.
    std::unordered_map<std::uint32_t, std::pair<std::size_t, std::size_t>> lines; // Found, kept.
    for (const AllocationId a : kept) {
        auto& [replacing, made] = lines[all.stack[a.index()].value];
        replacing += found.contains(a.value) ? 1U : 0U;
        ++made;
    }
    const auto isReplacing = [&](AllocationId a) {
        const auto& [replacing, made] = lines[all.stack[a.index()].value];
        return replacing * 2 > made;
    };
    std::unordered_set<std::uint32_t> replacements;
    const bool any_line = std::ranges::any_of(kept, isReplacing);
    for (const AllocationId a : kept) {
        if (any_line ? isReplacing(a) : found.contains(a.value)) {
            replacements.insert(a.value);
        }
    }
    return replacements;
}

} // namespace tidemark::label
