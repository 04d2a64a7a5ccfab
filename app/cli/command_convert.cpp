// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "app/cli/report_options.h"
#include "core/base/language.h"
#include "core/export/export_file.h"
#include "core/plan/capacity_text.h"
#include "core/report/json.h"

#include <charconv>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <span>

namespace tidemark::cli {
namespace {

struct ConvertOptions : CommonOptions {
    std::string out;
    std::string range;
    std::string least;
    bool redacts = false;
    exports::Wanted wanted;
};

/// "A:B".
Result<std::pair<std::int64_t, std::int64_t>> rangeIn(const std::string& text)
{
    std::pair<std::int64_t, std::int64_t> range;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, range.first);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == ':') {
        const auto last = std::from_chars(first.ptr + 1, end, range.second);
        if (last.ec == std::errc() && last.ptr == end) {
            return range;
        }
    }
    return Error{ErrorCode::badArgument, say("Give a range as A:B, the first and last event"), {}};
}

int convert(const ConvertOptions& options)
{
    // Before the work, and once more after it.
    const std::filesystem::path input(options.files.front());
    const Result<Done> allowed =
        exports::checkExport(options.out, options.wanted, std::span(&input, 1));
    if (!allowed.has_value()) {
        return failed("", allowed.error());
    }
    Result<diagnose::Analysis> analysis = open(options.files.front(), options);
    if (!analysis.has_value()) {
        return failed(options.files.front(), analysis.error());
    }
    if (options.redacts) {
        report::ReportBookmarks none;
        if (const Result<Done> done = redactRuns(std::span(&analysis.value(), 1), none);
            !done.has_value()) {
            return failed(options.files.front(), done.error());
        }
    }
    const Result<Done> written =
        exports::writeExport(options.out, analysis.value(), options.wanted);
    if (!written.has_value()) {
        const bool is_asked = written.error().code == ErrorCode::badArgument;
        return failed(is_asked ? options.files.front() : options.out, written.error());
    }
    if (options.json) {
        std::cout << report::toString({{"file", options.files.front()}, {"output", options.out}})
                  << '\n';
    }
    return kSuccess;
}

} // namespace

void addConvert(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<ConvertOptions>();
    options->last = pipeline::Stage::programs;
    options->wanted.version = TIDEMARK_VERSION;
    addCommonOptions(command, *options);
    command.get_option("FILE")->expected(1)->description(say("The snapshot"));
    command
        .add_option("-o,--output", options->out,
                    say("OUT.pftrace (Perfetto), .pb.gz (pprof), .speedscope.json, .folded, "
                        ".sqlite, .csv, .pickle or .json (a snapshot)"))
        ->required();
    command.add_option("--range", options->range,
                       say("Only the events A to B of the main device, or of --device; of other "
                           "devices those of the same time"));
    addDeviceOption(command, options->wanted.device);
    addRedactOption(command, options->redacts);
    command.add_option("--table", options->wanted.table,
                       say("CSV: which table, or all (OUT.TABLE.csv); default: allocations"));
    command.add_option("--min-bytes", options->least,
                       say("Perfetto: allocations from this size on are drawn one by one; "
                           "default: 16MiB"));
    command
        .add_option("--base-time", options->wanted.base_time_ns,
                    say("Perfetto: nanoseconds taken off every time; the profiler's "
                        "baseTimeNanoseconds lays both traces side by side"))
        ->check(numberIn(0, std::numeric_limits<std::int64_t>::max()));
    command.callback([options, &run] {
        options->wanted.format = valueOrThrow(exports::formatOf(options->out), "-o");
        if (!options->range.empty()) {
            options->wanted.range = valueOrThrow(rangeIn(options->range), "--range");
        }
        if (!options->least.empty()) {
            options->wanted.least = valueOrThrow(plan::parseBytes(options->least), "--min-bytes");
        }
        run = [options] { return convert(*options); };
    });
}

} // namespace tidemark::cli
