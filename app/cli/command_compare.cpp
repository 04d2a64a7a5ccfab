// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/arguments.h"
#include "app/cli/commands.h"
#include "core/base/language.h"
#include "core/compare/difference.h"
#include "core/report/difference_report.h"

#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

namespace tidemark::cli {
namespace {

struct CompareOptions : CommonOptions {
    std::string device;
    std::string align = "step";
    std::string at = "peaks";
    std::optional<std::int32_t> wanted;
    compare::AlignOptions alignment;
    compare::At moment = compare::At::peaks;
    std::int64_t event_a = 0;
    std::int64_t event_b = 0;
};

std::optional<std::int64_t> eventNumber(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

/// "3:5", or a single number for both.
std::optional<std::pair<std::int64_t, std::int64_t>> pairIn(std::string_view text)
{
    const std::size_t colon = text.find(':');
    const auto first = eventNumber(text.substr(0, colon));
    const auto second =
        colon == std::string_view::npos ? first : eventNumber(text.substr(colon + 1));
    if (!first || !second) {
        return std::nullopt;
    }
    return std::pair(*first, *second);
}

Result<compare::AlignOptions> alignmentIn(const std::string& text)
{
    compare::AlignOptions options;
    static constexpr std::string_view kSteps = "step=";
    if (text == "phase") {
        options.by = compare::AlignBy::phase;
    } else if (text == "time") {
        options.by = compare::AlignBy::time;
    } else if (text == "event") {
        options.by = compare::AlignBy::event;
    } else if (text.starts_with(kSteps)) {
        const auto steps = pairIn(std::string_view(text).substr(kSteps.size()));
        if (!steps || steps->first < 1 || steps->second < 1 || steps->first > UINT32_MAX
            || steps->second > UINT32_MAX) {
            return Error{ErrorCode::badArgument, say("Give steps as step=A:B, counted from 1"), {}};
        }
        options.steps = {static_cast<std::uint32_t>(steps->first),
                         static_cast<std::uint32_t>(steps->second)};
    } else if (text != "step") {
        return Error{
            ErrorCode::badArgument, say("Choose step, phase, time, event or step=A:B"), {}};
    }
    return options;
}

Result<Done> readMoment(CompareOptions& options)
{
    const std::string& text = options.at;
    if (text == "peaks") {
        options.moment = compare::At::peaks;
    } else if (text == "peak-a") {
        options.moment = compare::At::peak_a;
    } else if (text == "peak-b") {
        options.moment = compare::At::peak_b;
    } else if (text == "start") {
        options.moment = compare::At::start;
    } else if (text == "end") {
        options.moment = compare::At::end;
    } else if (const auto events = pairIn(text)) {
        const bool is_one = text.find(':') == std::string::npos;
        options.moment = is_one ? compare::At::event : compare::At::events;
        options.event_a = events->first;
        options.event_b = events->second;
    } else {
        return Error{ErrorCode::badArgument,
                     say("Choose peaks, peak-a, peak-b, start, end, an event of A, or A:B (an "
                         "event of each)"),
                     {}};
    }
    return Done{};
}

Result<StateId> stateAfter(const diagnose::Analysis& analysis, std::size_t device,
                           std::int64_t event, std::string_view name)
{
    const auto events =
        static_cast<std::int64_t>(analysis.replay->devices[device].stateCount()) - 1;
    if (event != -1 && events == 0) {
        return Error{
            ErrorCode::badArgument, say("{} has no events; choose -1 for the start.", name), {}};
    }
    if (event < -1 || event >= events) {
        return Error{ErrorCode::badArgument,
                     say("{} has no event {}; choose 0 to {}, or -1 for the start.", name, event,
                         events - 1),
                     {}};
    }
    return StateId{static_cast<std::uint32_t>(event + 1)};
}

/// Whether a trace has a step, as it counts them.
Result<Done> checkStep(const diagnose::Analysis& analysis, std::size_t device, std::uint32_t step,
                       std::string_view name)
{
    const std::size_t steps = analysis.labels->devices[device].stepsBegun().size();
    if (step <= steps) {
        return Done{};
    }
    return Error{ErrorCode::badArgument,
                 steps == 0       ? say("{} has no steps; align by phase, time or event.", name)
                     : steps == 1 ? say("{} has no step {}; it has one, step 1.", name, step)
                                  : say("{} has no step {}; choose 1 to {}.", name, step, steps),
                 {}};
}

Result<std::size_t> deviceOf(const diagnose::Analysis& analysis, std::optional<std::int32_t> wanted)
{
    if (analysis.deviceCount() == 0) {
        return Error{ErrorCode::badArgument, say("The file has no devices to compare."), {}};
    }
    if (!wanted) {
        return analysis.mainDevice();
    }
    const auto devices = report::chosenDevices(analysis, wanted);
    if (!devices.has_value()) {
        return devices.error();
    }
    return devices.value().front();
}

Result<compare::DifferenceOptions>
optionsFor(const CompareOptions& options, const diagnose::Analysis& a, const diagnose::Analysis& b)
{
    compare::DifferenceOptions wanted;
    const Result<std::size_t> device_a = deviceOf(a, options.wanted);
    if (!device_a.has_value()) {
        return device_a.error();
    }
    const Result<std::size_t> device_b = deviceOf(b, options.wanted);
    if (!device_b.has_value()) {
        return device_b.error();
    }
    wanted.device_a = device_a.value();
    wanted.device_b = device_b.value();
    wanted.align = options.alignment;
    if (const auto& steps = options.alignment.steps) {
        const Result<Done> in_a = checkStep(a, wanted.device_a, steps->first, "A");
        const Result<Done> in_b = checkStep(b, wanted.device_b, steps->second, "B");
        if (!in_a.has_value() || !in_b.has_value()) {
            return in_a.has_value() ? in_b.error() : in_a.error();
        }
    }
    wanted.at = options.moment;
    if (options.moment == compare::At::event || options.moment == compare::At::events) {
        const Result<StateId> at_a = stateAfter(a, wanted.device_a, options.event_a, "A");
        if (!at_a.has_value()) {
            return at_a.error();
        }
        wanted.state_a = at_a.value();
    }
    if (options.moment == compare::At::events) {
        const Result<StateId> at_b = stateAfter(b, wanted.device_b, options.event_b, "B");
        if (!at_b.has_value()) {
            return at_b.error();
        }
        wanted.state_b = at_b.value();
    }
    return wanted;
}

int printComparison(const CompareOptions& options)
{
    const Result<diagnose::Analysis> a = open(options.files[0], options);
    if (!a.has_value()) {
        return failed(options.files[0], a.error());
    }
    const Result<diagnose::Analysis> b = open(options.files[1], options);
    if (!b.has_value()) {
        return failed(options.files[1], b.error());
    }
    const auto wanted = optionsFor(options, a.value(), b.value());
    if (!wanted.has_value()) {
        return failed("", wanted.error());
    }
    const compare::Difference found = compare::findDifference(a.value(), b.value(), wanted.value());
    if (options.json) {
        std::cout << report::toString(report::differenceJson(a.value(), b.value(), found)) << '\n';
    } else {
        std::cout << report::toText(report::differenceDocument(a.value(), b.value(), found));
    }
    return kSuccess;
}

} // namespace

void addCompare(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<CompareOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(command, *options);
    command.get_option("FILE")->expected(2)->description(say("A (the baseline) and B"));
    command.add_option("--align", options->align,
                       say("How the runs are aligned: step (default), phase, time, event, or "
                           "step=A:B (a step of A and its counterpart in B)"));
    command.add_option(
        "--at", options->at,
        say("Moments to compare: peaks (default: the larger peak and the same place in the other "
            "run), peak-a, peak-b, start, end, an event of A, or A:B (an event of each)"));
    command.add_option("--device", options->device,
                       say("CUDA index, or host; default: the main one"));
    command.callback([options, &run] {
        options->alignment = valueOrThrow(alignmentIn(options->align), "--align");
        valueOrThrow(readMoment(*options), "--at");
        if (!options->device.empty()) {
            options->wanted = valueOrThrow(parseDevice(options->device), "--device");
        }
        run = [options] { return printComparison(*options); };
    });
}

} // namespace tidemark::cli
