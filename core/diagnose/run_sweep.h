// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/run_scan.h"
#include "core/diagnose/size_kinds.h"

#include <span>
#include <vector>

namespace tidemark::diagnose {

/// As `scan` for each of the runs, but the trace is gone through once for all of them: what the
/// changes make of an allocation is a row of numbers, one per run and bound, added and taken away
/// together. Keeps no curves. O(states · runs) of vector arithmetic, at states that may be a
/// largest one, + O(edits log edits).
/// `kinds`: those by which the runs were made, all of them; null if none was.
std::vector<ScanResult> scanAll(const Facts& facts, std::span<const ChangedRun> runs,
                                const ScanRequest& request, const SizeKinds* kinds = nullptr);

} // namespace tidemark::diagnose
