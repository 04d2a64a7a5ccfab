// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/job.h"
#include "core/report/document.h"
#include "core/report/json.h"

namespace tidemark::report {

/// What `ranks --json` prints.
Json jobJson(const job::Job& job);

/// The answer, the table of ranks with the outliers first, and small multiples of the outliers and
/// the median rank; a screen of text, a page of HTML.
Document jobDocument(const job::Job& job);
/// The same under the title of a report.
Document jobReportDocument(const job::Job& job);

} // namespace tidemark::report
