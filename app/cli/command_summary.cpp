// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "app/cli/terminal.h"
#include "core/base/language.h"
#include "core/pipeline/saved_rules.h"
#include "core/report/documents.h"
#include "core/report/json.h"
#include "core/report/selection.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {

void addCommonOptions(CLI::App& command, CommonOptions& options)
{
    command
        .add_option("FILE", options.files, say("Snapshots; several give one JSON object per line"))
        ->required();
    command.add_flag("--json", options.json, say("Print JSON instead of text"));
    command.add_option("--reader", options.reader, say("Pickle reader: auto, cpython or native"))
        ->check(oneOf({"auto", "cpython", "native"}));
    const auto read_rules = [&options](const std::vector<std::string>& files) {
        for (const std::string& file : files) {
            const auto rules = valueOrThrow(pipeline::readRulesFile(file), "--rules");
            options.rules.rules.insert(options.rules.rules.end(), rules.begin(), rules.end());
        }
    };
    command
        .add_option_function<std::vector<std::string>>(
            "--rules", read_rules,
            say("Rules file that corrects labels; repeatable, later ones win"))
        ->allow_extra_args(false);
    options.rules.use_saved = true;
    command.add_flag_callback(
        "--no-saved-rules", [&options] { options.rules.use_saved = false; },
        say("Ignores the corrections saved beside the snapshot"));
}

void addDeviceOption(CLI::App& command, std::optional<std::int32_t>& device,
                     const std::string& otherwise)
{
    command.add_option_function<std::string>(
        "--device",
        [&device](const std::string& words) {
            device = valueOrThrow(parseDevice(words), "--device");
        },
        say("CUDA index, or host; default: {}", otherwise));
}

namespace {

struct SummaryOptions : CommonOptions {
    std::string picture = "auto";
    bool for_ranks = false;
    [[nodiscard]] bool drawsPicture() const
    {
        return picture == "always" || (picture == "auto" && isTerminal());
    }
};

/// The bands of every device that has a trace.
std::string pictures(const diagnose::Analysis& analysis)
{
    const report::Terminal terminal = terminalHere();
    std::string text;
    for (std::size_t d = 0; d < analysis.snapshot->devices.size(); ++d) {
        const trace::Device& device = analysis.snapshot->devices[d];
        if (device.events.count() > 0) {
            text += report::deviceName(device) + '\n'
                + report::terminalTimeline(analysis, d, terminal) + '\n';
        }
    }
    return text;
}

} // namespace

void addSummary(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<SummaryOptions>();
    options->last = pipeline::Stage::block_sizes;
    addCommonOptions(command, *options);
    command
        .add_option(
            "--picture", options->picture,
            say("Draws a stacked timeline above the text: auto (on a terminal), always, never"))
        ->check(oneOf({"auto", "always", "never"}));
    command.add_flag("--for-ranks", options->for_ranks,
                     say("Prints only the JSON that the command ranks reads, a few kilobytes"));
    command.callback([options, &run] {
        options->json = options->json || options->for_ranks;
        if (options->json) {
            options->last = pipeline::Stage::programs; // Whose dimensions ranks have in common.
        }
        run = [options] {
            return forEachFile(*options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
                if (options->json) {
                    std::cout << report::toString(options->for_ranks
                                                      ? report::summaryForRanksJson(analysis)
                                                      : report::summaryJson(analysis))
                              << '\n';
                    return Done{};
                }
                if (options->drawsPicture()) {
                    std::cout << pictures(analysis);
                }
                std::cout << report::toText(report::summaryDocument(analysis));
                return Done{};
            });
        };
    });
}

} // namespace tidemark::cli
