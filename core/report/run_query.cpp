// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/run_query.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/query/find.h"
#include "core/report/colours.h"
#include "core/report/csv.h"
#include "core/report/json_parts.h"
#include "core/report/json_stream.h"
#include "core/report/selection.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace tidemark::report {
namespace {

using diagnose::Analysis;
using query::AllocationTable;
using query::Group;
using query::Sums;

Result<RunAnswer> answerOf(std::shared_ptr<const AllocationTable> table, const RunQuery& request)
{
    RunAnswer answer;
    answer.table = std::move(table);
    Result<std::vector<AllocationId>> ids = query::find(*answer.table, request.query);
    if (!ids.has_value()) {
        return ids.error();
    }
    answer.found = query::sumsOf(*answer.table, ids.value());
    const std::size_t top = request.top.value_or(ids.value().size());
    if (request.group_by) {
        Result<std::vector<Group>> groups =
            query::groups(*answer.table, ids.value(), *request.group_by);
        if (!groups.has_value()) {
            return groups.error();
        }
        answer.groups = std::move(groups).value();
        query::sortGroups(answer.groups, request.group_sort, request.is_descending);
        answer.group_count = answer.groups.size();
        answer.groups.resize(std::min(top, answer.groups.size()));
        return answer;
    }
    Result<std::vector<AllocationId>> sorted =
        query::sorted(*answer.table, std::move(ids).value(), request.sort, request.is_descending);
    if (!sorted.has_value()) {
        return sorted.error();
    }
    answer.ids = std::move(sorted).value();
    answer.ids.resize(std::min(top, answer.ids.size()));
    return answer;
}

/// What a figure of the JSON and of the CSV is called tells its unit: one of two is there.
Json timed(const AllocationTable& table, std::int64_t lifetime)
{
    return table.hasTimes() ? Json(lifetime) : Json(nullptr);
}

void addSums(Json& row, const AllocationTable& table, const Sums& sums)
{
    row["requested_bytes"] = sums.bytes.value;
    row[table.hasTimes() ? "lifetime_us" : "lifetime_events"] = sums.lifetime;
    row[table.hasTimes() ? "byte_seconds" : "byte_events"] = sums.bytes_lifetime;
    row["churn_bytes"] = sums.churn.value;
    row["peak_bytes"] = sums.peak_bytes.value;
    row["share_of_peak"] = table.shareOfPeak(sums.peak_bytes);
}

/// The expression for programs, in which a number's groups are parted as in English.
std::string expressionField(const AllocationTable& table, AllocationId a)
{
    std::string text = table.expression(a);
    std::ranges::replace(text, language().group_mark, ',');
    return text;
}

/// What a query knows of an allocation beyond its row of the label list.
void addMeasures(Json& row, const AllocationTable& table, AllocationId a)
{
    const auto phase = table.phase(a);
    row["phase"] = phase ? Json(label::phaseId(*phase)) : Json(nullptr);
    row["step"] = table.step(a) == 0 ? Json(nullptr) : Json(table.stepNumber(a));
    row["lifetime_us"] = timed(table, table.lifetime(a));
    row["lifetime_events"] = table.lifetimeInEvents(a);
    row[table.hasTimes() ? "byte_seconds" : "byte_events"] = table.bytesLifetime(a);
    row["churn_bytes"] = table.churn(a).value;
    row["share_of_peak"] = table.shareOfPeak(table.peakBytes(a));
    const std::string expression = expressionField(table, a);
    row["expression"] = expression.empty() ? Json(nullptr) : Json(expression);
}

std::string eventOr(EventId event, std::string_view otherwise)
{
    return event.isNone() ? std::string(otherwise) : fmt::format("{}", event.value);
}

void writeCsvRow(std::ostream& out, const RunAnswer& answer, const label::Details& details,
                 Places& places, AllocationId a)
{
    const AllocationTable& table = *answer.table;
    const replay::Allocations& all = table.replay().allocations;
    const std::size_t i = a.index();
    const auto phase = table.phase(a);
    const Place& place = places.of(table.deviceIndex(), a);
    out << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.6g},{},{},{}\n",
                       table.device().index, eventOr(all.alloc_event[i], ""),
                       eventOr(all.free_event[i], ""), all.address[i], table.bytes(a).value,
                       label::bucketId(table.labels().bucket[i]),
                       label::roleId(table.labels().role[i]), table.labels().confidence[i],
                       phase ? label::phaseId(*phase) : "",
                       table.step(a) == 0 ? std::string() : fmt::format("{}", table.stepNumber(a)),
                       table.hasTimes() ? fmt::format("{}", table.lifetime(a)) : std::string(),
                       table.lifetimeInEvents(a), table.bytesLifetime(a), table.churn(a).value,
                       table.shareOfPeak(table.peakBytes(a)), csvField(expressionField(table, a)),
                       csvField(visibleText(details.moduleText(table.deviceIndex(), a))),
                       csvField(visibleText(place.text)));
}

