// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/documents.h"
#include "core/report/json.h"
#include "core/report/svg_timeline.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct TimelineOptions : CommonOptions {
    std::optional<std::int32_t> device;
    std::size_t points = 0; ///< 0: the default of the output.
    bool svg = false;
};

constexpr std::size_t kJsonPoints = 1000;
constexpr std::size_t kTextPoints = 40;

int timeline(const TimelineOptions& options)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, options.device);
        if (!devices.has_value()) {
            return devices.error();
        }
        if (options.svg) {
            for (const std::size_t device : devices.value()) {
                std::cout << report::timelineSvg(analysis, device,
                                                 fmt::format("tidemark-{}", device));
            }
        } else if (options.json) {
            report::writeTimelineJson(std::cout, analysis, devices.value(),
                                      options.points > 0 ? options.points : kJsonPoints);
        } else {
            std::cout << report::toText(report::timelineDocument(
                analysis, devices.value(), options.points > 0 ? options.points : kTextPoints));
        }
        return Done{};
    });
}

} // namespace

void addTimeline(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<TimelineOptions>();
    options->last = pipeline::Stage::block_sizes;
    addCommonOptions(command, *options);
    addDeviceOption(command, options->device);
    command
        .add_option("--points", options->points,
                    say("About how many points; default: 1000 as JSON, 40 as text"))
        ->check(numberIn(1, 10000000));
    command.add_flag("--svg", options->svg, say("Draws one SVG element per device"))
        ->excludes("--json");
    command.callback([options, &run] {
        if (options->svg) {
            options->last = pipeline::Stage::diagnosis; // The drawing has the capacity.
        }
        run = [options] { return timeline(*options); };
    });
}

} // namespace tidemark::cli
