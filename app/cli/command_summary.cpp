// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "core/pipeline/saved_rules.h"
#include "core/report/documents.h"
#include "core/report/json.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {

void addCommonOptions(CLI::App& command, CommonOptions& options)
{
    command.add_option("FILE", options.files, "Snapshots; several give one JSON object per line")
        ->required();
    command.add_flag("--json", options.json, "Print JSON");
    command.add_option("--reader", options.reader, "What reads pickles: auto, cpython or native")
        ->check(CLI::IsMember({"auto", "cpython", "native"}));
    const auto read_rules = [&options](const std::vector<std::string>& files) {
        for (const std::string& file : files) {
            const auto rules = valueOrThrow(pipeline::readRulesFile(file), "--rules");
            options.rules.rules.insert(options.rules.rules.end(), rules.begin(), rules.end());
        }
    };
    command
        .add_option_function<std::vector<std::string>>(
            "--rules", read_rules,
            "A rules file that corrects labels; may be given several times, later ones win")
        ->allow_extra_args(false);
    options.rules.use_saved = true;
    command.add_flag("!--no-saved-rules", options.rules.use_saved,
                     "Leave out the corrections saved beside the snapshot");
}

void addDeviceOption(CLI::App& command, std::optional<std::int32_t>& device,
                     const std::string& otherwise)
{
    command.add_option_function<std::string>(
        "--device",
        [&device](const std::string& words) {
            device = valueOrThrow(parseDevice(words), "--device");
        },
        "CUDA index, or host; default: " + otherwise);
}

void addSummary(CLI::App& program, Run& run)
{
    CLI::App* const command =
        program.add_subcommand("summary", "What is in a file: events, totals, peak, OOM events");
    const auto options = std::make_shared<CommonOptions>();
    options->last = pipeline::Stage::block_sizes;
    addCommonOptions(*command, *options);
    command->callback([options, &run] {
        run = [options] {
            return forEachFile(*options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
                if (options->json) {
                    std::cout << report::toString(report::summaryJson(analysis)) << '\n';
                } else {
                    std::cout << report::toText(report::summaryDocument(analysis));
                }
                return Done{};
            });
        };
    });
}

} // namespace tidemark::cli
