// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/diagnose/prediction.h"
#include "core/label/modules/details.h"
#include "core/report/selection.h"

#include <nlohmann/json.hpp>

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace tidemark::report {

/// Keys keep their order, so the same analysis gives the same bytes.
using Json = nlohmann::ordered_json;

// The objects that the commands print: the fields of the command line's contract, and more. Bytes
// are exact integers, `event` is an index into its device's trace with −1 for the start,
// `time_us` is the file's own clock (microseconds since the Unix epoch), null where it has none.
// Bucket objects have every bucket. All functions require a complete analysis.

/// One line, valid UTF-8 whatever the file held.
std::string toString(const Json& json);

/// What is in the file, per device; empty devices too.
Json summaryJson(const diagnose::Analysis& analysis);
Json summaryJson(const diagnose::Analysis& analysis, const label::Details& details);
/// The part of it that puts the ranks of a job together, a few kilobytes. Requires programs.
Json summaryForRanksJson(const diagnose::Analysis& analysis);

/// The totals at the states of `timelineStates`, as one line. `devices` as from `chosenDevices`.
/// Row by row, as those below: what is asked for may be many times the file.
void writeTimelineJson(std::ostream& out, const diagnose::Analysis& analysis,
                       std::span<const std::size_t> devices, std::size_t points);

/// The rows of the label list with their stacks, innermost frame first, as one line.
void writeAllocationsJson(std::ostream& out, const diagnose::Analysis& analysis,
                          std::span<const AllocationSelection> selections);
/// One of the objects in its `devices`; for a few rows.
Json selectionJson(const diagnose::Analysis& analysis, const label::Details& details,
                   const AllocationSelection& selection);

/// Causes, need, capacity and fixes of one device (an index into the snapshot's); a file without
/// devices has no cause and no fixes.
Json diagnosisJson(const diagnose::Analysis& analysis, std::size_t device);

/// The answers of `predict`, one per device.
Json predictionsJson(const diagnose::Analysis& analysis,
                     std::span<const diagnose::Prediction> predictions);

} // namespace tidemark::report
