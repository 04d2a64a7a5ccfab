// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/label/runs/captured_moments.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <optional>
#include <vector>

namespace tidemark::label {

/// Replaces what was inferred by what the capture module saw, where it saw it: phases and steps by
/// its marks, the bucket of each allocation whose address it named while that was alive, and,
/// between marks, what follows from a lifetime by definition (made in a forward pass and alive when
/// its backward begins: an activation). What it says nothing about stays as it was inferred. Does
/// nothing without a capture. Requires labels of all allocations, phases and steps. A moment whose
/// addresses do not agree with the trace is left out, with a note. O(events + rows log rows).
void labelCaptured(const trace::Snapshot& snapshot, const trace::Device& device,
                   const replay::DeviceReplay& replay, DeviceLabels& labels);

/// An interval of the trace in a phase that the capture marked, or in one that it does not know.
struct CapturedInterval {
    StateId begin;
    StateId end;
    std::optional<Phase> phase;
    /// Of a training pass: when its backward begins, or what is there in its place at the end of
    /// the trace. Unset where nothing says which.
    std::optional<StateId> saved_until;
    /// Of a training pass: when the one after its backward begins; unset for the last one.
    std::optional<StateId> next_pass;
};

/// The intervals between marks, in order; they tile the trace. Inferred phases tell where the gap
/// between an end and the next beginning is to be cut. O(events + moments log moments).
std::vector<CapturedInterval> capturedIntervals(const trace::Capture& capture,
                                                const trace::Device& device,
                                                const CapturedPlaces& places,
                                                const std::vector<PhaseSpan>& inferred);

/// Puts the intervals in the place of the inferred phases, and counts steps anew: by the marks of
/// the program where it set any, else by optimizer phases.
void replacePhases(const trace::Capture& capture, const trace::Device& device,
                   const CapturedPlaces& places, const std::vector<CapturedInterval>& intervals,
                   DeviceLabels& labels);

} // namespace tidemark::label
