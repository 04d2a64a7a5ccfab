// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/allocation_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace tidemark::query {

/// What a list of allocations can be sorted by.
enum class SortKey : std::uint8_t {
    bytes,
    lifetime,
    bytes_lifetime,
    churn,
    share_of_peak,
    made,
    freed,
    bucket,
    operation,
    line,
    module,
    phase,
    step,
    expression,
    confidence,
};

inline constexpr std::size_t kSortKeyCount = static_cast<std::size_t>(SortKey::confidence) + 1;

/// What is known of a column by itself.
struct ColumnInfo {
    SortKey key = SortKey::bytes;
    std::string_view id; ///< "bytes-lifetime".
    std::string_view title; ///< "bytes × lifetime", in English.
    bool is_text = false;
    bool is_largest_first = false; ///< Unless told otherwise: amounts are, names and moments not.
};
/// In the order of the keys.
extern const std::array<ColumnInfo, kSortKeyCount> kColumns;
inline const ColumnInfo& infoOf(SortKey key)
{
    return kColumns[static_cast<std::size_t>(key)];
}

/// Of an id, as the command line has them; nullopt for every other word.
std::optional<SortKey> sortKeyFromId(std::string_view id);
/// In the language in use.
std::string_view columnTitle(SortKey key);

/// The same ids by `key`; equal keys by size (largest first), then by age. Texts sort whatever the
/// case of ASCII letters. What was made before the trace comes before what it made, what is never
/// freed behind what is. O(ids log ids + stacks). Errors: cancelled.
Result<std::vector<AllocationId>> sorted(const AllocationTable& table,
                                         std::vector<AllocationId> ids, SortKey key,
                                         bool descending, const std::stop_token& stop = {});

} // namespace tidemark::query
