// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/job_input.h"
#include "app/cli/user_input.h"
#include "core/base/language.h"
#include "core/report/job_report.h"

#include <algorithm>
#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct RanksOptions : CommonOptions {
    UserInputOptions words;
    bool explains = true;
};

Result<job::Job> readRanks(const RanksOptions& options)
{
    const Result<pipeline::Options> how = pipelineOptions(options);
    if (!how.has_value()) {
        return how.error();
    }
    job::ReadOptions read;
    read.open = how.value();
    read.keeps_curves = false;
    read.explains = options.explains;
    return readNamedJob(options.files, read);
}

int printRanks(const RanksOptions& options)
{
    const Result<job::Job> job = readRanks(options);
    if (!job.has_value()) {
        return failed(options.files.size() == 1 ? options.files.front() : std::string(),
                      job.error());
    }
    if (options.json) {
        std::cout << report::toString(report::jobJson(job.value())) << '\n';
    } else {
        std::cout << report::toText(report::jobDocument(job.value()));
    }
    const auto is_read = [](const job::RankSummary& row) { return row.isRead(); };
    if (std::ranges::none_of(job.value().rows, is_read)) {
        return kUnusable;
    }
    return job.value().ranOut() ? kCheckFailed : kSuccess;
}

} // namespace

void addRanks(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<RanksOptions>();
    addCommonOptions(command, *options);
    command.get_option("FILE")->description(
        say("A folder, an archive, a manifest, host:folder, or snapshots and summaries of ranks"));
    command.add_flag_callback(
        "--no-compare", [options] { options->explains = false; },
        say("Skips reopening snapshots to explain why ranks differ"));
    addUserInputOptions(command, options->words, WithMessage::no);
    command.callback([options, &run] {
        options->input = userInput(options->words);
        run = [options] { return printRanks(*options); };
    });
}

} // namespace tidemark::cli
