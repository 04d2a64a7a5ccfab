// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/report/labels_list.h"
#include "core/report/selection.h"

#include <iostream>
#include <limits>
#include <memory>

namespace tidemark::cli {
namespace {

struct LabelsOptions : CommonOptions {
    std::optional<std::int32_t> device;
    std::size_t top = std::numeric_limits<std::size_t>::max();
};

int labels(const LabelsOptions& options)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, options.device);
        if (!devices.has_value()) {
            return devices.error();
        }
        if (options.json) {
            report::writeLabelsJson(std::cout, analysis, devices.value(), options.top);
        } else {
            report::writeLabelsText(std::cout, analysis, devices.value(), options.top);
        }
        return Done{};
    });
}

} // namespace

void addLabels(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<LabelsOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(command, *options);
    addDeviceOption(command, options->device);
    command
        .add_option("--top", options->top,
                    say("At most N rows per device, in the order of allocation; default: all"))
        ->check(numberIn(1, kMostRows));
    command.callback([options, &run] { run = [options] { return labels(*options); }; });
}

} // namespace tidemark::cli
