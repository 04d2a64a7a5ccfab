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
/// copied and is passed again to each query, which looks at fewer than 128 neighbours of it and
/// otherwise at nodes that lie side by side. Build O(n), query O(64 log n), memory n/5 bytes.
class MaxPyramid {
public:
    static constexpr std::size_t kFanOut = 64;

    MaxPyramid() = default;
    explicit MaxPyramid(std::span<const std::int64_t> series);

    /// Index of the first largest value in `range`. Requires a non-empty range inside the series
    /// this pyramid was built from.
    [[nodiscard]] std::size_t argMax(std::span<const std::int64_t> series,
                                     Interval<std::size_t> range) const;
    /// The largest value itself; a little faster.
    [[nodiscard]] std::int64_t largest(std::span<const std::int64_t> series,
                                       Interval<std::size_t> range) const;
    /// Index of the first largest value of every 64.
    [[nodiscard]] std::span<const std::uint32_t> leaves() const
    {
        return m_levels.empty() ? std::span<const std::uint32_t>() : m_levels.front().at;
    }

private:
    struct Found {
        std::int64_t value = 0;
        std::size_t at = 0;
    };
    /// `wants_first`: of several largest ones the first, not just any.
    [[nodiscard]] Found find(std::span<const std::int64_t> series, Interval<std::size_t> range,
                             bool wants_first) const;
    /// The first largest value per 64 values or nodes, and where it stands in the series.
    struct Level {
        std::vector<std::int64_t> largest;
        std::vector<std::uint32_t> at;
    };
    std::vector<Level> m_levels; ///< Level 0: over the series; level k: over level k − 1.
};

} // namespace tidemark
