// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/max_pyramid.h"

#include <algorithm>
#include <cassert>

namespace tidemark {

MaxPyramid::MaxPyramid(std::span<const std::int64_t> series)
{
    std::span<const std::int64_t> below = series;
    while (m_levels.empty() ? !below.empty() : below.size() > 1) {
        Level level;
        const std::size_t nodes = (below.size() + kFanOut - 1) / kFanOut;
        level.largest.reserve(nodes);
        level.at.reserve(nodes);
        for (std::size_t begin = 0; begin < below.size(); begin += kFanOut) {
            const auto part = below.subspan(begin, std::min(kFanOut, below.size() - begin));
            const auto largest = std::ranges::max_element(part);
            const std::size_t i = begin + static_cast<std::size_t>(largest - part.begin());
            level.largest.push_back(*largest);
            level.at.push_back(m_levels.empty() ? static_cast<std::uint32_t>(i)
                                                : m_levels.back().at[i]);
        }
        m_levels.push_back(std::move(level));
        below = m_levels.back().largest;
    }
}

std::size_t MaxPyramid::argMax(std::span<const std::int64_t> series,
                               Interval<std::size_t> range) const
{
    assert(!range.isEmpty() && range.end <= series.size());
    std::size_t best = range.begin;
    std::int64_t largest = series[best];
    std::size_t begin = range.begin;
    std::size_t end = range.end;
    for (std::size_t level = 0; begin < end; ++level) {
        const std::span<const std::int64_t> values =
            level == 0 ? series : std::span<const std::int64_t>(m_levels[level - 1].largest);
        const auto offer = [&](std::size_t i) {
            if (values[i] >= largest) {
                const std::size_t at = level == 0 ? i : m_levels[level - 1].at[i];
                best = values[i] > largest ? at : std::min(best, at);
                largest = values[i];
            }
        };
        // Peel the unaligned ends at this level, then go up to the whole nodes between them.
        while (begin < end && begin % kFanOut != 0) {
            offer(begin++);
        }
        while (begin < end && end % kFanOut != 0) {
            offer(--end);
        }
        begin /= kFanOut;
        end /= kFanOut;
    }
    return best;
}

} // namespace tidemark
