// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/user_input.h"
#include "core/base/language.h"
#include "core/report/json.h"
#include "core/report/report_file.h"

#include <filesystem>
#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct ReportFileOptions : CommonOptions {
    std::string out;
    UserInputOptions user;
    bool single_reports = false;
};

int writeReport(const ReportFileOptions& options)
{
    // Before the work, and once more after it.
    const std::vector<std::filesystem::path> inputs(options.files.begin(), options.files.end());
    const Result<Done> allowed = report::checkReportFile(options.out, inputs);
    if (!allowed.has_value()) {
        return failed("", allowed.error());
    }
    std::vector<diagnose::Analysis> runs;
    for (const std::string& file : options.files) {
        Result<diagnose::Analysis> analysis = open(file, options);
        if (!analysis.has_value()) {
            return failed(file, analysis.error());
        }
        runs.push_back(std::move(analysis).value());
    }
    const diagnose::Analysis* const other = runs.size() > 1 ? &runs[1] : nullptr;
    report::ReportOptions parts;
    parts.single_reports = options.single_reports;
    if (options.rules.use_saved) {
        parts.bookmarks.own = pipeline::loadBookmarks(runs[0].file, options.rules.folder).list;
        if (other != nullptr) {
            parts.bookmarks.other = pipeline::loadBookmarks(other->file, options.rules.folder).list;
        }
    }
    const Result<Done> written = report::writeReportFile(options.out, runs[0], other, parts);
    if (!written.has_value()) {
        return failed(options.out, written.error());
    }
    if (options.json) {
        std::cout << report::toString({{"files", options.files}, {"report", options.out}}) << '\n';
    }
    return kSuccess;
}

} // namespace

void addReport(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "report", say("Writes a report to pass on: of one file, or of how two differ"));
    const auto options = std::make_shared<ReportFileOptions>();
    addCommonOptions(*command, *options);
    command->get_option("FILE")->expected(1, 2)->description(
        say("A snapshot, and one to compare it with"));
    command->add_option("-o,--output", options->out, say("OUT.html, OUT.json, OUT.md or OUT.csv"))
        ->required();
    command->add_flag(
        "--single-reports", options->single_reports,
        say("Of two runs: add the report of each behind the comparison; JSON always has them"));
    addUserInputOptions(*command, options->user, WithMessage::yes);
    command->callback([options, &run] {
        options->input = userInput(options->user);
        valueOrThrow(report::reportFormatOf(options->out), "-o");
        run = [options] { return writeReport(*options); };
    });
}

} // namespace tidemark::cli
