// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/max_pyramid.h"

#include <algorithm>
#include <array>
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
    return find(series, range, true).at;
}

std::int64_t MaxPyramid::largest(std::span<const std::int64_t> series,
                                 Interval<std::size_t> range) const
{
    return find(series, range, false).value;
}

MaxPyramid::Found MaxPyramid::find(std::span<const std::int64_t> series,
                                   Interval<std::size_t> range, bool wants_first) const
{
    assert(!range.isEmpty() && range.end <= series.size());
    // Unaligned ends are peeled off level by level until nothing is left between them.
    constexpr std::size_t kMostLevels = 11; // as many as 64-bit indices can have
    std::array<std::array<Interval<std::size_t>, 2>, kMostLevels> ends;
    std::size_t levels = 0;
    for (Interval<std::size_t> rest = range; !rest.isEmpty(); ++levels) {
        const std::size_t first = (rest.begin + kFanOut - 1) / kFanOut;
        const std::size_t last = rest.end / kFanOut;
        const std::size_t left_end = std::min(rest.end, first * kFanOut);
        ends[levels] = {{{rest.begin, left_end}, {std::max(left_end, last * kFanOut), rest.end}}};
        rest = {first, last};
    }
    // The widest nodes first: most ends lie under a node that is known to hold nothing larger.
    Found best{series[range.begin], range.begin};
    for (std::size_t level = levels; level-- > 0;) {
        for (const Interval<std::size_t>& part : ends[level]) {
            if (part.isEmpty()) {
                continue;
            }
            if (level < m_levels.size()) {
                const std::int64_t above = m_levels[level].largest[part.begin / kFanOut];
                if (above < best.value || (above == best.value && !wants_first)) {
                    continue;
                }
            }
            const std::span<const std::int64_t> values =
                level == 0 ? series : std::span<const std::int64_t>(m_levels[level - 1].largest);
            for (std::size_t i = part.begin; i < part.end; ++i) {
                if (values[i] >= best.value) {
                    const std::size_t at = level == 0 ? i : m_levels[level - 1].at[i];
                    best = {values[i], values[i] > best.value ? at : std::min(best.at, at)};
                }
            }
        }
    }
    return best;
}

} // namespace tidemark
