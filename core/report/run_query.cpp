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
#include <functional>
#include <ostream>
#include <type_traits>
#include <variant>

namespace tidemark::report {
namespace {

using diagnose::Analysis;
using query::AllocationTable;
using query::Cell;
using query::CellKind;
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
        query::sortGroups(*answer.table, answer.groups, request.group_sort, request.is_descending);
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

Json cellJson(const Cell& cell)
{
    return std::visit(
        [](const auto& value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
                return Json(nullptr);
            } else if constexpr (std::is_same_v<Value, std::string>) {
                return Json(visibleText(value));
            } else {
                return Json(value);
            }
        },
        cell.value);
}

std::string cellCsv(CellKind kind, const Cell& cell)
{
    return std::visit(
        [kind](const auto& value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
                return std::string();
            } else if constexpr (std::is_same_v<Value, std::string>) {
                return csvField(visibleText(value));
            } else if constexpr (std::is_same_v<Value, double>) {
                return kind == CellKind::share ? fmt::format("{:.6g}", value)
                                               : fmt::format("{}", value);
            } else {
                return fmt::format("{}", value);
            }
        },
        cell.value);
}

/// How a column of a text table is headed: "Share of peak".
Column headed(std::string_view title, CellKind kind)
{
    std::string text(title);
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    }
    return {std::move(text), kind == CellKind::text ? Align::left : Align::right};
}

void addSums(Json& row, const AllocationTable& table, const Sums& sums)
{
    for (const query::GroupColumn& column : query::kGroupColumns) {
        if (column.cell != nullptr && column.key != query::GroupKey::count) {
            row[column.machine.of(table.hasTimes())] = cellJson(column.cell(table, sums));
        }
    }
    row["peak_bytes"] = sums.peak_bytes.value;
}

/// What a query knows of an allocation beyond its row of the label list.
void addColumns(Json& row, const AllocationTable& table, AllocationId a)
{
    for (const query::ColumnInfo& column : query::kColumns) {
        const std::string_view name = column.machine.of(table.hasTimes());
        if (!name.empty() && !row.contains(name)) {
            row[name] = cellJson(column.cell(table, a));
        }
    }
    row["lifetime_us"] = table.hasTimes() ? Json(table.lifetime(a)) : Json(nullptr);
    row["lifetime_events"] = table.lifetimeInEvents(a);
}

/// A column of the CSV: its heading, and its field of an allocation.
struct CsvColumn {
    std::string_view name;
    std::function<std::string(AllocationId)> field;
};

/// In an order that stays; a new one comes last. Of no table the names are right.
std::vector<CsvColumn> csvColumns(const AllocationTable* table, Places& places,
                                  const std::shared_ptr<const label::Details>& details)
{
    using query::SortKey;
    const bool has_times = table == nullptr || table->hasTimes();
    const auto of = [table, has_times](SortKey key) {
        const query::ColumnInfo& column = query::infoOf(key);
        return CsvColumn{column.machine.of(has_times), [table, &column](AllocationId a) {
                             return cellCsv(column.kind, column.cell(*table, a));
                         }};
    };
    std::vector<CsvColumn> columns{
        {"device", [table](AllocationId) { return fmt::format("{}", table->device().index); }},
        of(SortKey::made),
        of(SortKey::freed),
        {"address",
         [table](AllocationId a) {
             return fmt::format("{}", table->replay().allocations.address[a.index()]);
         }},
        of(SortKey::bytes),
        of(SortKey::bucket),
        {"role",
         [table](AllocationId a) {
             return std::string(label::roleId(table->labels().role[a.index()]));
         }},
        of(SortKey::confidence),
        of(SortKey::phase),
        of(SortKey::step),
        {"lifetime_us",
         [table](AllocationId a) {
             return table->hasTimes() ? fmt::format("{}", table->lifetime(a)) : std::string();
         }},
        {"lifetime_events",
         [table](AllocationId a) { return fmt::format("{}", table->lifetimeInEvents(a)); }},
        of(SortKey::bytes_lifetime),
        of(SortKey::churn),
        of(SortKey::share_of_peak),
        of(SortKey::expression),
        {"module",
         [table, details](AllocationId a) {
             return csvField(visibleText(details->moduleText(table->deviceIndex(), a)));
         }},
        {"where", [table, &places](AllocationId a) {
             return csvField(visibleText(places.of(table->deviceIndex(), a).text));
         }}};
    for (const query::ColumnInfo& column : query::kColumns) {
        const std::string_view name = column.machine.of(has_times);
        if (!name.empty() && std::ranges::find(columns, name, &CsvColumn::name) == columns.end()) {
            columns.push_back(of(column.key));
        }
    }
    return columns;
}

void writeCsvHeader(std::ostream& out, const std::vector<CsvColumn>& columns)
{
    for (const CsvColumn& column : columns) {
        out << (&column == columns.data() ? "" : ",") << column.name;
    }
    out << '\n';
}

