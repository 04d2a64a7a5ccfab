// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/allocation_table.h"
#include "core/query/cell.h"

#include <array>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

/// The columns of a list of allocations, in the window's order; it can be sorted by each.
enum class SortKey : std::uint8_t {
    bytes,
    bucket,
    operation,
    line,
    made,
    freed,
    confidence,
    lifetime,
    bytes_lifetime,
    churn,
    share_of_peak,
    step,
    phase,
    expression,
    module,
};

inline constexpr std::size_t kSortKeyCount = static_cast<std::size_t>(SortKey::module) + 1;

/// A column: the window, the text, the JSON and the CSV of `allocations` take all from here.
struct ColumnInfo {
    SortKey key = SortKey::bytes;
    std::string_view id; ///< "bytes-lifetime".
    std::string_view title; ///< "bytes × lifetime", in English.
    CellKind kind = CellKind::text;
    Cell (*cell)(const AllocationTable& table, AllocationId a) = nullptr;
    MachineName machine{}; ///< Empty: programs get it otherwise.
    bool is_largest_first = false; ///< Unless told otherwise: amounts are, names and moments not.
    bool is_in_text = false; ///< Of a command; the window has all.
    /// What it is sorted by; null: the cell's number, or its text.
    double (*rank)(const AllocationTable& table, AllocationId a) = nullptr;
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

/// "Activations, attention matrix": a bucket with its role where it has one.
std::string bucketWithRole(label::Bucket bucket, label::Role role);

/// The same ids by `key`; equal keys by size (largest first), then by age. Texts sort whatever the
/// case of ASCII letters. What was made before the trace comes before what it made, what is never
/// freed behind what is. O(ids log ids + stacks). Errors: cancelled.
Result<std::vector<AllocationId>> sorted(const AllocationTable& table,
                                         std::vector<AllocationId> ids, SortKey key,
                                         bool descending, const std::stop_token& stop = {});

} // namespace tidemark::query
