// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/order.h"

#include "core/base/ascii.h"
#include "core/base/in_order.h"
#include "core/base/language.h"
#include "core/label/stacks/stack_text.h"
#include "core/query/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace tidemark::query {

namespace {

using Table = const AllocationTable&; // Of the functions below.
using Id = AllocationId;

constexpr double kBehindAll = 1e18;

double rankOf(EventId event, double none)
{
    return event.isNone() ? none : static_cast<double>(event.value);
}

Cell eventCell(EventId event, const char* none)
{
    return event.isNone() ? Cell{{}, std::string(translated(none))}
                          : Cell{std::int64_t{event.value}};
}

Cell textCell(std::string text)
{
    return text.empty() ? Cell{} : Cell{std::move(text)};
}

Cell bucketCell(Table table, Id a)
{
    const label::Bucket bucket = table.labels().bucket[a.index()];
    return {std::string(label::bucketId(bucket)),
            bucketWithRole(bucket, table.labels().role[a.index()])};
}

Cell phaseCell(Table table, Id a)
{
    const std::optional<label::Phase> phase = table.phase(a);
    return phase ? Cell{std::string(label::phaseId(*phase)), std::string(label::phaseName(*phase))}
                 : Cell{};
}

/// Programs part the groups of a number as in English.
Cell expressionCell(Table table, Id a)
{
    std::string words = table.expression(a);
    std::string value = words;
    std::ranges::replace(value, language().group_mark, ',');
    return words.empty() ? Cell{} : Cell{std::move(value), std::move(words)};
}

/// Nothing as long as the modules are not known.
Cell moduleCell(Table table, Id a)
{
    const std::shared_ptr<const label::Details> details = table.knownDetails();
    return details ? textCell(details->moduleText(table.deviceIndex(), a)) : Cell{};
}

constexpr bool kLargestFirst = true;
constexpr bool kInText = true;

} // namespace

constexpr std::array<ColumnInfo, kSortKeyCount> kColumns{{
    {SortKey::bytes,
     "bytes",
     toSay("requested"),
     CellKind::bytes,
     [](Table t, Id a) { return Cell{t.bytes(a).value}; },
     {"requested_bytes"},
     kLargestFirst,
     kInText},
    {SortKey::bucket,
     "bucket",
     toSay("bucket"),
     CellKind::text,
     bucketCell,
     {"bucket"},
     false,
     kInText,
     [](Table t, Id a) { return static_cast<double>(t.labels().bucket[a.index()]); }},
    {SortKey::operation, "operation", toSay("operation"), CellKind::text,
     [](Table t, Id a) {
         return textCell(
             label::operationText(t.snapshot(), t.replay().allocations.stack[a.index()]));
     }},
    {SortKey::line,
     "line",
     toSay("your line"),
     CellKind::text,
     [](Table t, Id a) { return textCell(t.lineText(t.line(a))); },
     {},
     false,
     kInText},
    {SortKey::made,
     "made",
     toSay("allocated at"),
     CellKind::event,
     [](Table t, Id a) {
         return eventCell(t.replay().allocations.alloc_event[a.index()], toSay("before the trace"));
     },
     {"alloc_event"},
     false,
     kInText,
     [](Table t, Id a) { return rankOf(t.replay().allocations.alloc_event[a.index()], -1); }},
    {SortKey::freed,
     "freed",
     toSay("freed at"),
     CellKind::event,
     [](Table t, Id a) {
         return eventCell(t.replay().allocations.free_event[a.index()], toSay("never"));
     },
     {"free_event"},
     false,
     kInText,
     [](Table t, Id a) {
         return rankOf(t.replay().allocations.free_event[a.index()], kBehindAll);
     }},
    {SortKey::confidence,
     "confidence",
     toSay("confidence"),
     CellKind::percent,
     [](Table t, Id a) { return Cell{std::int64_t{t.labels().confidence[a.index()]}}; },
     {"confidence"},
     kLargestFirst},
    {SortKey::lifetime,
     "lifetime",
     toSay("lifetime"),
     CellKind::lifetime, // For programs in both units.
     [](Table t, Id a) { return Cell{t.lifetime(a)}; },
     {},
     kLargestFirst,
     kInText},
    {SortKey::bytes_lifetime,
     "bytes-lifetime",
     toSay("bytes × lifetime"),
     CellKind::bytes_lifetime,
     [](Table t, Id a) { return Cell{t.bytesLifetime(a)}; },
     {"byte_seconds", "byte_events"},
     kLargestFirst,
     kInText},
    {SortKey::churn,
     "churn",
     toSay("allocated and freed"),
     CellKind::bytes,
     [](Table t, Id a) { return Cell{t.churn(a).value}; },
     {"churn_bytes"},
     kLargestFirst},
    {SortKey::share_of_peak,
     "share-of-peak",
     toSay("share of peak"),
     CellKind::share,
     [](Table t, Id a) { return Cell{t.shareOfPeak(t.peakBytes(a))}; },
     {"share_of_peak"},
     kLargestFirst,
     kInText},
    {SortKey::step,
     "step",
     toSay("step"),
     CellKind::count,
     [](Table t, Id a) { return t.step(a) == 0 ? Cell{} : Cell{t.stepNumber(a)}; },
     {"step"},
     false,
     kInText},
    {SortKey::phase,
     "phase",
     toSay("phase"),
     CellKind::text,
     phaseCell,
     {"phase"},
     false,
     kInText,
     [](Table t, Id a) { return t.phase(a) ? static_cast<double>(*t.phase(a)) : -1; }},
    {SortKey::expression,
     "expression",
     toSay("size as a product"),
     CellKind::text,
     expressionCell,
     {"expression"}},
    {SortKey::module, "module", toSay("module"), CellKind::text, moduleCell},
}};
static_assert(isInOrder(kColumns, &ColumnInfo::key));

