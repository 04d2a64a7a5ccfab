// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/passes.h"

#include <algorithm>

namespace tidemark::label {
namespace {

/// Input or unnamed work between two intervals of one pass does not end it.
bool isBetween(Phase phase)
{
    return phase == Phase::input || phase == Phase::other;
}

bool continuesForward(const Pass& pass, const PhaseSpan& span, bool input_since)
{
    return pass.backward.isEmpty() && pass.kind == span.phase && pass.step == span.step
        && !input_since;
}

} // namespace

std::vector<Pass> findPasses(const DeviceLabels& labels, std::size_t states)
{
    std::vector<Pass> passes;
    bool open = false;
    bool input_since = false;
    for (const PhaseSpan& span : labels.phases) {
        const StateId begin = StateId::before(span.first);
        const StateId end{span.end.value};
        if (isForwardKind(span.phase)) {
            if (open && continuesForward(passes.back(), span, input_since)) {
                passes.back().forward.end = end;
            } else {
                if (open) {
                    passes.back().complete = true;
                }
                passes.push_back({{begin, end}, {end, end}, span.phase, span.step, false});
                open = true;
            }
            input_since = false;
        } else if (span.phase == Phase::backward && open && passes.back().isTraining()) {
            Pass& pass = passes.back();
            if (pass.backward.isEmpty()) {
                pass.backward.begin = begin;
                pass.forward.end = begin;
            }
            pass.backward.end = end;
            input_since = false;
        } else if (isBetween(span.phase)) {
            input_since = input_since || span.phase == Phase::input;
        } else if (open) {
            passes.back().complete = true;
            open = false;
        }
    }
    for (Pass& pass : passes) {
        if (pass.backward.isEmpty()) {
            pass.backward = {pass.forward.end, pass.forward.end};
        }
        pass.complete = pass.complete && pass.end().index() < states;
    }
    return passes;
}

std::int32_t passAt(const std::vector<Pass>& passes, StateId state)
{
    const auto after =
        std::upper_bound(passes.begin(), passes.end(), state,
                         [](StateId s, const Pass& pass) { return s < pass.forward.begin; });
    if (after == passes.begin()) {
        return -1;
    }
    const auto it = std::prev(after);
    return state < it->end() ? static_cast<std::int32_t>(it - passes.begin()) : -1;
}

std::vector<std::int32_t> passesOf(const replay::Allocations& allocations,
                                   const std::vector<Pass>& passes)
{
    std::vector<std::int32_t> pass_of(allocations.count(), -1);
    for (std::size_t i = 0; i < pass_of.size(); ++i) {
        const EventId event = allocations.alloc_event[i];
        if (!event.isNone()) {
            pass_of[i] = passAt(passes, StateId::before(event));
        }
    }
    return pass_of;
}

std::vector<Phase> phasesOf(const replay::Allocations& allocations, const DeviceLabels& labels)
{
    std::vector<Phase> phase(allocations.count(), Phase::setup);
    const std::vector<PhaseSpan>& spans = labels.phases;
    std::size_t span = 0; // allocations are ordered by their event, so one walk suffices
    for (std::size_t i = 0; i < phase.size(); ++i) {
        const EventId event = allocations.alloc_event[i];
        if (event.isNone()) {
            continue;
        }
        while (span + 1 < spans.size() && spans[span].end <= event) {
            ++span;
        }
        if (span < spans.size()) {
            phase[i] = spans[span].phase;
        }
    }
    return phase;
}

} // namespace tidemark::label
