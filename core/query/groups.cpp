// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/groups.h"

#include "core/base/format.h"
#include "core/base/in_order.h"
#include "core/base/language.h"
#include "core/base/progress.h"
#include "core/query/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace tidemark::query {
namespace {

/// Names the groups of one kind.
class Namer {
public:
    Namer(const AllocationTable& table, GroupBy by, std::shared_ptr<const label::Details> details)
        : m_table(table)
        , m_by(by)
        , m_details(std::move(details))
    {
    }
    /// What the members of a group have in common.
    [[nodiscard]] std::int64_t keyOf(AllocationId a) const
    {
        switch (m_by) {
        case GroupBy::line:
            return m_table.line(a);
        case GroupBy::module:
            return m_details->devices[m_table.deviceIndex()].modules.module[a.index()].value;
        case GroupBy::size:
            return m_table.bytes(a).value;
        case GroupBy::bucket:
            return static_cast<std::int64_t>(label::indexOf(m_table.labels().bucket[a.index()]));
        case GroupBy::step:
            return m_table.stepNumber(a);
        }
        return 0;
    }
    void name(Group& group, std::int64_t key) const
    {
        group.value = key;
        switch (m_by) {
        case GroupBy::line:
            group.text = m_table.lineText(static_cast<LineNumber>(key));
            group.words = group.text.empty() ? "" : "line=" + quoted(group.text);
            break;
        case GroupBy::module: {
            const label::ModuleId module(static_cast<std::uint32_t>(key));
            group.text = module.isNone() ? std::string() : m_details->paths.path(module).text();
            group.words = group.text.empty() ? "" : "module=" + quoted(group.text);
            break;
        }
        case GroupBy::size:
            group.text = formatBytes({key});
            group.words = fmt::format("size:{}", key);
            break;
        case GroupBy::bucket: {
            const label::Bucket bucket = label::bucketAt(static_cast<std::size_t>(key));
            group.text = label::bucketName(bucket);
            group.words = fmt::format("bucket:{}", label::bucketId(bucket));
            break;
        }
        case GroupBy::step:
            group.text = key == 0 ? say("outside of steps") : say("step {}", key);
            group.words = fmt::format("step:{}", key);
            break;
        }
    }

private:
    const AllocationTable& m_table;
    GroupBy m_by;
    std::shared_ptr<const label::Details> m_details;
};

} // namespace

Error groupingStopped()
{
    return {ErrorCode::cancelled, say("The grouping was stopped."), {}};
}

constexpr std::array<const char*, kGroupByCount> kGroupByIds{
    toSay("line"), toSay("module"), toSay("size"), toSay("bucket"), toSay("step")};

constexpr std::array<GroupColumn, kGroupKeyCount> kGroupColumns{{
    {GroupKey::count,
     "count",
     toSay("count"),
     nullptr,
     CellKind::count,
     [](const AllocationTable&, const Sums& s) { return Cell{s.count}; },
     {"count"}},
    {GroupKey::bytes,
     "bytes",
     toSay("requested"),
     nullptr,
     CellKind::bytes,
     [](const AllocationTable&, const Sums& s) { return Cell{s.bytes.value}; },
     {"requested_bytes"}},
    {GroupKey::lifetime,
     "lifetime",
     toSay("lifetimes"),
     toSay("Sum of lifetimes"),
     CellKind::lifetime,
     [](const AllocationTable&, const Sums& s) { return Cell{s.lifetime}; },
     {"lifetime_us", "lifetime_events"}},
    {GroupKey::bytes_lifetime,
     "bytes-lifetime",
     toSay("bytes × lifetime"),
     toSay("Bytes × lifetime"),
     CellKind::bytes_lifetime,
     [](const AllocationTable&, const Sums& s) { return Cell{s.bytes_lifetime}; },
     {"byte_seconds", "byte_events"}},
    {GroupKey::churn,
     "churn",
     toSay("allocated and freed"),
     toSay("Bytes both allocated and freed in the trace"),
     CellKind::bytes,
     [](const AllocationTable&, const Sums& s) { return Cell{s.churn.value}; },
     {"churn_bytes"}},
    {GroupKey::share_of_peak,
     "share-of-peak",
     toSay("share of peak"),
     toSay("Share of the bytes live at the peak"),
     CellKind::share,
     [](const AllocationTable& t, const Sums& s) { return Cell{t.shareOfPeak(s.peak_bytes)}; },
     {"share_of_peak"}},
    {GroupKey::name, "name", nullptr, nullptr, CellKind::text, nullptr, {"name"}},
}};
static_assert(isInOrder(kGroupColumns, &GroupColumn::key));

