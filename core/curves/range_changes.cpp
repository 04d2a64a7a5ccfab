// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/range_changes.h"

#include "core/replay/changes.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

namespace tidemark::curves {
namespace {

void add(Flow& flow, std::int64_t bytes, bool begins)
{
    (begins ? flow.came_bytes : flow.went_bytes) += bytes;
    ++(begins ? flow.came : flow.went);
}

struct OfStack {
    Flow flow;
    label::BucketBytes moved{};
};

} // namespace

RangeChanges changesBetween(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                            Interval<StateId> between, std::size_t most_stacks)
{
    RangeChanges changes;
    changes.between = between;
    std::unordered_map<StackId, OfStack> stacks;
    const replay::Allocations& a = replay.allocations;
    const Interval<StateId> states{{between.begin.value + 1}, {between.end.value + 1}};
    replay::forEachChange(replay, states, [&](StateId, AllocationId id, bool begins) {
        const std::size_t i = id.index();
        const std::size_t bucket = label::indexOf(labels.bucket[i]);
        const std::int64_t bytes = a.requested[i].value;
        add(changes.total, bytes, begins);
        add(changes.buckets[bucket], bytes, begins);
        OfStack& stack = stacks[a.stack[i]];
        add(stack.flow, bytes, begins);
        stack.moved[bucket] += bytes;
    });
    changes.stack_count = stacks.size();
    for (const auto& [id, stack] : stacks) {
        const auto most = std::ranges::max_element(stack.moved) - stack.moved.begin();
        changes.stacks.push_back({id, label::bucketAt(static_cast<std::size_t>(most)), stack.flow});
    }
    const auto order = [](const StackFlow& s) {
        return std::tuple(-std::abs(s.flow.netBytes()), -s.flow.came_bytes, s.stack);
    };
    const std::size_t kept = std::min(most_stacks, changes.stacks.size());
    const auto middle = changes.stacks.begin() + static_cast<std::ptrdiff_t>(kept);
    std::ranges::partial_sort(changes.stacks, middle, {}, order);
    changes.stacks.resize(kept);
    changes.largest = replay.active[replay.active_pyramid.argMax(
        replay.active, {between.begin.index(), between.end.index() + 1})];
    return changes;
}

} // namespace tidemark::curves
