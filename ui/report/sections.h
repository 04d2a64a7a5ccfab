// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"
#include "ui/report/page_flow.h"
#include "ui/report/run_view.h"

namespace tidemark::ui::report {

// The parts of the report in reading order. Each adds itself to the pages and leaves itself out
// where the analysis has nothing to say. `level` is the bookmark level of its heading.

/// The file's name, the verdict with its trust checks, the cheapest fix, and the key figures.
void addVerdict(PageFlow& flow, const RunView& run);
/// The timeline of the device (for a file without events, its memory as one bar).
void addTimeline(PageFlow& flow, const RunView& run, int level);
/// Bytes per bucket at the peak, and at the OOM or at the end.
void addBuckets(PageFlow& flow, const RunView& run, int level);
/// The OOM events of a trace with more than one.
void addOoms(PageFlow& flow, const RunView& run, int level);
/// The ranked causes with their evidence.
void addCauses(PageFlow& flow, const RunView& run, int level);
/// What the recommended fix makes of the run's needs, bucket by bucket.
void addBudget(PageFlow& flow, const RunView& run, int level);
/// The ladder of fixes, and the lines to paste.
void addFixes(PageFlow& flow, const RunView& run, int level);
/// The user's lines and the largest allocations at the moment that counts.
void addAllocations(PageFlow& flow, const RunView& run, int level);
/// Modules and lines at the peak, by bucket.
void addModules(PageFlow& flow, const RunView& run, int level);
/// The fixes that do not apply, with the reason.
void addSetAside(PageFlow& flow, const RunView& run, int level);
/// All devices of a file with several, and the verdicts on the others.
void addDevices(PageFlow& flow, const RunView& run, int level);
/// What a person has said about labels.
void addBookmarks(PageFlow& flow, const RunView& run, int level);
void addCorrections(PageFlow& flow, const RunView& run, int level);
/// Format, settings, counts, input notes.
void addFacts(PageFlow& flow, const RunView& run, int level);
/// How the figures are to be read.
void addGlossary(PageFlow& flow, int level);
/// Two runs held against each other: the answer, both timelines and the difference on one axis,
/// places, changes, settings, allocators.
void addComparison(PageFlow& flow, const RunView& a, const RunView& b);
/// A job of many ranks: the answer, a table and small multiples. The job outlives the pages.
void addJob(PageFlow& flow, const job::Job& job);

} // namespace tidemark::ui::report
