// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/pipeline/pipeline.h"
#include "core/pipeline/redaction.h"
#include "core/report/documents.h"

#include <CLI/CLI.hpp>

#include <span>

namespace tidemark::cli {

/// --redact: other names in what is written. `redacts` outlives the command.
void addRedactOption(CLI::App& command, bool& redacts);

/// --paper: a4 or letter. `paper` outlives the command.
void addPaperOption(CLI::App& command, report::PaperSize& paper);

/// What people noted about one or two runs: beside the files that were read, so before a copy is
/// called as its user named it. Each change is saved at once: this is what the window shows.
report::ReportBookmarks savedBookmarks(std::span<const diagnose::Analysis> runs,
                                       const pipeline::RuleOptions& rules);

/// Other names for runs and what people noted about them. Errors: those of `pipeline::redact`.
Result<Done> redactRuns(std::span<diagnose::Analysis> runs, report::ReportBookmarks& bookmarks);

} // namespace tidemark::cli
