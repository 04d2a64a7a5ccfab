// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/diagnose/analysis.h"
#include "core/diagnose/prediction.h"
#include "core/report/bookmarks_report.h"
#include "core/report/document.h"
#include "core/report/run_query.h"
#include "core/report/selection.h"

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

// What each command prints for people, and the report. All require complete analyses.

Document summaryDocument(const diagnose::Analysis& analysis);
/// `devices` as from `chosenDevices`.
Document timelineDocument(const diagnose::Analysis& analysis, std::span<const std::size_t> devices,
                          std::size_t points);
Document allocationsDocument(const diagnose::Analysis& analysis,
                             std::span<const AllocationSelection> selections);
/// What a query finds in the whole run.
Document runQueryDocument(const diagnose::Analysis& analysis, const RunQuery& query,
                          std::span<const RunAnswer> answers);
/// `device` is an index into the snapshot's devices; a file may have none.
Document diagnosisDocument(const diagnose::Analysis& analysis, std::size_t device);
Document predictionDocument(const diagnose::Analysis& analysis,
                            std::span<const diagnose::Prediction> predictions);
/// What two runs are called.
using Letters = std::array<std::string, 2>;
struct ReportOptions {
    ReportBookmarks bookmarks;
    Letters letters{"A", "B"};
    bool single_reports = false; ///< Of two runs: the report of each behind the comparison.
    std::vector<std::string> only{}; ///< Parts of `reportParts` to keep; empty: all.
    std::vector<std::filesystem::path> inputs{}; ///< Never written onto; empty: the runs' files.
    PaperSize paper = PaperSize::any; ///< Of a printed page.
};
/// What sections of reports are (`Section::part`), in their order.
std::span<const std::string_view> reportParts();
/// Leaves out the sections that are none of these parts; none named: keeps all.
void keepParts(Document& document, std::span<const std::string> only);
/// Of one run (`other` is null): verdict, timeline, bookmarks, buckets, largest allocations with
/// stacks, fixes, facts and notes, about four pages. Of two: how they differ, both drawn on one
/// axis, and their files; where one of them has nothing to compare, the report of each.
Document reportDocument(const diagnose::Analysis& analysis, const diagnose::Analysis* other,
                        const ReportOptions& options = {});
/// How two runs differ in their reports; nullopt where one has nothing to compare.
std::optional<compare::Difference> reportDifference(const diagnose::Analysis& a,
                                                    const diagnose::Analysis& b,
                                                    const Letters& letters,
                                                    std::stop_token stop = {});
/// `reportDocument` of two runs whose difference is known.
Document comparisonDocument(const diagnose::Analysis& a, const diagnose::Analysis& b,
                            const std::optional<compare::Difference>& difference,
                            const ReportOptions& options);

/// The largest allocations at the moment that the diagnosis of a device is about.
AllocationSelection largestAtMoment(const diagnose::Analysis& analysis, std::size_t device,
                                    std::size_t top);

} // namespace tidemark::report
