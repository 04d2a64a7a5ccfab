// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/label/stacks/stack_kinds.h"
#include "core/label/stacks/stated_kinds.h"
#include "core/replay/replay.h"

#include <array>
#include <optional>
#include <vector>

namespace tidemark::label {

/// An interval of the trace whose allocations belong to one phase. For forward-like phases one run
/// is one pass through the model. Runs tile the trace.
struct Run {
    Phase phase = Phase::other;
    EventId
        first; ///< First event of the run: its first allocation with the segment events before it.
    EventId end; ///< One past its last event.
    EventId first_alloc;
    EventId last_alloc;
    /// The moment the run is over: just before the next run's first allocation, so that what is
    /// freed between the two counts as gone. For the last run: just after its last allocation, so
    /// that the program's teardown does not count; of an optimizer in a program that lives on, when
    /// the trace ends, so that what its step lets go of last counts.
    StateId over;
    std::uint32_t step = 0;
    bool is_last = false;
    /// A backward whose gradients are let go of before the next one begins, with no optimizer run
    /// in between: a step ends with it, and its optimizer made nothing.
    bool ends_step = false;
    bool generates = false; ///< Inside a library's loop over tokens, which asks for no gradients.
    /// Until when a forward pass keeps what it saves: the start of the backward it leads to;
    /// without one, the pass's own last allocation.
    StateId saved_until;
    /// When the next optimizer run is over. Unset without one.
    std::optional<StateId> step_over;
    /// When two further optimizer runs are over: no memory of this step is needed any more. Unset
    /// without.
    std::optional<StateId> two_steps_later;
    /// Just before the next optimizer run; the end of the last run without one.
    StateId before_next_optimizer;
    /// When the next run of the same phase is over. Unset without one.
    std::optional<StateId> next_alike_over;
};

/// The trace of one device cut into runs.
struct Runs {
    std::vector<Run> runs;
    std::vector<Step> steps;
    bool has_training = false; ///< There is a backward or an optimizer run.
    bool has_stacks = false; ///< At least one allocation has a stack with frames.
    bool is_frameless = false; ///< No stack tells a phase: they follow from sizes and lifetimes.

    /// Index of the run an event lies in; O(log runs). Requires a non-empty trace with runs.
    [[nodiscard]] std::size_t indexAt(EventId e) const;
};

/// One past the last allocation or failed request; the start where there is none. O(events at the
/// end that are neither).
StateId lastMoment(const trace::Device& device);

/// Finds phases from the kinds of the allocating stacks and what neighbours them: which user code
/// feeds a forward pass, which forward passes save memory for a backward, and which are evaluation.
/// O(events).
Runs findRuns(const trace::Snapshot& snapshot, const trace::Device& device,
              const replay::DeviceReplay& replay, const StackKinds& kinds,
              const StatedTimes& times);

} // namespace tidemark::label