void writeGroupsCsv(std::ostream& out, std::span<const RunAnswer> answers, query::GroupBy by)
{
    const bool has_times = answers.empty() || answers.front().table->hasTimes();
    out << "device," << query::groupById(by);
    for (const query::GroupColumn& column : query::kGroupColumns) {
        if (column.cell != nullptr) {
            out << (column.key == query::GroupKey::share_of_peak ? ",peak_bytes," : ",")
                << column.machine.of(has_times);
        }
    }
    out << '\n';
    for (const RunAnswer& answer : answers) {
        const AllocationTable& table = *answer.table;
        for (const Group& group : answer.groups) {
            out << table.device().index << ',' << csvField(visibleText(group.text));
            for (const query::GroupColumn& column : query::kGroupColumns) {
                if (column.key == query::GroupKey::share_of_peak) {
                    out << ',' << group.sums.peak_bytes.value;
                }
                if (column.cell != nullptr) {
                    out << ',' << cellCsv(column.kind, column.cell(table, group.sums));
                }
            }
            out << '\n';
        }
    }
}

Table groupTable(const RunAnswer& answer, query::GroupBy by)
{
    const AllocationTable& table = *answer.table;
    Table rows;
    Bytes largest;
    for (const query::GroupColumn& column : query::kGroupColumns) {
        rows.columns.push_back(headed(query::columnTitle(column.key, by), column.kind));
    }
    for (const Group& group : answer.groups) {
        largest = std::max(largest, group.sums.bytes);
    }
    const OneUnit unit(largest);
    for (const Group& group : answer.groups) {
        std::vector<std::string>& row = rows.rows.emplace_back();
        for (const query::GroupColumn& column : query::kGroupColumns) {
            row.push_back(
                cellText(table, column.kind, query::cellOf(table, group, column.key), unit));
        }
    }
    return rows;
}

Table rowTable(const RunAnswer& answer)
{
    const AllocationTable& table = *answer.table;
    Table rows;
    std::vector<const query::ColumnInfo*> columns;
    for (const query::ColumnInfo& column : query::kColumns) {
        if (column.is_in_text) {
            columns.push_back(&column);
        }
    }
    // The line is the longest.
    std::ranges::stable_sort(columns, {}, [](const query::ColumnInfo* column) {
        return column->key == query::SortKey::line;
    });
    for (const query::ColumnInfo* const column : columns) {
        rows.columns.push_back(headed(query::columnTitle(column->key), column->kind));
    }
    Bytes largest;
    for (const AllocationId a : answer.ids) {
        largest = std::max(largest, table.bytes(a));
    }
    const OneUnit unit(largest);
    for (const AllocationId a : answer.ids) {
        std::vector<std::string>& row = rows.rows.emplace_back();
        for (const query::ColumnInfo* const column : columns) {
            row.push_back(cellText(table, column->kind, column->cell(table, a), unit));
        }
        if (row.back().empty()) {
            row.back() = say("no stack recorded");
        }
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
                addColumns(row, *answer.table, a);
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
    if (request.group_by) {
        writeGroupsCsv(out, answers, *request.group_by);
        return;
    }
    Places places(analysis);
    writeCsvHeader(
        out, csvColumns(answers.empty() ? nullptr : answers.front().table.get(), places, nullptr));
    for (const RunAnswer& answer : answers) {
        if (answer.ids.empty()) {
            continue;
        }
        const std::vector<CsvColumn> columns =
            csvColumns(answer.table.get(), places, answer.table->details({}));
        for (const AllocationId a : answer.ids) {
            for (const CsvColumn& column : columns) {
                out << (&column == columns.data() ? "" : ",") << column.field(a);
            }
            out << '\n';
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

std::string cellText(const AllocationTable& table, CellKind kind, const Cell& cell,
                     const OneUnit& unit)
{
    if (!cell.words.empty()) {
        return cell.words;
    }
    const auto* const number = std::get_if<std::int64_t>(&cell.value);
    const auto* const fraction = std::get_if<double>(&cell.value);
    const auto* const text = std::get_if<std::string>(&cell.value);
    switch (kind) {
    case CellKind::text:
        return text != nullptr ? *text : std::string();
    case CellKind::count:
    case CellKind::event:
        return number != nullptr ? formatCount(*number) : std::string();
    case CellKind::bytes:
        return number != nullptr ? unit.cell({*number}) : std::string();
    case CellKind::lifetime:
        return number != nullptr ? lifetimeText(table, *number) : std::string();
    case CellKind::bytes_lifetime:
        return fraction != nullptr ? bytesLifetimeText(table, *fraction) : std::string();
    case CellKind::share:
        return fraction != nullptr ? formatPercent(*fraction) : std::string();
    case CellKind::percent:
        return number != nullptr ? fmt::format("{} %", *number) : std::string();
    }
    return {};
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
    return fmt::format("{}·{}", formatBytes(bytes), table.hasTimes() ? "s" : say("events"));
}

} // namespace tidemark::report
