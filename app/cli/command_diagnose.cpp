// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/user_input.h"
#include "core/report/documents.h"
#include "core/report/json.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct Options : CommonOptions {
    std::string device;
    UserInputOptions user;
};

int diagnose(const Options& options, std::optional<std::int32_t> wanted)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, wanted);
        if (!devices.has_value()) {
            return devices.error();
        }
        const bool has_devices = analysis.deviceCount() > 0;
        const std::size_t device = wanted ? devices.value().front()
            : has_devices                 ? analysis.mainDevice()
                                          : 0;
        if (options.json) {
            std::cout << report::toString(report::diagnosisJson(analysis, device)) << '\n';
        } else {
            std::cout << report::toText(report::diagnosisDocument(analysis, device));
        }
        return Done{};
    });
}

} // namespace

void addDiagnose(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "diagnose", "Why the run ran out, the evidence, and the fixes, cheapest first");
    const auto options = std::make_shared<Options>();
    addCommonOptions(*command, *options);
    addUserInputOptions(*command, options->user, WithMessage::yes);
    command->add_option("--device", options->device,
                        "CUDA index, or host; default: the one that ran out, else the busiest");
    command->callback([options, &run] {
        options->input = userInput(options->user);
        std::optional<std::int32_t> wanted;
        if (!options->device.empty()) {
            wanted = valueOrThrow(parseDevice(options->device), "--device");
        }
        run = [options, wanted] { return diagnose(*options, wanted); };
    });
}

} // namespace tidemark::cli
