// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "core/base/language.h"
#include "core/report/program_report.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct ProgramOptions : CommonOptions {
    std::optional<std::int32_t> device;
};

int printProgram(const ProgramOptions& options)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, options.device);
        if (!devices.has_value()) {
            return devices.error();
        }
        if (options.json) {
            std::cout << report::toString(report::programsJson(analysis, devices.value())) << '\n';
        } else {
            std::cout << report::toText(report::programDocument(analysis, devices.value()));
        }
        return Done{};
    });
}

} // namespace

void addProgram(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<ProgramOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(command, *options);
    addDeviceOption(command, options->device);
    command.callback([options, &run] { run = [options] { return printProgram(*options); }; });
}

} // namespace tidemark::cli
