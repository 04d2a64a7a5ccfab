// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/projection/timeline.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <vector>

namespace tidemark::projection {

/// A `record_function` scope of the program, in the times and states of one device.
struct AnnotationSpan {
    StringId name;
    Interval<StateId> states; ///< From the last state before it began to the last before it ended.
    Interval<TimePoint> times; ///< Equal to those of its events where only these are known.
    std::uint32_t lane = 0; ///< Scopes that were open when it began.
    bool is_open = false; ///< Its end is missing: it reaches to the end of the trace.
};

/// The scopes of one device, in the order in which they begin.
struct AnnotationLanes {
    std::vector<AnnotationSpan> spans;
    std::uint32_t lanes = 0;
    std::int64_t unmatched = 0; ///< Ends without a beginning, which are left out.
};

/// Pairs the ends of scopes, which bear no number, by name as a stack; tolerates missing partners.
/// Takes `external_annotations` (torch 2.5+; they name the thread's current device, which is mostly
/// 0, so where they name one device only they are shown on all) and the `user_defined` events of
/// mid-2024 builds. Without event times only the latter. O((annotations + events) log annotations).
/// Source: snapshot-format: Annotation has no thread id and no pairing id.
AnnotationLanes annotationLanes(const trace::Snapshot& snapshot, std::size_t device);

/// Where a span lies on an axis.
Interval<double> extentOf(const AnnotationSpan& span, const trace::Device& device,
                          const AxisMap& axis);

} // namespace tidemark::projection