namespace {

Error sortingStopped()
{
    return {ErrorCode::cancelled, say("The sorting was stopped."), {}};
}

/// Places of texts in their order; equal texts share one.
std::vector<double> ranksOf(std::vector<std::string> texts)
{
    for (std::string& text : texts) {
        text = lowered(text);
    }
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return texts[a] < texts[b]; });
    std::vector<double> ranks(texts.size(), 0);
    for (std::size_t i = 1; i < order.size(); ++i) {
        const bool is_same = texts[order[i]] == texts[order[i - 1]];
        ranks[order[i]] = ranks[order[i - 1]] + (is_same ? 0 : 1);
    }
    return ranks;
}

using KeyOf = std::function<double(AllocationId)>;

/// Of an index that is none the least.
double rankAt(const std::vector<double>& ranks, std::size_t index)
{
    return index < ranks.size() ? ranks[index] : -1;
}

KeyOf operationKey(const AllocationTable& table)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < table.snapshot().stacks.stackCount(); ++i) {
        texts.push_back(label::operationText(table.snapshot(), StackId(i)));
    }
    return [&table, ranks = ranksOf(std::move(texts))](AllocationId a) {
        return rankAt(ranks, table.replay().allocations.stack[a.index()].index());
    };
}

KeyOf lineKey(const AllocationTable& table)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < table.lineCount(); ++i) {
        texts.push_back(table.lineText(static_cast<LineNumber>(i)));
    }
    return [&table, ranks = ranksOf(std::move(texts))](AllocationId a) {
        return rankAt(ranks, table.line(a));
    };
}

KeyOf moduleKey(const AllocationTable& table, const label::Details& details)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < details.paths.count(); ++i) {
        texts.push_back(details.paths.path(label::ModuleId(i)).text());
    }
    const auto& modules = details.devices[table.deviceIndex()].modules.module;
    return [&modules, ranks = ranksOf(std::move(texts))](AllocationId a) {
        return rankAt(ranks, modules[a.index()].index());
    };
}

/// Of a column without a rank: its number, or how its text sorts among those of the rows.
KeyOf cellKey(const AllocationTable& table, const ColumnInfo& column,
              std::span<const AllocationId> ids)
{
    if (column.rank != nullptr) {
        return [&table, &column](AllocationId a) { return column.rank(table, a); };
    }
    if (column.kind != CellKind::text) {
        return [&table, &column](AllocationId a) { return numberIn(column.cell(table, a)); };
    }
    std::vector<std::string> texts(table.count());
    for (const AllocationId a : ids) {
        const Cell cell = column.cell(table, a);
        const auto* const text = std::get_if<std::string>(&cell.value);
        texts[a.index()] = text == nullptr ? std::string() : *text;
    }
    return [ranks = ranksOf(std::move(texts))](AllocationId a) { return ranks[a.index()]; };
}

struct Row {
    double key = 0;
    std::int64_t bytes = 0;
    AllocationId id;
};

} // namespace

std::optional<SortKey> sortKeyFromId(std::string_view id)
{
    const auto found = std::ranges::find(kColumns, id, &ColumnInfo::id);
    return found == kColumns.end() ? std::nullopt : std::optional(found->key);
}

std::string bucketWithRole(label::Bucket bucket, label::Role role)
{
    const std::string_view words = label::roleWords(role);
    return fmt::format("{}{}{}", label::bucketName(bucket), words.empty() ? "" : ", ", words);
}

std::string_view columnTitle(SortKey key)
{
    return translated(infoOf(key).title);
}

Result<std::vector<AllocationId>> sorted(const AllocationTable& table,
                                         std::vector<AllocationId> ids, SortKey key,
                                         bool descending, const std::stop_token& stop)
{
    KeyOf key_of;
    std::shared_ptr<const label::Details> details;
    switch (key) {
    case SortKey::operation:
        key_of = operationKey(table);
        break;
    case SortKey::line:
        key_of = lineKey(table);
        break;
    case SortKey::module:
        details = table.details(stop);
        if (!details) {
            return sortingStopped();
        }
        key_of = moduleKey(table, *details);
        break;
    case SortKey::expression:
        key_of = [&table, ranks = ranksOf(table.expressionsBySize())](AllocationId a) {
            return rankAt(ranks, table.sizeUse(a));
        };
        break;
    default:
        key_of = cellKey(table, infoOf(key), ids);
    }
    std::vector<Row> rows;
    rows.reserve(ids.size());
    for (const AllocationId a : ids) {
        rows.push_back({key_of(a), table.bytes(a).value, a});
    }
    if (stop.stop_requested()) {
        return sortingStopped();
    }
    std::ranges::sort(rows, [descending](const Row& a, const Row& b) {
        if (a.key != b.key) {
            return descending ? a.key > b.key : a.key < b.key;
        }
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.id < b.id;
    });
    std::ranges::transform(rows, ids.begin(), &Row::id);
    return ids;
}

} // namespace tidemark::query
