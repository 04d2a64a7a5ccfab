// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/label/bucket.h"
#include "core/label/runs/step_numbers.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::label {

/// Why an allocation got its bucket: a rule with what it saw.
struct Reason {
    std::string rule; ///< Stable id, e.g. "optimizer-step-survivor".
    std::string evidence; ///< One sentence: what was seen.
};

/// An interval of the trace, half-open in events, in one phase. Spans tile the trace in order.
struct PhaseSpan {
    EventId first;
    EventId end; ///< One past the last event.
    Phase phase = Phase::other;
    std::uint32_t step = 0; ///< 1-based number of the step it belongs to; 0 before the first.
};

/// One completed optimizer step with the forward and backward that led to it.
struct Step {
    EventId first_event;
    EventId last_event; ///< Inclusive.
};

/// The request that failed at an OOM event, labelled as if it had succeeded.
struct FailedRequest {
    EventId event;
    Bucket bucket = Bucket::unknown;
    Role role = Role::none;
    std::uint8_t confidence = 0; ///< Percent, as of an allocation.
};

/// Labels of one device. Columns are indexed by AllocationId.
struct DeviceLabels {
    std::vector<Bucket> bucket;
    std::vector<Role> role;
    std::vector<std::uint8_t> confidence; ///< Percent, 0 to 100.
    std::vector<std::uint32_t> reason; ///< Index into `reasons`.
    std::vector<Reason> reasons;
    std::vector<PhaseSpan> phases;
    std::vector<Step> steps;
    StepNumbers numbers; ///< Of the steps begun, as people know them.
    std::vector<FailedRequest> failed; ///< One per OOM event of the replay, in order.
    trace::InputNotes notes; ///< What of a capture could not be used.

    [[nodiscard]] const Reason& reasonOf(AllocationId a) const
    {
        return reasons[reason[a.index()]];
    }
    /// The phase and step in which an event lies; O(log spans). Null only for an empty trace.
    [[nodiscard]] const PhaseSpan* phaseAt(EventId e) const;
    /// `steps` and the one that the trace cuts off, as far as it goes. O(steps + spans).
    [[nodiscard]] std::vector<Step> stepsBegun() const;
};

struct Labels {
    std::vector<DeviceLabels> devices;
};

/// Gives every allocation a bucket, a role where known, a reason and a confidence, and finds phases
/// and steps, from stacks, lifetimes and sizes, and from what a capture says. O(allocations +
/// frames). Errors: cancelled.
Result<Labels> apply(const trace::Snapshot& snapshot, const replay::Replay& replay,
                     ProgressSink& progress, std::stop_token stop);

} // namespace tidemark::label
