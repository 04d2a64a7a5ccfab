// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/language.h"
#include "core/report/stacks_report.h"

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tidemark::cli {
namespace {

struct StacksOptions : CommonOptions {
    std::string measure = "live";
    std::string from = "start";
    std::string at = "peak";
    std::optional<std::int32_t> device;
    bool allocating_first = false;
    bool all_frames = false;
    bool folded = false;
    std::size_t top = 60;
};

report::StacksQuery stacksQueryOf(const StacksOptions& options)
{
    static constexpr std::array<std::pair<std::string_view, curves::StackMeasure>, 4> kMeasures{
        {{"live", curves::StackMeasure::live},
         {"allocated", curves::StackMeasure::allocated},
         {"kept", curves::StackMeasure::kept},
         {"grown", curves::StackMeasure::grown}}};
    report::StacksQuery query;
    query.from = valueOrThrow(report::parseMoment(options.from), "--from");
    query.at = valueOrThrow(report::parseMoment(options.at), "--at");
    query.device = options.device;
    query.top = options.top;
    query.request.measure =
        std::ranges::find(kMeasures, options.measure,
                          &std::pair<std::string_view, curves::StackMeasure>::first)
            ->second;
    query.request.begins_at_callers = !options.allocating_first;
    query.request.folds_libraries = !options.all_frames;
    return query;
}

int stacks(const StacksOptions& options, const report::StacksQuery& query)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto trees = report::stackTrees(analysis, query);
        if (!trees.has_value()) {
            return trees.error();
        }
        if (options.json) {
            std::cout << report::toString(report::stacksJson(analysis, trees.value(), query))
                      << '\n';
        } else if (options.folded) {
            for (const report::DeviceStacks& one : trees.value()) {
                std::cout << report::visibleLines(curves::foldedStacks(one.tree));
            }
        } else {
            std::cout << report::toText(report::stacksDocument(analysis, trees.value(), query));
        }
        return Done{};
    });
}

} // namespace

void addStacks(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<StacksOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(command, *options);
    addDeviceOption(command, options->device);
    command.add_option("--at", options->at,
                       say("start, peak, oom, end or an event; default: peak"));
    command.add_option("--from", options->from,
                       say("For allocated, kept and grown: start of the range; default: start"));
    command
        .add_option("--measure", options->measure,
                    say("live at the moment; allocated, kept or grown since --from; default: live"))
        ->check(oneOf({"live", "allocated", "kept", "grown"}));
    command.add_flag("--allocating-first", options->allocating_first,
                     say("Starts at the allocating calls, not at the outermost callers"));
    command.add_flag("--all-frames", options->all_frames, say("Shows library frames, too"));
    command
        .add_flag("--folded", options->folded,
                  say("Prints folded stacks with bytes, for flame graph tools"))
        ->excludes("--json");
    command.add_option("--top", options->top, say("How many calls to print; default: 60"))
        ->check(numberIn(1, kMostRows));
    command.callback([options, &run] {
        const report::StacksQuery query = stacksQueryOf(*options);
        run = [options, query] { return stacks(*options, query); };
    });
}

} // namespace tidemark::cli
