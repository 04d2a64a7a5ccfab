// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/job/job.h"
#include "core/report/documents.h"

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>

namespace tidemark::report {

enum class ReportFormat : std::uint8_t { html, json, markdown, csv };

/// By the file's ending: .html, .htm, .json, .md, .markdown or .csv, in any case. Errors:
/// badArgument naming what is possible.
Result<ReportFormat> reportFormatOf(const std::filesystem::path& file);

/// Writes a report about a run, or about how it and an `other` one (null: none) differ. CSV holds
/// the label list of one run. Errors: badArgument for CSV with two runs.
Result<Done> writeReport(std::ostream& out, ReportFormat format, const diagnose::Analysis& analysis,
                         const diagnose::Analysis* other, const ReportOptions& options = {});

/// Whether `writeReportFile` would write this file: its ending is known, it is none of the files
/// that are read, and what is there already is a report like it. Errors: badArgument.
Result<Done> checkReportFile(const std::filesystem::path& file,
                             std::span<const std::filesystem::path> inputs);

/// The same into a file, in the format of its ending; the file appears only when it is complete. As
/// CSV each table of the document is a file beside it: RUN.fixes.csv of RUN.csv.
/// Errors: those above, cannotWrite.
Result<Done> writeReportFile(const std::filesystem::path& file, const diagnose::Analysis& analysis,
                             const diagnose::Analysis* other, const ReportOptions& options = {});

/// The same about a job of many ranks. JSON has what `ranks` prints as "report"; CSV has one line
/// per rank, device and moment. Of the options what a job has: sections and paper.
void writeJobReport(std::ostream& out, ReportFormat format, const job::Job& job,
                    const ReportOptions& options = {});
Result<Done> writeJobReportFile(const std::filesystem::path& file, const job::Job& job,
                                std::span<const std::filesystem::path> inputs,
                                const ReportOptions& options = {});

} // namespace tidemark::report
