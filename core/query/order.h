// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/allocation_table.h"

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

/// "bytes", "bytes-lifetime", …: as the command line has them; nullopt for every other word.
std::optional<SortKey> sortKeyFromId(std::string_view id);
std::string_view sortKeyId(SortKey key);
/// Whether a list begins with the largest unless told otherwise: amounts do, names and moments do
/// not.
bool isLargestFirst(SortKey key);

/// The same ids by `key`; equal keys by size (largest first), then by age. Texts sort whatever the
/// case of ASCII letters. What was made before the trace comes before what it made, what is never
/// freed behind what is. O(ids log ids + stacks). Errors: cancelled.
Result<std::vector<AllocationId>> sorted(const AllocationTable& table,
                                         std::vector<AllocationId> ids, SortKey key,
                                         bool descending, const std::stop_token& stop = {});

} // namespace tidemark::query
