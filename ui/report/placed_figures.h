// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/job/job.h"
#include "ui/report/page_flow.h"
#include "ui/report/run_view.h"

namespace tidemark::ui::report {

// The pictures of a report in their place on the pages; false where there is nothing to draw. What
// they are drawn from outlives the pages.

/// The timeline of a run's main device (of a file without events, its memory as one bar), with what
/// the recommended fix makes of it.
bool placeTimeline(PageFlow& flow, const RunView& run);
/// Two runs and their difference on one axis.
bool placeLanes(PageFlow& flow, const RunView& a, const RunView& b,
                const compare::Difference& difference);
/// Ranks below each other.
bool placeJob(PageFlow& flow, const job::Job& job);

} // namespace tidemark::ui::report
