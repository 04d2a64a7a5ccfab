// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/served_passes.h"

#include "core/label/assign/assigner.h"
#include "core/label/runs/passes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tidemark::label {
namespace {

constexpr std::size_t kFewestTensors = 4; // Keys and values of two layers.
constexpr std::ptrdiff_t kManyPasses = 8;

/// When each line of the model allocates in passes without gradients.
class PassLines {
public:
    explicit PassLines(const RuleInputs& e)
    {
        std::map<std::uint32_t, std::vector<StateId>> lines;
        for (const Run& run : e.runs.runs) {
            if (!isWithoutGradients(run.phase)) {
                continue;
            }
            for (std::size_t i = run.first_alloc.index(); i <= run.last_alloc.index(); ++i) {
                const AllocationId a = e.replay.event_allocation[i];
                const StackId stack = e.device.events.stack[i];
                if (e.device.events.action[i] == trace::Action::alloc && !a.isNone()
                    && e.kinds.kind(stack) == StackKind::forward) {
                    lines[e.kinds.ownFrame(stack).value].push_back(
                        e.replay.allocations.begin[a.index()]);
                }
            }
        }
        for (auto& [line, begins] : lines) {
            m_lines.push_back(std::move(begins));
        }
        // The rarest ends the search soonest.
        std::ranges::stable_sort(m_lines, {}, &std::vector<StateId>::size);
    }
    /// In a life: the fewest that a line makes which makes anything then.
    [[nodiscard]] std::ptrdiff_t passesIn(StateId begin, StateId end) const
    {
        std::ptrdiff_t fewest = 0; // 0: none yet
        for (const std::vector<StateId>& line : m_lines) {
            const auto count =
                std::ranges::lower_bound(line, end) - std::ranges::lower_bound(line, begin);
            if (count == 0) {
                continue;
            }
            fewest = fewest == 0 ? count : std::min(fewest, count);
            if (fewest < kManyPasses) {
                return fewest;
            }
        }
        return fewest;
    }
    [[nodiscard]] bool isEmpty() const
    {
        return m_lines.empty();
    }

private:
    std::vector<std::vector<StateId>> m_lines;
};

/// What one line makes, in order.
using LineAllocations = std::vector<AllocationId>;

/// The first `kFewestTensors` of one size that lived at once.
LineAllocations equalAtOnce(const LineAllocations& made, const replay::Allocations& all)
{
    LineAllocations found;
    for (const AllocationId a : made) {
        const bool goes_on = !found.empty()
            && all.requested[found.front().index()] == all.requested[a.index()]
            && all.isLive(found.front(), all.begin[a.index()]);
        if (!goes_on) {
            found.clear();
        }
        found.push_back(a);
        if (found.size() == kFewestTensors) {
            return found;
        }
    }
    return {};
}

} // namespace

void labelServedPasses(const RuleInputs& e, Assigner& labels)
{
    const PassLines passes(e);
    if (passes.isEmpty()) {
        return;
    }
    const replay::Allocations& all = e.replay.allocations;
    std::map<std::uint32_t, LineAllocations> lines;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const AllocationId a(i);
        const FrameId line = e.kinds.ownFrame(all.stack[i]);
        const Bucket bucket = labels.bucketOf(a);
        const bool may_be = bucket == Bucket::input || bucket == Bucket::temporary
            || bucket == Bucket::output || bucket == Bucket::activation;
        if (may_be && !all.alloc_event[i].isNone() && !line.isNone()
            && e.kinds.kind(all.stack[i]) == StackKind::other) {
            lines[line.value].push_back(a);
        }
    }
    for (const auto& [line, made] : lines) {
        const LineAllocations equal = equalAtOnce(made, all);
        const bool serve = !equal.empty() && std::ranges::all_of(equal, [&](AllocationId a) {
            return passes.passesIn(all.begin[a.index()], all.end[a.index()]) >= kManyPasses;
        });
        if (!serve) {
            continue;
        }
        for (const AllocationId a : made) {
            labels.assign(a, Bucket::kv_cache, Role::none, Rule::serves_many_passes);
        }
    }
}

} // namespace tidemark::label
