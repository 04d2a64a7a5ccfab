// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/allocation_table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

enum class GroupBy : std::uint8_t { line, module, size, bucket, step };

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

/// What groups can be sorted by.
enum class GroupKey : std::uint8_t {
    name,
    count,
    bytes,
    lifetime,
    bytes_lifetime,
    churn,
    share_of_peak
};
/// "name", "count", …: as the command line has them; nullopt for every other word.
std::optional<GroupKey> groupKeyFromId(std::string_view id);
std::string_view groupKeyId(GroupKey key);

/// Equal keys by bytes, the most first, then by name. Sizes and steps sort as numbers.
void sortGroups(std::vector<Group>& groups, GroupKey key, bool descending);

} // namespace tidemark::query
