// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "core/report/program_report.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct Options : CommonOptions {
    std::string device;
};

int printProgram(const Options& options, std::optional<std::int32_t> wanted)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, wanted);
        if (!devices.has_value()) {
            return devices.error();
        }
        const auto found = report::findPrograms(analysis, devices.value());
        if (options.json) {
            std::cout << report::toString(report::programsJson(analysis, found)) << '\n';
        } else {
            std::cout << report::toText(report::programDocument(analysis, found));
        }
        return Done{};
    });
}

} // namespace

void addProgram(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "program",
        "What the program was, as its sizes show it: batch, sequence, the model's dimensions, and "
        "what each size is");
    const auto options = std::make_shared<Options>();
    options->last = pipeline::Stage::curves;
    addCommonOptions(*command, *options);
    command->add_option("--device", options->device, "CUDA index, or host; default: all");
    command->callback([options, &run] {
        std::optional<std::int32_t> wanted;
        if (!options->device.empty()) {
            wanted = valueOrThrow(parseDevice(options->device), "--device");
        }
        run = [options, wanted] { return printProgram(*options, wanted); };
    });
}

} // namespace tidemark::cli
