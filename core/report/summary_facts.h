// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::report {

/// How often each action occurs in a device's trace, those that occur, known ones first, then
/// others by name.
std::vector<std::pair<std::string, std::int64_t>> actionCounts(const trace::Snapshot& snapshot,
                                                               const trace::Device& device);

/// The notes of the reader, of every device's replay and labels, and on the corrections.
trace::InputNotes allNotes(const diagnose::Analysis& analysis);

/// "backward of step 2", or empty where nothing is known.
std::string phaseText(const label::DeviceLabels& labels, StateId state);

/// "event 5,093, backward of step 2".
std::string momentText(const label::DeviceLabels& labels, StateId state);
/// The same; "the dump" where there are no events.
std::string momentText(const diagnose::Analysis& analysis, std::size_t device, StateId state);

} // namespace tidemark::report