void writeGroupRows(std::ostream& out, const RunAnswer& answer)
{
    const AllocationTable& table = *answer.table;
    for (const Group& group : answer.groups) {
        out << fmt::format("{},{},{},{},{},{},{},{},{:.6g}\n", table.device().index,
                           csvField(visibleText(group.text)), group.sums.count,
                           group.sums.bytes.value, group.sums.lifetime, group.sums.bytes_lifetime,
                           group.sums.churn.value, group.sums.peak_bytes.value,
                           table.shareOfPeak(group.sums.peak_bytes));
    }
}

std::string titleOfGroups(query::GroupBy by)
{
    switch (by) {
    case query::GroupBy::line:
        return say("Line");
    case query::GroupBy::module:
        return say("Module");
    case query::GroupBy::size:
        return say("Size");
    case query::GroupBy::bucket:
        return say("Bucket");
    case query::GroupBy::step:
        return say("Step");
    }
    return {};
}

Table groupTable(const RunAnswer& answer, query::GroupBy by)
{
    const AllocationTable& table = *answer.table;
    Table rows{{{say("Count"), Align::right},
                {say("Requested"), Align::right},
                {say("Lifetimes"), Align::right},
                {say("Bytes × lifetime"), Align::right},
                {say("Freed again"), Align::right},
                {say("Share of peak"), Align::right},
                {titleOfGroups(by), Align::left}},
               {},
               {}};
    for (const Group& group : answer.groups) {
        rows.rows.push_back({formatCount(group.sums.count), formatBytes(group.sums.bytes),
                             lifetimeText(table, group.sums.lifetime),
                             bytesLifetimeText(table, group.sums.bytes_lifetime),
                             formatBytes(group.sums.churn),
                             formatPercent(table.shareOfPeak(group.sums.peak_bytes)),
                             group.text.empty() ? say("not known") : group.text});
    }
    return rows;
}

Table rowTable(const RunAnswer& answer)
{
    const AllocationTable& table = *answer.table;
    const replay::Allocations& all = table.replay().allocations;
    Table rows{{{say("Requested"), Align::right},
                {say("Bucket"), Align::left},
                {say("Allocated"), Align::right},
                {say("Freed"), Align::right},
                {say("Lifetime"), Align::right},
                {say("Bytes × lifetime"), Align::right},
                {say("Share of peak"), Align::right},
                {say("Phase"), Align::left},
                {say("Step"), Align::right},
                {say("Where"), Align::left}},
               {},
               {}};
    for (const AllocationId a : answer.ids) {
        const auto phase = table.phase(a);
        const std::string& line = table.lineText(table.line(a));
        rows.rows.push_back({formatBytes(table.bytes(a)),
                             std::string(label::bucketId(table.labels().bucket[a.index()])),
                             eventOr(all.alloc_event[a.index()], "before"),
                             eventOr(all.free_event[a.index()], "never"),
                             lifetimeText(table, table.lifetime(a)),
                             bytesLifetimeText(table, table.bytesLifetime(a)),
                             formatPercent(table.shareOfPeak(table.peakBytes(a))),
                             phase ? std::string(label::phaseNoun(*phase)) : "",
                             table.step(a) == 0 ? "" : formatCount(table.stepNumber(a)),
                             line.empty() ? say("no stack recorded") : line});
        rows.swatches.push_back(bucketColour(table.labels().bucket[a.index()]));
    }
    return rows;
}

Json headOf(const RunAnswer& answer, const RunQuery& request)
{
    Json head = {{"device", answer.table->device().index},
                 {"query", request.text},
                 {"found", answer.found.count}};
    Json sums = Json::object();
    addSums(sums, *answer.table, answer.found);
    head["sums"] = std::move(sums);
    if (request.group_by) {
        head["group_by"] = query::groupById(*request.group_by);
        head["groups_found"] = answer.group_count;
    }
    return head;
}

Json groupJson(const AllocationTable& table, const Group& group)
{
    Json row = {{"name", group.text.empty() ? Json(nullptr) : Json(visibleText(group.text))},
                {"query", group.words.empty() ? Json(nullptr) : Json(visibleText(group.words))},
                {"count", group.sums.count}};
    addSums(row, table, group.sums);
    return row;
}

} // namespace

