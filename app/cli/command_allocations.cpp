// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "core/report/documents.h"
#include "core/report/json.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct Options : CommonOptions {
    std::string at = "peak";
    std::optional<std::int32_t> device;
    std::string bucket;
    std::string match;
    std::optional<std::size_t> top;
};

constexpr std::size_t kTextRows = 20;

Result<label::Bucket> parseBucket(const std::string& id)
{
    if (const auto bucket = label::bucketFromId(id)) {
        return *bucket;
    }
    std::string ids;
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        ids.append(i == 0 ? "" : ", ").append(label::bucketId(label::bucketAt(i)));
    }
    return Error{
        ErrorCode::badArgument, fmt::format("'{}' is no bucket; there are {}.", id, ids), {}};
}

report::AllocationQuery queryOf(const Options& options)
{
    report::AllocationQuery query;
    query.at = valueOrThrow(report::parseMoment(options.at), "--at");
    query.device = options.device;
    if (!options.bucket.empty()) {
        query.bucket = valueOrThrow(parseBucket(options.bucket), "--bucket");
    }
    query.match = options.match;
    query.top = options.top;
    if (!query.top && !options.json) {
        query.top = kTextRows;
    }
    return query;
}

int allocations(const Options& options, const report::AllocationQuery& query)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto selections = report::selectAllocations(analysis, query);
        if (!selections.has_value()) {
            return selections.error();
        }
        if (options.json) {
            report::writeAllocationsJson(std::cout, analysis, selections.value());
        } else {
            std::cout << report::toText(report::allocationsDocument(analysis, selections.value()));
        }
        return Done{};
    });
}

} // namespace

void addAllocations(CLI::App& program, Run& run)
{
    CLI::App* const command = program.add_subcommand(
        "allocations", "What is live at a moment, largest first, with buckets and stacks");
    const auto options = std::make_shared<Options>();
    options->last = pipeline::Stage::block_sizes;
    addCommonOptions(*command, *options);
    command->add_option("--at", options->at,
                        "EVENT (the state after it), start, peak, oom (the state before the last "
                        "one) or end; default peak");
    command->add_option("--top", options->top,
                        "Only the N largest; default 20 as text, all as JSON");
    command->add_option("--bucket", options->bucket, "Only this bucket");
    command->add_option("--match", options->match,
                        "Only stacks with this text in a function or file name");
    addDeviceOption(*command, options->device);
    command->callback([options, &run] {
        run = [options, query = queryOf(*options)] { return allocations(*options, query); };
    });
}

} // namespace tidemark::cli
