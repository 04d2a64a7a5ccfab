// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/order.h"

#include "core/base/ascii.h"
#include "core/base/in_order.h"
#include "core/base/language.h"
#include "core/label/stacks/stack_text.h"
#include "core/query/words.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <string>

namespace tidemark::query {

constexpr std::array<ColumnInfo, kSortKeyCount> kColumns{{
    {SortKey::bytes, "bytes", toSay("requested"), false, true},
    {SortKey::lifetime, "lifetime", toSay("lifetime"), false, true},
    {SortKey::bytes_lifetime, "bytes-lifetime", toSay("bytes × lifetime"), false, true},
    {SortKey::churn, "churn", toSay("allocated and freed"), false, true},
    {SortKey::share_of_peak, "share-of-peak", toSay("share of peak"), false, true},
    {SortKey::made, "made", toSay("allocated at")},
    {SortKey::freed, "freed", toSay("freed at")},
    {SortKey::bucket, "bucket", toSay("bucket"), true},
    {SortKey::operation, "operation", toSay("operation"), true},
    {SortKey::line, "line", toSay("your line"), true},
    {SortKey::module, "module", toSay("module"), true},
    {SortKey::phase, "phase", toSay("phase"), true},
    {SortKey::step, "step", toSay("step")},
    {SortKey::expression, "expression", toSay("size as a product"), true},
    {SortKey::confidence, "confidence", toSay("confidence"), false, true},
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

double eventKey(const std::vector<EventId>& events, AllocationId a, double none)
{
    const EventId event = events[a.index()];
    return event.isNone() ? none : static_cast<double>(event.value);
}

/// The key of what needs no texts.
double numberOf(const AllocationTable& table, SortKey key, AllocationId a)
{
    constexpr double kBehindAll = 1e18;
    const replay::Allocations& all = table.replay().allocations;
    switch (key) {
    case SortKey::bytes:
        return static_cast<double>(table.bytes(a).value);
    case SortKey::lifetime:
        return static_cast<double>(table.lifetime(a));
    case SortKey::bytes_lifetime:
        return table.bytesLifetime(a);
    case SortKey::churn:
        return static_cast<double>(table.churn(a).value);
    case SortKey::share_of_peak:
        return static_cast<double>(table.peakBytes(a).value);
    case SortKey::made:
        return eventKey(all.alloc_event, a, -1);
    case SortKey::freed:
        return eventKey(all.free_event, a, kBehindAll);
    case SortKey::bucket:
        return static_cast<double>(table.labels().bucket[a.index()]);
    case SortKey::phase: {
        const std::optional<label::Phase> phase = table.phase(a);
        return phase ? static_cast<double>(*phase) : -1;
    }
    case SortKey::step:
        return static_cast<double>(table.stepNumber(a));
    case SortKey::confidence:
        return table.labels().confidence[a.index()];
    default:
        return 0;
    }
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
        key_of = [&table, key](AllocationId a) { return numberOf(table, key, a); };
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
