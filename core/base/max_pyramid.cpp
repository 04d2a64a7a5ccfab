// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/max_pyramid.h"

#include <algorithm>
#include <cassert>

namespace tidemark {

MaxPyramid::MaxPyramid(std::span<const std::int64_t> series)
{
    std::vector<std::uint32_t> level;
    for (std::size_t begin = 0; begin < series.size(); begin += kFanOut) {
        const auto part = series.subspan(begin, std::min(kFanOut, series.size() - begin));
        const auto at = std::ranges::max_element(part) - part.begin();
        level.push_back(static_cast<std::uint32_t>(begin + static_cast<std::size_t>(at)));
    }
    while (level.size() > 1) {
        std::vector<std::uint32_t> upper;
        for (std::size_t begin = 0; begin < level.size(); begin += kFanOut) {
            const auto part =
                std::span(level).subspan(begin, std::min(kFanOut, level.size() - begin));
            upper.push_back(
                *std::ranges::max_element(part, {}, [&](std::uint32_t i) { return series[i]; }));
        }
        m_levels.push_back(std::move(level));
        level = std::move(upper);
    }
    if (!level.empty()) {
        m_levels.push_back(std::move(level));
    }
}

std::size_t MaxPyramid::argMax(std::span<const std::int64_t> series,
                               Interval<std::size_t> range) const
{
    assert(!range.isEmpty() && range.end <= series.size());
    std::size_t best = range.begin;
    const auto offer = [&](std::size_t i) {
        if (series[i] > series[best] || (series[i] == series[best] && i < best)) {
            best = i;
        }
    };
    std::size_t begin = range.begin;
    std::size_t end = range.end;
    const auto candidate = [&](std::size_t level, std::size_t i) {
        return level == 0 ? i : m_levels[level - 1][i];
    };
    for (std::size_t level = 0; begin < end; ++level) {
        // Peel the unaligned ends at this level, then go up to the whole nodes between them.
        while (begin < end && begin % kFanOut != 0) {
            offer(candidate(level, begin++));
        }
        while (begin < end && end % kFanOut != 0) {
            offer(candidate(level, --end));
        }
        begin /= kFanOut;
        end /= kFanOut;
    }
    return best;
}

} // namespace tidemark
