// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"

#include <string_view>
#include <vector>

namespace tidemark::test {

/// A complete analysis of a trace script (tests/support/trace_script.h) whose labels and diagnosis
/// are made by hand, so that a test of the reports depends on no rule. Allocation i has
/// `buckets[i]`, those beyond the list are unknown; every allocation has the reason
/// "by-hand: as the test says", 75 % sure. All events lie in the forward phase of step 1.
diagnose::Analysis handMadeAnalysis(std::string_view script, std::vector<label::Bucket> buckets);

/// One that dies: w lives before the trace, a and b are freed, c lives to the end. The peak is
/// after event 4, the OOM is event 5. Totals of requested bytes by state: 4096 and 0, 1, 1.5, 1.5,
/// 0.5, 2.5, 2.5, 2.5, 2 MiB.
diagnose::Analysis handMadeDeath();

} // namespace tidemark::test
