// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/side.h"

#include <optional>

namespace tidemark::compare {

/// The phase that a state lies in. Null outside of phases. O(log phases).
const label::PhaseSpan* spanAt(const Side& side, StateId state);
std::optional<label::Phase> phaseAt(const Side& side, StateId state);

/// O(phases).
bool hasPhase(const Side& side, label::Phase phase);

/// The phases that made an allocation in either run, where they are two; nothing where they are one
/// or not known.
struct MovedPhase {
    std::optional<label::Phase> a;
    std::optional<label::Phase> b;
    friend constexpr bool operator==(const MovedPhase&, const MovedPhase&) = default;
};

/// Of two that are partners; either may be none. O(log phases).
MovedPhase movedPhase(const Side& side_a, AllocationId a, const Side& side_b, AllocationId b);

/// Whether a run has no phase that makes what `one` made: no gradient and nothing else of a
/// backward pass without one, no state without an optimizer's step, whatever else differs.
/// O(phases).
bool lacksPhaseOf(const Side& other, const Side& one, AllocationId id);

/// Whether autograd records a graph anywhere in a run: a forward that can be followed by a backward
/// pass. Inference and evaluation record none, so what an operation would save for backward is
/// freed with its last use. O(phases).
bool recordsGraph(const Side& side);

} // namespace tidemark::compare
