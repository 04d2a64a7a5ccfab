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
    bool fit = false; ///< With the walk that has its tensors.
};

int printProgram(const ProgramOptions& options)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, options.device);
        if (!devices.has_value()) {
            return devices.error();
        }
        if (options.json) {
            report::Json json = report::programsJson(analysis, devices.value());
            for (std::size_t d = 0; options.fit && d < devices.value().size(); ++d) {
                json["devices"][d]["fit"] = report::fitJson(analysis, devices.value()[d]);
            }
            std::cout << report::toString(json) << '\n';
        } else {
            report::Document document = report::programDocument(analysis, devices.value());
            for (std::size_t d = 0; options.fit && d < devices.value().size(); ++d) {
                document.sections.push_back(report::fitSection(analysis, devices.value()[d]));
            }
            std::cout << report::toText(document);
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
    command.add_flag(
        "--fit", options->fit,
        say("Also prints the configuration whose planned tensors match the recorded ones"));
    command.callback([options, &run] { run = [options] { return printProgram(*options); }; });
}

} // namespace tidemark::cli
