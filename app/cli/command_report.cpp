// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/job_input.h"
#include "app/cli/parser_words.h"
#include "app/cli/remote_input.h"
#include "app/cli/report_options.h"
#include "app/cli/user_input.h"
#include "core/base/language.h"
#include "core/job/redact.h"
#include "core/pipeline/redaction.h"
#include "core/report/finding.h"
#include "core/report/json.h"
#include "core/report/report_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::cli {
namespace {

constexpr std::string_view kStandardOutput = "-";

struct ReportFileOptions : CommonOptions {
    std::string out;
    UserInputOptions user;
    bool single_reports = false;
    std::vector<std::string> sections;
    report::PaperSize paper = report::PaperSize::any;
    bool redacts = false;
};

int said(const ReportFileOptions& options)
{
    if (options.json) {
        std::cout << report::toString({{"files", options.files}, {"report", options.out}}) << '\n';
    }
    return kSuccess;
}

int writeJobReport(const ReportFileOptions& options, std::span<const std::filesystem::path> inputs)
{
    const Result<pipeline::Options> how = pipelineOptions(options);
    if (!how.has_value()) {
        return failed("", how.error());
    }
    job::ReadOptions read;
    read.open = how.value();
    Result<job::Job> job = readNamedJob(options.files, read);
    if (!job.has_value()) {
        return failed(options.files.front(), job.error());
    }
    if (options.redacts) {
        pipeline::Redaction names;
        job::redact(job.value(), names);
    }
    report::ReportOptions parts;
    parts.only = options.sections;
    parts.paper = options.paper;
    const Result<Done> written =
        report::writeJobReportFile(options.out, job.value(), inputs, parts);
    return written.has_value() ? said(options) : failed(options.out, written.error());
}

/// The finding alone, for an issue tracker.
int printFinding(const ReportFileOptions& options)
{
    if (options.json || namesJob(options.files) || options.files.size() > 1) {
        return failed(
            "",
            {ErrorCode::badArgument,
             say("'-o -' prints the finding of one snapshot as Markdown; for two, a job or "
                 "JSON name a file."),
             {}});
    }
    Result<diagnose::Analysis> run = open(options.files.front(), options);
    if (!run.has_value()) {
        return failed(options.files.front(), run.error());
    }
    diagnose::Analysis& analysis = run.value();
    if (options.redacts) {
        report::ReportBookmarks none;
        if (const Result<Done> done = redactRuns(std::span(&analysis, 1), none);
            !done.has_value()) {
            return failed(options.files.front(), done.error());
        }
    }
    std::cout << report::findingMarkdown(analysis,
                                         analysis.deviceCount() > 0 ? analysis.mainDevice() : 0);
    return kSuccess;
}

int writeReport(const ReportFileOptions& options)
{
    if (options.out == kStandardOutput) {
        return printFinding(options);
    }
    // Before the work, and once more after it.
    const std::vector<std::filesystem::path> inputs(options.files.begin(), options.files.end());
    const Result<Done> allowed = report::checkReportFile(options.out, inputs);
    if (!allowed.has_value()) {
        return failed("", allowed.error());
    }
    if (namesJob(options.files)) {
        return writeJobReport(options, inputs);
    }
    std::vector<diagnose::Analysis> runs;
    for (const std::string& file : options.files) {
        Result<diagnose::Analysis> analysis = openCopy(file, options);
        if (!analysis.has_value()) {
            return isFarJob(options.files) ? writeJobReport(options, inputs)
                                           : failed(file, analysis.error());
        }
        runs.push_back(std::move(analysis).value());
    }
    report::ReportOptions parts;
    parts.bookmarks = savedBookmarks(runs, options.rules);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        callAsNamed(runs[i], options.files[i]);
    }
    parts.inputs = inputs;
    parts.paper = options.paper;
    parts.single_reports = options.single_reports;
    parts.only = options.sections;
    if (options.redacts) {
        if (const Result<Done> done = redactRuns(runs, parts.bookmarks); !done.has_value()) {
            return failed("", done.error());
        }
    }
    const Result<Done> written =
        report::writeReportFile(options.out, runs[0], runs.size() > 1 ? &runs[1] : nullptr, parts);
    if (!written.has_value()) {
        return failed(options.out, written.error());
    }
    return said(options);
}

} // namespace

void addReport(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<ReportFileOptions>();
    addCommonOptions(command, *options);
    command.get_option("FILE")->description(
        say("A snapshot, and one to compare it with; or a folder, or the dumps of a job"));
    command
        .add_option(
            "-o,--output", options->out,
            say("OUT.html, OUT.json, OUT.md or OUT.csv; '-' prints the finding as Markdown"))
        ->required();
    command.add_flag("--single-reports", options->single_reports,
                     say("With two runs: adds each run's own report after the comparison; JSON "
                         "always has them"));
    const auto parts = report::reportParts();
    command
        .add_option("--sections", options->sections,
                    say("Only these parts of the page or Markdown, with commas: {}",
                        fmt::format("{}", fmt::join(parts, ", "))))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(oneOf(std::vector<std::string>(parts.begin(), parts.end())));
    addRedactOption(command, options->redacts);
    addPaperOption(command, options->paper);
    addUserInputOptions(command, options->user, WithMessage::yes);
    command.callback([options, &run] {
        options->input = userInput(options->user);
        if (options->out == kStandardOutput) {
            if (!options->sections.empty() || options->single_reports
                || options->paper != report::PaperSize::any) {
                throw CLI::ValidationError(
                    "-o",
                    say("'-o -' prints the finding alone; --sections, --single-reports and "
                        "--paper need a file."));
            }
        } else {
            const auto format = valueOrThrow(report::reportFormatOf(options->out), "-o");
            if (!options->sections.empty() && format != report::ReportFormat::html
                && format != report::ReportFormat::markdown) {
                throw CLI::ValidationError("--sections", say("Only .html and .md have sections."));
            }
        }
        run = [options] { return writeReport(*options); };
    });
}

} // namespace tidemark::cli