Result<std::vector<RunAnswer>> answerQuery(const Analysis& analysis, const RunQuery& request)
{
    const auto devices = chosenDevices(analysis, request.device);
    if (!devices.has_value()) {
        return devices.error();
    }
    std::vector<RunAnswer> answers;
    std::optional<Error> failed;
    std::shared_ptr<const AllocationTable> table;
    for (const std::size_t d : devices.value()) {
        if (!request.device && analysis.snapshot->devices[d].isEmpty()) {
            continue;
        }
        table = table
            ? std::make_shared<const AllocationTable>(*table, d)
            : std::make_shared<const AllocationTable>(analysis.snapshot, analysis.replay,
                                                      analysis.labels, analysis.programs, d);
        Result<RunAnswer> answer = answerOf(table, request);
        if (answer.has_value()) {
            answers.push_back(std::move(answer).value());
        } else if (!failed) {
            failed = answer.error();
        }
    }
    // Of several devices some may lack the moment that is asked for.
    return answers.empty() && failed ? Result<std::vector<RunAnswer>>(*failed)
                                     : Result<std::vector<RunAnswer>>(std::move(answers));
}

void writeRunQueryJson(std::ostream& out, const Analysis& analysis, const RunQuery& request,
                       std::span<const RunAnswer> answers)
{
    DeviceRowsWriter writer(out, analysis, request.group_by ? "groups" : "allocations");
    Places places(analysis);
    for (const RunAnswer& answer : answers) {
        writer.beginDevice(headOf(answer, request));
        for (const Group& group : answer.groups) {
            writer.row(groupJson(*answer.table, group));
        }
        if (!answer.ids.empty()) {
            const auto details = answer.table->details({});
            for (const AllocationId a : answer.ids) {
                Json row =
                    allocationJson(analysis, *details, places, answer.table->deviceIndex(), a);
                addMeasures(row, *answer.table, a);
                writer.row(row);
            }
        }
        writer.endDevice();
    }
    writer.finish();
}

void writeRunQueryCsv(std::ostream& out, const Analysis& analysis, const RunQuery& request,
                      std::span<const RunAnswer> answers)
{
    const bool has_times = answers.empty() || answers.front().table->hasTimes();
    if (request.group_by) {
        out << fmt::format("device,{},count,requested_bytes,{},{},churn_bytes,peak_bytes,"
                           "share_of_peak\n",
                           query::groupById(*request.group_by),
                           has_times ? "lifetime_us" : "lifetime_events",
                           has_times ? "byte_seconds" : "byte_events");
    } else {
        out << "device,alloc_event,free_event,address,requested_bytes,bucket,role,confidence,phase,"
               "step,lifetime_us,lifetime_events,"
            << (has_times ? "byte_seconds" : "byte_events")
            << ",churn_bytes,share_of_peak,expression,module,where\n";
    }
    Places places(analysis);
    for (const RunAnswer& answer : answers) {
        writeGroupRows(out, answer);
        if (!answer.ids.empty()) {
            const auto details = answer.table->details({});
            for (const AllocationId a : answer.ids) {
                writeCsvRow(out, answer, *details, places, a);
            }
        }
    }
}

Section runQuerySection(const RunAnswer& answer, const RunQuery& request)
{
    const AllocationTable& table = *answer.table;
    const Sums& found = answer.found;
    const std::string title = request.text.empty()
        ? say("Allocations, {}", deviceName(table.device()))
        : say("Allocations, {}: {}", deviceName(table.device()), request.text);
    if (found.count == 0) {
        return {title,
                {Paragraph{say("No allocation matches; the run has {}.",
                               formatCount(static_cast<std::int64_t>(table.count()))),
                           Emphasis::lead}}};
    }
    std::string words =
        say("{} of {} allocations: {} requested, {} freed again; {} of the peak.",
            formatCount(found.count), formatCount(static_cast<std::int64_t>(table.count())),
            found.bytes, found.churn, formatPercent(table.shareOfPeak(found.peak_bytes)));
    const auto listed =
        static_cast<std::int64_t>(request.group_by ? answer.groups.size() : answer.ids.size());
    const std::int64_t there =
        request.group_by ? static_cast<std::int64_t>(answer.group_count) : found.count;
    if (listed < there) {
        words += ' ';
        words += request.group_by
            ? say("The first {} of {} groups:", formatCount(listed), formatCount(there))
            : say("The first {} of {} rows:", formatCount(listed), formatCount(there));
    }
    return {title,
            {Paragraph{std::move(words), Emphasis::quiet},
             request.group_by ? groupTable(answer, *request.group_by) : rowTable(answer)}};
}

std::string lifetimeText(const AllocationTable& table, std::int64_t lifetime)
{
    return table.hasTimes() ? formatDuration(Duration(lifetime))
                            : say("{} events", formatCount(lifetime));
}

std::string bytesLifetimeText(const AllocationTable& table, double bytes_lifetime)
{
    // Sums may be beyond what bytes are counted in.
    const double most = 9e18;
    const Bytes bytes{static_cast<std::int64_t>(std::llround(std::min(bytes_lifetime, most)))};
    return fmt::format("{}·{}", formatBytes(bytes), table.hasTimes() ? "s" : "events");
}

} // namespace tidemark::report
