// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "app/cli/status_line.h"
#include "core/base/language.h"
#include "core/plan/capacity_text.h"
#include "core/report/simulation.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct SimulateOptions : CommonOptions {
    std::string settings;
    std::string capacity;
    std::optional<std::int32_t> device;
    allocator::StudyOptions study;
};

Result<std::vector<report::SimulatedDevice>>
simulateDevices(const SimulateOptions& options, const diagnose::Analysis& analysis,
                const std::vector<std::size_t>& devices)
{
    std::vector<report::SimulatedDevice> all;
    StageLine progress;
    for (const std::size_t d : devices) {
        const trace::Device& device = analysis.snapshot->devices[d];
        if (device.kind == trace::DeviceKind::host) {
            if (options.device) {
                return Error{ErrorCode::badArgument,
                             say("Host memory has another allocator; only GPUs can be simulated."),
                             {}};
            }
            continue;
        }
        if (!options.device && device.isEmpty()) {
            continue;
        }
        auto found = allocator::study(*analysis.snapshot, d, analysis.replay->devices[d],
                                      (*analysis.block_sizes)[d], *analysis.baseline(d),
                                      options.study, progress, {});
        if (!found.has_value()) {
            return found.error();
        }
        all.push_back({d, std::move(found).value()});
    }
    return all;
}

int simulate(const SimulateOptions& options)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto devices = report::chosenDevices(analysis, options.device);
        if (!devices.has_value()) {
            return devices.error();
        }
        const auto found = simulateDevices(options, analysis, devices.value());
        if (!found.has_value()) {
            return found.error();
        }
        if (options.json) {
            std::cout << report::toString(report::simulationsJson(analysis, found.value())) << '\n';
        } else {
            std::cout << report::toText(report::simulationDocument(analysis, found.value()));
        }
        return Done{};
    });
}

} // namespace

void addSimulate(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<SimulateOptions>();
    options->last = pipeline::Stage::block_sizes;
    addCommonOptions(command, *options);
    CLI::Option* const set = command.add_option(
        "--set", options->settings,
        say("PYTORCH_ALLOC_CONF to try, such as expandable_segments:True; default: as recorded"));
    command.add_option("--capacity", options->capacity,
                       say("{}; default: what it had at the OOM event", capacityHelp()));
    command.add_flag("--search", options->study.searches, say("Also tries promising settings"));
    addDeviceOption(command, options->device);
    command
        .add_option("--points", options->study.points,
                    say("Adds each result's curve to the JSON, with about this many points"))
        ->check(numberIn(1, 1000000));
    command.callback([options, set, &run] {
        if (set->count() > 0) {
            options->study.settings =
                valueOrThrow(allocator::parseSettings(options->settings), "--set");
        }
        if (!options->capacity.empty()) {
            options->study.capacity =
                valueOrThrow(plan::parseCapacity(options->capacity), "--capacity").bytes;
        }
        run = [options] { return simulate(*options); };
    });
}

} // namespace tidemark::cli
