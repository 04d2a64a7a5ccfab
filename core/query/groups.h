// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/allocation_table.h"
#include "core/query/cell.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

enum class GroupBy : std::uint8_t { line, module, size, bucket, step };
inline constexpr std::size_t kGroupByCount = static_cast<std::size_t>(GroupBy::step) + 1;
/// In its order; they are the titles, too.
extern const std::array<const char*, kGroupByCount> kGroupByIds;

/// "line", "module", …; nullopt for every other word.
std::optional<GroupBy> groupByFromId(std::string_view id);
std::string_view groupById(GroupBy by);

/// What several allocations add up to, in the units of the table.
struct Sums {
    std::int64_t count = 0;
    Bytes bytes; ///< Requested.
    std::int64_t lifetime = 0;
    double bytes_lifetime = 0;
    Bytes churn; ///< Of those allocated and freed.
    Bytes peak_bytes; ///< Of those that live at the peak.

    void add(const AllocationTable& table, AllocationId a);
};
Sums sumsOf(const AllocationTable& table, std::span<const AllocationId> ids);

/// Allocations that have something in common.
struct Group {
    std::string
        text; ///< "model.py:41 Attention.forward", "512.00 MiB"; empty where nothing is known.
    std::int64_t value = 0; ///< Of a size its bytes, of a step its number.
    std::string words; ///< A query that keeps them; empty where no word does.
    Sums sums;
    AllocationId largest;
};

/// For what is grouped, in whatever way.
Error groupingStopped();

/// The groups in no particular order. O(ids), besides `details` for modules. Errors: cancelled.
Result<std::vector<Group>> groups(const AllocationTable& table, std::span<const AllocationId> ids,
                                  GroupBy by, const std::stop_token& stop = {});

/// The columns of a list of groups, in the window's order; it can be sorted by each.
enum class GroupKey : std::uint8_t {
    count,
    bytes,
    lifetime,
    bytes_lifetime,
    churn,
    share_of_peak,
    name,
};
inline constexpr std::size_t kGroupKeyCount = static_cast<std::size_t>(GroupKey::name) + 1;

/// As `ColumnInfo`.
struct GroupColumn {
    GroupKey key = GroupKey::name;
    std::string_view id; ///< "bytes-lifetime".
    const char* title = nullptr; ///< In English; of the name it is what is grouped by.
    const char* meaning = nullptr; ///< For a tool tip, or null.
    CellKind kind = CellKind::text;
    Cell (*cell)(const AllocationTable& table, const Sums& sums) = nullptr; ///< Null: the name.
    MachineName machine{};
};
/// In the order of the keys.
extern const std::array<GroupColumn, kGroupKeyCount> kGroupColumns;
inline const GroupColumn& infoOf(GroupKey key)
{
    return kGroupColumns[static_cast<std::size_t>(key)];
}

/// Of an id, as the command line has them; nullopt for every other word.
std::optional<GroupKey> groupKeyFromId(std::string_view id);
/// Of the name it is what is grouped by. In the language in use.
std::string_view columnTitle(GroupKey key, GroupBy by);
Cell cellOf(const AllocationTable& table, const Group& group, GroupKey key);

/// Equal keys by bytes, the most first, then by name. Sizes and steps sort as numbers.
void sortGroups(const AllocationTable& table, std::vector<Group>& groups, GroupKey key,
                bool descending);

} // namespace tidemark::query
