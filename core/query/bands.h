// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/query/allocation_table.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

/// By what the bands of a timeline are told apart.
enum class BandBy : std::uint8_t { bucket, module, stack, size, lifetime, stream, pool };
inline constexpr std::size_t kBandByCount = 7;
/// The last of so many is what all small groups have together. Everything that draws bytes per
/// bucket draws bands.
inline constexpr std::size_t kMostBands = 11;
static_assert(kMostBands <= label::kBucketCount);

/// "bucket", "module", …; nullopt for every other word.
std::optional<BandBy> bandByFromId(std::string_view id);
std::string_view bandById(BandBy by);
/// For people: "bucket", "line of code", "size".
std::string_view bandByName(BandBy by);

/// The allocations of a device in at most `kMostBands`, or its buckets.
struct Bands {
    BandBy by = BandBy::bucket;
    std::vector<std::string> names; ///< From the lowest band to the uppermost; hostile texts.
    std::vector<label::Bucket> of; ///< Per allocation: `bucketAt` the number of its band.
    std::optional<std::size_t> other; ///< The band of all groups that are too small for their own.
};

/// Buckets lie in their own order, classes of size and lifetime from the largest to the smallest,
/// everything else by bytes × states: what fills most of the picture lies lowest, and what has no
/// place among the first ten is "other". O(allocations), besides `details` for modules. Errors:
/// cancelled.
Result<Bands> bands(const AllocationTable& table, BandBy by, const std::stop_token& stop = {});

} // namespace tidemark::query
