// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/setup_sets.h"

#include "core/label/assign/assigner.h"
#include "core/label/runs/passes.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tidemark::label {
namespace {

/// What one line makes before the first pass and keeps.
struct Group {
    std::vector<AllocationId> members;
    SizeCounts sizes;
    std::int64_t bytes = 0;
};

/// Whether the sizes of a group are those of the model, each `times / per` as large.
bool isCopyOf(const SizeCounts& model, const Group& group, std::int64_t times, std::int64_t per)
{
    constexpr std::size_t kFewest = 4; // Less may be chance.
    std::int64_t matched = 0;
    for (const auto& [size, count] : group.sizes) {
        const auto it = size * per % times == 0 ? model.find(size * per / times) : model.end();
        matched += it == model.end() ? 0 : size * std::min(count, it->second);
    }
    return group.members.size() >= kFewest && group.sizes.size() >= 2
        && matched * 20 >= group.bytes * 19;
}

/// Everything made before the first pass and kept, apart by who made it.
class Beforehand {
public:
    explicit Beforehand(const RuleInputs& e)
    {
        const replay::Allocations& all = e.replay.allocations;
        const auto pass =
            std::ranges::find_if(e.runs.runs, [](const Run& r) { return isForwardKind(r.phase); });
        const std::size_t end = pass == e.runs.runs.end() ? 0 : pass->first_alloc.index();
        for (std::size_t i = 0; i < end; ++i) {
            const AllocationId a = e.replay.event_allocation[i];
            if (e.device.events.action[i] != trace::Action::alloc || a.isNone()
                || !(e.livesToTheEnd(a)
                     || (pass->two_steps_later && e.livesOn(a, *pass->two_steps_later)))) {
                continue;
            }
            const StackKind kind = e.kinds.kind(all.stack[a.index()]);
            const std::int64_t size = all.requested[a.index()].value;
            if (kind == StackKind::load) {
                ++model[size];
            } else if (kind == StackKind::other) {
                Group& group = groups[all.stack[a.index()].value];
                group.members.push_back(a);
                ++group.sizes[size];
                group.bytes += size;
            }
        }
    }

    SizeCounts model;
    std::map<std::uint32_t, Group> groups; ///< By stack.
};

/// Bytes that optimizer steps make and keep.
std::int64_t stateMadeInSteps(const RuleInputs& e)
{
    std::int64_t bytes = 0;
    for (const Run& run : e.runs.runs) {
        for (std::size_t i = run.first_alloc.index();
             run.phase == Phase::optimizer && i <= run.last_alloc.index(); ++i) {
            const AllocationId a = e.replay.event_allocation[i];
            const bool is_kept = e.device.events.action[i] == trace::Action::alloc && !a.isNone()
                && e.livesToTheEnd(a) && e.livesOn(a, run.over);
            bytes += is_kept ? e.replay.allocations.requested[a.index()].value : 0;
        }
    }
    return bytes;
}

} // namespace

SetupSets::SetupSets(const RuleInputs& evidence)
{
    const Beforehand before(evidence);
    if (before.groups.empty()) {
        return;
    }
    constexpr std::ptrdiff_t kEnoughPasses = 4;
    const bool has_training = evidence.runs.has_training;
    const std::int64_t state = has_training ? stateMadeInSteps(evidence) : 0;
    const bool has_passes =
        std::ranges::count_if(evidence.runs.runs,
                              [](const Run& r) { return isForwardKind(r.phase); })
        >= kEnoughPasses;
    for (const auto& [stack, group] : before.groups) {
        std::optional<SetupSet> set;
        if (!has_training) {
            if (has_passes && group.members.size() >= 2 && group.sizes.size() == 1) {
                set = SetupSet::cache;
            }
        } else if (isCopyOf(before.model, group, 1, 1)) {
            set = state * 2 >= group.bytes ? SetupSet::weights_copy : SetupSet::optimizer_state;
        } else if (isCopyOf(before.model, group, 2, 1)) {
            set = SetupSet::master_copy;
        }
        if (!set) {
            continue;
        }
        for (const AllocationId a : group.members) {
            m_sets.emplace(a.value, *set);
        }
        if (set == SetupSet::master_copy) {
            for (const auto& [size, count] : group.sizes) {
                m_master_sizes.insert(size);
            }
        }
    }
}

std::optional<SetupSet> SetupSets::of(AllocationId a) const
{
    const auto it = m_sets.find(a.value);
    return it == m_sets.end() ? std::nullopt : std::optional(it->second);
}

} // namespace tidemark::label