std::optional<GroupBy> groupByFromId(std::string_view id)
{
    const auto found =
        std::ranges::find(kGroupByIds, id, [](const char* each) { return std::string_view(each); });
    return found == kGroupByIds.end()
        ? std::nullopt
        : std::optional(static_cast<GroupBy>(found - kGroupByIds.begin()));
}

std::string_view groupById(GroupBy by)
{
    return kGroupByIds[static_cast<std::size_t>(by)];
}

std::optional<GroupKey> groupKeyFromId(std::string_view id)
{
    const auto found = std::ranges::find(kGroupColumns, id, &GroupColumn::id);
    return found == kGroupColumns.end() ? std::nullopt : std::optional(found->key);
}

std::string_view columnTitle(GroupKey key, GroupBy by)
{
    return translated(key == GroupKey::name ? kGroupByIds[static_cast<std::size_t>(by)]
                                            : infoOf(key).title);
}

Cell cellOf(const AllocationTable& table, const Group& group, GroupKey key)
{
    const GroupColumn& column = infoOf(key);
    return column.cell != nullptr ? column.cell(table, group.sums)
        : group.text.empty()      ? Cell{{}, say("not known")}
                                  : Cell{group.text};
}

void Sums::add(const AllocationTable& table, AllocationId a)
{
    ++count;
    bytes += table.bytes(a);
    lifetime += table.lifetime(a);
    bytes_lifetime += table.bytesLifetime(a);
    churn += table.churn(a);
    peak_bytes += table.peakBytes(a);
}

Sums sumsOf(const AllocationTable& table, std::span<const AllocationId> ids)
{
    Sums sums;
    for (const AllocationId a : ids) {
        sums.add(table, a);
    }
    return sums;
}

Result<std::vector<Group>> groups(const AllocationTable& table, std::span<const AllocationId> ids,
                                  GroupBy by, const std::stop_token& stop)
{
    const auto details = by == GroupBy::module ? table.details(stop) : nullptr;
    if (by == GroupBy::module && !details) {
        return groupingStopped();
    }
    const Namer namer(table, by, details);
    std::vector<Group> found;
    std::unordered_map<std::int64_t, std::size_t> index;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i % kStopCheckStride == 0 && stop.stop_requested()) {
            return groupingStopped();
        }
        const std::int64_t key = namer.keyOf(ids[i]);
        const auto [known, is_new] = index.try_emplace(key, found.size());
        if (is_new) {
            namer.name(found.emplace_back(), key);
            found.back().largest = ids[i];
        }
        Group& group = found[known->second];
        group.sums.add(table, ids[i]);
        if (table.bytes(ids[i]) > table.bytes(group.largest)) {
            group.largest = ids[i];
        }
    }
    return found;
}

void sortGroups(const AllocationTable& table, std::vector<Group>& groups, GroupKey key,
                bool descending)
{
    // Names of lines and modules are texts; values of the others are in the order of their names.
    const bool by_text =
        key == GroupKey::name && std::ranges::any_of(groups, [](const Group& group) {
            return group.words.starts_with("line=") || group.words.starts_with("module=");
        });
    const auto numberOf = [&](const Group& group) {
        return numberIn(cellOf(table, group, key), static_cast<double>(group.value));
    };
    std::ranges::sort(groups, [&](const Group& a, const Group& b) {
        if (by_text && a.text != b.text) {
            return descending ? a.text > b.text : a.text < b.text;
        }
        const double x = numberOf(a);
        const double y = numberOf(b);
        if (!by_text && x != y) {
            return descending ? x > y : x < y;
        }
        return std::tie(b.sums.bytes, a.text, a.value) < std::tie(a.sums.bytes, b.text, b.value);
    });
}

} // namespace tidemark::query
