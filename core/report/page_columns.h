// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/curves/curves.h"
#include "core/projection/timeline.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::report {

/// Of a timeline that a page zooms into: with fewer columns than `kMostExact` each unit of the axis
/// has one. In a longer one about `kCoarse` columns of `stride` units each, and one for each unit
/// near what matters. A column has the composition of its fullest state, so the peak is exact.
struct PageColumns {
    std::string bytes; ///< As `packed` has them.
    std::size_t count = 0;
    std::int64_t stride = 1;
    std::vector<Interval<std::int64_t>> exact; ///< Of the axis; empty where all is.
};
inline constexpr std::int64_t kMostExact = 60'000;
inline constexpr std::int64_t kCoarse = 30'000;
inline constexpr std::int64_t kExactAround = 2'048; ///< On either side.

/// `extent` of the axis, beginning and ending with whole numbers; `near`: what matters.
/// O(columns · log states).
PageColumns pageColumns(const curves::DeviceCurves& curves, const projection::AxisMap& axis,
                        Interval<double> extent, std::span<const double> near);

/// One after another, each as what is different from the one before, all varints of 7 bits, the
/// lowest first (LEB128); signed ones in zigzag:
///     position − the last one · signed: state − the last one · bits of what changed · signed: how
/// much, for each bit that is set. Bit i stands for bucket i, then reserved, then free in private
/// pools; the last bit turns "in the trace", which is no at first, into its contrary.
class ColumnPacker {
public:
    void add(std::int64_t position, const projection::TimelineColumn& column);
    [[nodiscard]] std::size_t count() const
    {
        return m_count;
    }
    [[nodiscard]] const std::string& packed() const
    {
        return m_bytes;
    }

private:
    void put(std::uint64_t value);
    void putSigned(std::int64_t value);

    std::string m_bytes;
    std::size_t m_count = 0;
    std::int64_t m_position = 0;
    projection::TimelineColumn m_last;
};

} // namespace tidemark::report
