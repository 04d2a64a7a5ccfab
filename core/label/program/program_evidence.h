// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/corrections/corrections.h"
#include "core/label/labels.h"
#include "core/program/program.h"
#include "core/program/program_input.h"
#include "core/trace/snapshot.h"

#include <span>
#include <stop_token>
#include <vector>

namespace tidemark::label {

/// What labels tell the search for the program: their buckets, and those of requests that failed.
/// What a capture or a correction said is certain, the rest is weak. O(allocations).
program::ProgramInput evidenceOf(const DeviceLabels& labels, const trace::Events& events);

/// Whether a person, a capture or the file itself said what an allocation is. O(1).
bool isUserSet(const DeviceLabels& labels, AllocationId a);

/// What each device's program was; what the rules say of dimensions is certain. Asked to stop,
/// those that are left are empty. O(allocations log) each.
std::vector<program::Program> findPrograms(const trace::Snapshot& snapshot,
                                           const replay::Replay& replay, const Labels& labels,
                                           std::span<const Correction> rules = {},
                                           const std::stop_token& stop = {});

} // namespace tidemark::label
