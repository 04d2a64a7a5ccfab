// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/commands.h"
#include "app/cli/parser_words.h"
#include "core/base/joined.h"
#include "core/base/language.h"
#include "core/query/words.h"
#include "core/report/documents.h"
#include "core/report/json.h"
#include "core/report/run_query.h"

#include <iostream>
#include <memory>

namespace tidemark::cli {
namespace {

struct AllocationsOptions : CommonOptions {
    std::optional<std::string> at;
    std::optional<std::int32_t> device;
    std::string bucket;
    std::string match;
    std::optional<std::size_t> top;
    std::optional<std::string> query;
    std::string group_by;
    std::string sort;
    bool is_reversed = false;
    bool csv = false;

    /// Whether it is about the whole run, unless told otherwise; else about one moment.
    [[nodiscard]] bool isOfRun() const
    {
        return query || !group_by.empty() || !sort.empty() || csv || is_reversed;
    }
};

constexpr std::size_t kTextRows = 20;

Result<label::Bucket> parseBucket(const std::string& id)
{
    if (const auto bucket = label::bucketFromId(id)) {
        return *bucket;
    }
    return Error{
        ErrorCode::badArgument,
        say("'{}' is not a bucket; choose from {}.", id, fmt::join(label::bucketIds(), ", ")),
        {}};
}

report::AllocationQuery allocationQueryOf(const AllocationsOptions& options)
{
    report::AllocationQuery query;
    query.at = valueOrThrow(report::parseMoment(options.at.value_or("peak")), "--at");
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

template <class T>
Result<T> known(const std::optional<T>& value, const std::string& id, std::string_view what,
                const std::string& ids)
{
    return value
        ? Result<T>(*value)
        : Result<T>(Error{
            ErrorCode::badArgument, say("'{}' is not a {}; choose from {}.", id, what, ids), {}});
}

/// The other options say the same as words of a query.
std::string queryText(const AllocationsOptions& options)
{
    std::string text = options.query.value_or("");
    const auto add = [&text](std::string_view key, const std::string& value) {
        text.append(text.empty() ? "" : " ").append(key).append(value);
    };
    if (options.at) {
        add("live@", *options.at == "-1" ? "start" : *options.at);
    }
    if (!options.bucket.empty()) {
        add("bucket:", options.bucket);
    }
    if (!options.match.empty()) {
        add("stack:", query::quoted(options.match));
    }
    return text;
}

report::RunQuery runQueryOf(const AllocationsOptions& options)
{
    report::RunQuery query;
    query.text = queryText(options);
    query.query = valueOrThrow(query::parse(query.text), "--query");
    query.device = options.device;
    query.top = options.top;
    if (!query.top && !options.json && !options.csv) {
        query.top = kTextRows;
    }
    const std::string sort = options.sort.empty() ? "bytes" : options.sort;
    if (options.group_by.empty()) {
        query.sort = valueOrThrow(known(query::sortKeyFromId(sort), sort,
                                        say("column to sort allocations by"),
                                        joined(query::kColumns, ", ", &query::ColumnInfo::id)),
                                  "--sort");
        query.is_descending = query::infoOf(query.sort).is_largest_first != options.is_reversed;
        return query;
    }
    query.group_by = valueOrThrow(known(query::groupByFromId(options.group_by), options.group_by,
                                        say("way to group"), joined(query::kGroupByIds, ", ")),
                                  "--group-by");
    query.group_sort =
        valueOrThrow(known(query::groupKeyFromId(sort), sort, say("column to sort groups by"),
                           joined(query::kGroupColumns, ", ", &query::GroupColumn::id)),
                     "--sort");
    query.is_descending = (query.group_sort != query::GroupKey::name) != options.is_reversed;
    return query;
}

int allocationsOfRun(const AllocationsOptions& options, const report::RunQuery& query)
{
    return forEachFile(options, [&](const diagnose::Analysis& analysis) -> Result<Done> {
        const auto answers = report::answerQuery(analysis, query);
        if (!answers.has_value()) {
            return answers.error();
        }
        if (options.json) {
            report::writeRunQueryJson(std::cout, analysis, query, answers.value());
        } else if (options.csv) {
            report::writeRunQueryCsv(std::cout, analysis, query, answers.value());
        } else {
            std::cout << report::toText(report::runQueryDocument(analysis, query, answers.value()));
        }
        return Done{};
    });
}

int allocations(const AllocationsOptions& options, const report::AllocationQuery& query)
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

void addAllocations(CLI::App& command, Run& run)
{
    const auto options = std::make_shared<AllocationsOptions>();
    options->last = pipeline::Stage::programs;
    addCommonOptions(command, *options);
    command.add_option(
        "--at", options->at,
        say("EVENT (the state after it), start, peak, oom (the state before the last OOM) or end; "
            "default: peak, or the whole run with the options below"));
    command
        .add_option("--top", options->top,
                    say("Only the first N; default: 20 as text, all as JSON and CSV"))
        ->check(numberIn(1, kMostRows));
    command.add_option("--bucket", options->bucket,
                       say("Only this bucket: {}", fmt::join(label::bucketIds(), ", ")));
    command.add_option("--match", options->match,
                       say("Only stacks with this text in a function or file name"));
    addDeviceOption(command, options->device);
    command.add_option("--query", options->query,
                       say("Allocations of the whole run that a query means: 'bucket:activation "
                           "size>100MiB -stack:attention live@peak life<1ms'; keys: {}",
                           query::keyNames()));
    command.add_option("--group-by", options->group_by,
                       say("One row per line, module, size, bucket or step, with totals"));
    command.add_option("--sort", options->sort,
                       say("bytes, lifetime, bytes-lifetime, churn, share-of-peak, made, line, … "
                           "or for groups name or count; default: bytes"));
    command.add_flag("--reverse", options->is_reversed, say("Reverse the order"));
    command.add_flag("--csv", options->csv, say("Comma-separated values"))->excludes("--json");
    command.callback([options, &run] {
        if (options->isOfRun()) {
            run = [options, query = runQueryOf(*options)] {
                return allocationsOfRun(*options, query);
            };
            return;
        }
        run = [options, query = allocationQueryOf(*options)] {
            return allocations(*options, query);
        };
    });
}

} // namespace tidemark::cli
