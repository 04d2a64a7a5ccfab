// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/json_optional.h"
#include "core/diagnose/answer.h"
#include "core/label/modules/details.h"
#include "core/message/fix.h"
#include "core/message/oom_message.h"
#include "core/replay/block_sizes.h"
#include "core/report/json.h"
#include "core/report/label_row.h"
#include "core/report/places.h"

#include <optional>

namespace tidemark::report {

// Pieces that several of the objects in json.h share.

/// Every bucket with its bytes, in stack order.
Json bucketsJson(const label::BucketBytes& buckets);

/// Adds `stack`: its frames, innermost first; empty for one that was not recorded. Many rows share
/// a stack, so that a long one would be written again and again: of more than 512 frames the 448
/// innermost and the 64 outermost are given, and `stack_frames_left_out` says how many lie between.
void addStack(Json& row, const trace::Snapshot& snapshot, StackId stack);
/// Adds `where`, the line that names the place best, `model_line` and `user_line`.
void addPlace(Json& row, const trace::Snapshot& snapshot, const Place& place);

/// When the last event before a state happened; null for the start and in files without times.
Json timeJson(const trace::Device& device, StateId state);

/// A row of the label list.
Json rowJson(const LabelRow& row);
/// The same with module, shape, place and stack.
Json allocationJson(const diagnose::Analysis& analysis, const label::Details& details,
                    Places& places, std::size_t device, AllocationId id);

/// What the capture module says about a run; null without a capture.
Json captureJson(const std::optional<trace::Capture>& capture);

/// The file as it was named.
Json fileJson(const diagnose::Analysis& analysis);

/// The 50 largest of buckets and modules in a state.
Json modulesJson(const diagnose::Analysis& analysis, const label::Details& details,
                 std::size_t device, StateId state);

/// The largest totals of every phase and of every phase of every step.
Json phasePeaksJson(const diagnose::Analysis& analysis, std::size_t device,
                    const replay::BlockTotals& block_totals);

/// The 20 stacks whose live bytes grow most from step to step.
Json growthJson(const diagnose::Analysis& analysis, const label::Details& details,
                std::size_t device);

/// The figures of an out-of-memory message that it has, each with its interval.
Json messageJson(const std::optional<diagnose::OomMessage>& message);

Json fixJson(const diagnose::Fix& fix);
/// Null without one.
Json answerJson(const std::optional<diagnose::Answer>& answer);
Json limitsJson(const diagnose::Limits& limits);

/// Module, layer, shape and element type, null where unknown.
void addDetails(Json& row, const trace::Snapshot& snapshot, const label::Details& details,
                std::size_t device, AllocationId a);

} // namespace tidemark::report
