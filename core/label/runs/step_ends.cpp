// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/step_ends.h"

#include <algorithm>
#include <span>

namespace tidemark::label {
namespace {

bool failsFrom(const trace::Events& events, EventId first)
{
    const auto actions = std::span(events.action).subspan(first.index());
    return std::ranges::find(actions, trace::Action::oom) != actions.end();
}

/// Before the next backward.
bool isFollowedByOptimizer(const std::vector<Run>& runs, const Run& backward)
{
    for (const Run* run = &backward + 1; run != runs.data() + runs.size(); ++run) {
        if (run->phase == Phase::optimizer || run->phase == Phase::backward) {
            return run->phase == Phase::optimizer;
        }
    }
    return false;
}

/// When the first of what was there before the first batch goes, after a moment: the program ends
/// there. Else the end of the trace.
StateId whenTornDown(const std::vector<Run>& runs, const replay::DeviceReplay& replay, StateId from)
{
    const replay::Allocations& all = replay.allocations;
    const auto pass = std::ranges::find_if(runs, [](const Run& run) {
        return run.phase == Phase::forward || run.phase == Phase::input;
    });
    StateId first = replay.lastState();
    for (std::size_t i = 0; pass != runs.end() && i < all.count(); ++i) {
        if (all.begin[i] < StateId::before(pass->first_alloc) && all.end[i] > from) {
            first = std::min(first, StateId{all.end[i].value - 1});
        }
    }
    return first;
}

} // namespace

void markStepEnds(std::vector<Run>& runs, const trace::Events& events,
                  const replay::DeviceReplay& replay)
{
    std::vector<StateId> moments; // For each backward: when it is over, when the next one begins.
    std::vector<Run*> backwards;
    for (Run& run : runs) {
        if (run.phase == Phase::backward) {
            if (!backwards.empty()) {
                moments.push_back(StateId::before(run.first_alloc));
            }
            moments.push_back(StateId::after(run.last_alloc));
            backwards.push_back(&run);
        }
    }
    if (backwards.empty()) {
        return;
    }
    moments.push_back(whenTornDown(runs, replay, moments.back()));
    std::vector<std::int64_t> change(moments.size() + 1);
    const replay::Allocations& all = replay.allocations;
    for (const Run* run : backwards) {
        for (std::size_t e = run->first_alloc.index(); e <= run->last_alloc.index(); ++e) {
            const AllocationId a = replay.event_allocation[e];
            // What outlives all steps is no gradient that is let go of: a workspace, say.
            const bool stays =
                run != backwards.back() && !a.isNone() && all.end[a.index()] > replay.lastState();
            if (events.action[e] == trace::Action::alloc && !a.isNone() && !stays) {
                const auto indexOf = [&](StateId s) {
                    return std::ranges::lower_bound(moments, s) - moments.begin();
                };
                const std::int64_t bytes = all.requested[a.index()].value;
                change[static_cast<std::size_t>(indexOf(all.begin[a.index()]))] += bytes;
                change[static_cast<std::size_t>(indexOf(all.end[a.index()]))] -= bytes;
            }
        }
    }
    std::int64_t held = 0;
    for (std::size_t b = 0; b < backwards.size(); ++b) {
        held += change[2 * b];
        const std::int64_t when_over = held;
        held += change[2 * b + 1];
        const bool is_cut = backwards[b]->is_last && failsFrom(events, backwards[b]->first);
        backwards[b]->ends_step =
            !is_cut && held * 2 < when_over && !isFollowedByOptimizer(runs, *backwards[b]);
    }
}

} // namespace tidemark::label
