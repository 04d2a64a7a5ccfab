// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/config/run_config.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/answer.h"
#include "core/message/fix.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemark::report {

// What every report and the window say of fixes and of a run's configuration, in the same words.

/// What was computed of a fix, or what a text alone lets us say.
enum class FixSource : std::uint8_t { trace, text };
/// "would help"; of a text "may help".
std::string statusText(diagnose::FixStatus status, FixSource source = FixSource::trace);

/// A name and what is said under it: {"Cost", "About 30 % slower."}.
using Term = std::pair<std::string, std::string>;

/// What a fix costs, what to check again, what it does not go with and what it needs. A name may
/// come several times.
std::vector<Term> fixTerms(const diagnose::Fix& fix);

/// Of a fix that is one of several in a set: what it does by itself. Empty for all others.
std::string aloneText(const diagnose::Fix& fix);

/// What stays free of the capacity for certain with a fix, by the upper end of what the run then
/// needs from the driver: known of the answer's fixes, which bear the figures of their set.
std::optional<Bytes> certainSpare(const diagnose::Fix& fix,
                                  const diagnose::DeviceDiagnosis& diagnosis);

/// Where several changes that are offered lead to about the same peak, because a moment of another
/// phase is then the largest: these, the one with the lowest peak first. Of those that are not
/// known to fit; empty where fewer than three do. O(fixes² + events).
std::vector<const diagnose::Fix*> fixesOfNextPeak(const diagnose::Analysis& analysis,
                                                  std::size_t device);
/// The same as a sentence; empty without any.
std::string nextPeakText(const diagnose::Analysis& analysis, std::size_t device);

/// The members of the answer's set in the ladder's order; none without one.
std::vector<const diagnose::Fix*> answerFixes(const diagnose::DeviceDiagnosis& diagnosis);

/// The lines to paste of one fix, or of several together: framework → text. Of several each part
/// has its title above it, and a fix that is written otherwise nowhere comes as it is for plain
/// PyTorch.
std::vector<std::pair<std::string, std::string>>
linesToPaste(const std::vector<const diagnose::Fix*>& fixes);

/// The line of one fix for a framework, else for plain PyTorch; null where it has neither.
const std::pair<std::string, std::string>* lineFor(const diagnose::Fix& fix,
                                                   std::string_view framework);

/// The framework whose lines a run needs, as resources/fixes.json names it: that of its
/// configuration, else the one whose files are in its stacks; empty where none is. O(frames).
std::string_view frameworkInUse(const diagnose::Analysis& analysis);

/// The knobs solved backwards, one line each: "Micro-batch: at most 7 (0.875 of the recorded
/// size)."
std::vector<std::string> limitLines(const diagnose::Limits& limits);

/// What was read of a run's configuration that matters here, one line each.
std::vector<std::string> configLines(const config::RunConfig& config);

} // namespace tidemark::report
