// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/user_input.h"
#include "core/base/language.h"
#include "core/report/documents.h"
#include "core/report/json.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct DiagnoseOptions : CommonOptions {
    std::optional<std::int32_t> device;
    UserInputOptions user;
};

int diagnose(const DiagnoseOptions& options)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, options.device);
        if (!devices.has_value()) {
            return devices.error();
        }
        const bool has_devices = analysis.deviceCount() > 0;
        const std::size_t device = options.device ? devices.value().front()
            : has_devices                         ? analysis.mainDevice()
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

void addDiagnose(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<DiagnoseOptions>();
    addCommonOptions(command, *options);
    addUserInputOptions(command, options->user, WithMessage::yes);
    addDeviceOption(command, options->device,
                    say("the one that ran out of memory, else the busiest"));
    command.callback([options, &run] {
        options->input = userInput(options->user);
        run = [options] { return diagnose(*options); };
    });
}

} // namespace tidemark::cli
