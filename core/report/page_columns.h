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

/// Of a timeline that a page zooms into: with at most `most_exact` columns each unit of the axis
/// has one. In a longer one about `coarse` columns of `stride` units each, and one for each unit
/// near what matters. A column has the composition of its fullest state, so the peak is exact.
struct PageColumns {
    std::string bytes; ///< As `packed` has them.
    std::size_t count = 0;
    std::int64_t stride = 1;
    std::vector<Interval<std::int64_t>> exact; ///< Of the axis; empty where all is.
    std::vector<std::int64_t> positions; ///< Of each column, where it begins.
};
/// Where a page draws several devices, the others have less.
struct ColumnLimits {
    std::int64_t most_exact = 60'000; ///< Columns of a run that has one for each unit.
    std::int64_t coarse = 30'000;
    std::int64_t exact_around = 2'048; ///< On either side.
};

/// `extent` of the axis, beginning and ending with whole numbers; `near`: what matters.
/// O(columns · log states).
PageColumns pageColumns(const curves::DeviceCurves& curves, const projection::AxisMap& axis,
                        Interval<double> extent, std::span<const double> near,
                        const ColumnLimits& limits = {});

/// Numbers that never fall, each as what it is more than the one before, as varints.
std::string packedRises(std::span<const std::int64_t> values);

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

    void put(std::uint64_t value);

private:
    void putSigned(std::int64_t value);

    std::string m_bytes;
    std::size_t m_count = 0;
    std::int64_t m_position = 0;
    projection::TimelineColumn m_last;
};

} // namespace tidemark::report
