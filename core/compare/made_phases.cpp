// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/made_phases.h"

#include <algorithm>

namespace tidemark::compare {
namespace {

std::optional<label::Phase> phaseOf(const Side& side, AllocationId id)
{
    const EventId made = id.isNone() ? EventId::none() : side.allocations().alloc_event[id.index()];
    const label::PhaseSpan* const span = made.isNone() ? nullptr : side.labels().phaseAt(made);
    return span == nullptr ? std::nullopt : std::optional(span->phase);
}

} // namespace

bool hasPhase(const Side& side, label::Phase phase)
{
    const std::vector<label::PhaseSpan>& spans = side.labels().phases;
    return std::ranges::find(spans, phase, &label::PhaseSpan::phase) != spans.end();
}

const label::PhaseSpan* spanAt(const Side& side, StateId state)
{
    const std::int64_t event = state.eventNumber();
    return event < 0 || side.labels().phases.empty()
        ? nullptr
        : side.labels().phaseAt(EventId(static_cast<std::uint32_t>(event)));
}

std::optional<label::Phase> phaseAt(const Side& side, StateId state)
{
    const label::PhaseSpan* const span = spanAt(side, state);
    return span == nullptr ? std::nullopt : std::optional(span->phase);
}

MovedPhase movedPhase(const Side& side_a, AllocationId a, const Side& side_b, AllocationId b)
{
    const std::optional<label::Phase> in_a = phaseOf(side_a, a);
    const std::optional<label::Phase> in_b = phaseOf(side_b, b);
    return in_a && in_b && *in_a != *in_b ? MovedPhase{in_a, in_b} : MovedPhase{};
}

bool lacksPhaseOf(const Side& other, const Side& one, AllocationId id)
{
    const label::Bucket bucket = one.bucket(id);
    std::optional<label::Phase> made_in = phaseOf(one, id);
    if (bucket == label::Bucket::gradient) {
        made_in = label::Phase::backward;
    } else if (bucket == label::Bucket::optimizer_state
               || one.labels().role[id.index()] == label::Role::optimizer_transient) {
        made_in = label::Phase::optimizer;
    }
    return (made_in == label::Phase::backward || made_in == label::Phase::optimizer)
        && !hasPhase(other, *made_in);
}

bool recordsGraph(const Side& side)
{
    return hasPhase(side, label::Phase::forward) || hasPhase(side, label::Phase::backward);
}

} // namespace tidemark::compare
