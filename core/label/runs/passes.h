// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/label/labels.h"

#include <cstdint>
#include <vector>

namespace tidemark::label {

/// A forward of evaluation or of inference.
inline bool isWithoutGradients(Phase phase)
{
    return phase == Phase::evaluation || phase == Phase::inference;
}
/// A forward, whatever it is for.
inline bool isForwardKind(Phase phase)
{
    return phase == Phase::forward || isWithoutGradients(phase);
}

/// One forward with the backward that follows it, as states. A step with gradient accumulation has
/// several.
struct Pass {
    Interval<StateId> forward;
    Interval<StateId>
        backward; ///< Empty where none follows: cut off by an OOM, evaluation, inference.
    Phase kind = Phase::forward; ///< forward, evaluation or inference.
    std::uint32_t step = 0; ///< 1-based; 0 before the first.
    bool complete = false; ///< Something else follows, so neither part is cut off.

    [[nodiscard]] bool isTraining() const
    {
        return kind == Phase::forward;
    }
    /// A forward and its backward, neither cut off.
    [[nodiscard]] bool isWholeTraining() const
    {
        return isTraining() && complete && !backward.isEmpty();
    }
    [[nodiscard]] StateId end() const
    {
        return backward.isEmpty() ? forward.end : backward.end;
    }
};

/// Passes in order, from the phases. `states` is the number of states of the device. O(spans).
std::vector<Pass> findPasses(const DeviceLabels& labels, std::size_t states);

/// Index of the pass that contains a state, or −1. O(log passes).
std::int32_t passAt(const std::vector<Pass>& passes, StateId state);

/// Per allocation: the pass in which it was made, −1 outside and before the trace. O(allocations
/// log passes).
std::vector<std::int32_t> passesOf(const replay::Allocations& allocations,
                                   const std::vector<Pass>& passes);

/// Per allocation: the phase in which it was made; setup before the trace. O(allocations + spans).
std::vector<Phase> phasesOf(const replay::Allocations& allocations, const DeviceLabels& labels);

} // namespace tidemark::label
