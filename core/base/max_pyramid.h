// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tidemark {

/// Answers "where is the largest value in [begin, end)?" over a fixed series without losing a peak,
/// whatever the zoom. Leaves cover 64 values, upper nodes 64 nodes each; the series itself is not
/// copied and is passed again to each query. Build O(n), query O(64 log n), memory n/63 words.
class MaxPyramid {
public:
    MaxPyramid() = default;
    explicit MaxPyramid(std::span<const std::int64_t> series);

    /// Index of the first largest value in `range`. Requires a non-empty range inside the series
    /// this pyramid was built from.
    [[nodiscard]] std::size_t argMax(std::span<const std::int64_t> series,
                                     Interval<std::size_t> range) const;

private:
    static constexpr std::size_t kFanOut = 64;
    /// Level 0: index of the largest value per 64 values; level k: per 64 nodes of level k − 1.
    std::vector<std::vector<std::uint32_t>> m_levels;
};

} // namespace tidemark
