// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/projection/timeline.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tidemark::projection {

/// What run B holds more than run A in one pixel column, bucket by bucket: the difference of the
/// compositions that the two columns show.
struct DeltaColumn {
    label::BucketBytes buckets{};
    bool in_both = false; ///< Otherwise one of the runs is over or has not begun, and all is zero.

    /// Of the visible buckets.
    [[nodiscard]] std::int64_t net(std::uint32_t visible) const;
    /// What the visible buckets up to number `band` reach to on one side of zero.
    [[nodiscard]] std::int64_t reach(std::size_t band, bool is_above, std::uint32_t visible) const;
};

/// Columns of two projections of one range, of equal number. O(columns).
std::vector<DeltaColumn> deltaColumns(const TimelineProjection& a, const TimelineProjection& b);

/// How far the stacked bands reach above and below zero; neither is negative.
struct DeltaHeights {
    std::int64_t above = 0;
    std::int64_t below = 0;
};
DeltaHeights heights(const std::vector<DeltaColumn>& columns, std::uint32_t visible);

/// How many bytes an axis shows on either side of zero: a little more than the bands reach to, and
/// enough of a side that hardly holds anything to be seen. Both are positive.
struct DeltaSides {
    double above = 1;
    double below = 1;
};
DeltaSides sidesFor(const DeltaHeights& heights);

/// The bucket at a height: what B holds more is stacked up from zero in the order of the buckets,
/// what it holds less down from zero.
std::optional<label::Bucket> bandAt(const DeltaColumn& column, std::int64_t bytes,
                                    std::uint32_t visible);

} // namespace tidemark::projection
