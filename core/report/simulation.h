// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/study.h"
#include "core/diagnose/analysis.h"
#include "core/report/document.h"
#include "core/report/json.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tidemark::report {

/// What `simulate` found out about one device.
struct SimulatedDevice {
    std::size_t device = 0; ///< Index into the snapshot's devices.
    allocator::Study study;
};

/// What the replay takes for granted, or cannot know, as far as it matters here: a sentence each.
std::vector<std::string> simulationLimits(const diagnose::Analysis& analysis,
                                          const SimulatedDevice& simulated);

/// One outcome, as the command line and the window list them.
struct SimulationRow {
    std::string settings; ///< In words: "expandable_segments:True", "defaults (recorded)".
    std::string outcome; ///< "out of memory at event 6,623, short by 819.20 KiB".
    const allocator::Simulation* simulation = nullptr; ///< Inside the study.
};
/// The recorded settings first, then those asked for, then the candidates, best first.
std::vector<SimulationRow> simulationRows(const allocator::Study& study);

/// How far the model repeats the recorded run, as a sentence or two.
std::string baselineSentence(const allocator::Baseline& baseline);

/// What came out, as one sentence.
std::string simulationVerdict(const allocator::Study& study);

Json simulationsJson(const diagnose::Analysis& analysis,
                     std::span<const SimulatedDevice> simulated);
Document simulationDocument(const diagnose::Analysis& analysis,
                            std::span<const SimulatedDevice> simulated);

} // namespace tidemark::report
