// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/peaks.h"

#include <algorithm>

namespace tidemark::replay {
namespace {

/// Whether a valley is deep enough below a peak to part it from the next.
bool parts(std::int64_t valley, std::int64_t peak)
{
    return valley * 10 <= peak * 9 && valley < peak;
}

/// `peaks_of` finds the peaks of one series of totals.
template <class PeaksOf>
MeasuredPeaks measured(const DeviceReplay& replay, const BlockTotals& blocks,
                       const PeaksOf& peaks_of)
{
    MeasuredPeaks peaks{
        peaks_of(replay.active), peaks_of(blocks.lower), {}, peaks_of(replay.reserved)};
    for (const Peak& peak : peaks.blocks_lower) {
        peaks.blocks_upper.push_back(blocks.upper[peak.state.index()]);
    }
    return peaks;
}

} // namespace

std::vector<Peak> highestPeaks(std::span<const std::int64_t> totals, std::size_t count)
{
    std::vector<Peak> peaks;
    if (totals.empty()) {
        return peaks;
    }
    Peak top{StateId::start(), totals[0]};
    std::int64_t valley = 0;
    bool is_falling = false;
    for (std::uint32_t s = 1; s < totals.size(); ++s) {
        const std::int64_t now = totals[s];
        if (is_falling) {
            valley = std::min(valley, now);
            if (parts(valley, now)) {
                is_falling = false;
                top = {{s}, now};
            }
        } else if (now > top.bytes) {
            top = {{s}, now};
        } else if (parts(now, top.bytes)) {
            peaks.push_back(top);
            is_falling = true;
            valley = now;
        }
    }
    if (!is_falling) {
        peaks.push_back(top);
    }
    std::ranges::stable_sort(peaks, std::ranges::greater{}, &Peak::bytes);
    peaks.resize(std::min(count, peaks.size()));
    return peaks;
}

std::vector<Peak> peaksIn(std::span<const std::int64_t> totals,
                          std::span<const Interval<StateId>> stretches)
{
    std::vector<Peak> peaks;
    for (const Interval<StateId>& stretch : stretches) {
        const auto first = totals.begin() + stretch.begin.value;
        const auto largest = std::max_element(first, totals.begin() + stretch.end.value);
        peaks.push_back({{static_cast<std::uint32_t>(largest - totals.begin())}, *largest});
    }
    return peaks;
}

MeasuredPeaks highestPeaks(const DeviceReplay& replay, const BlockTotals& blocks, std::size_t count)
{
    return measured(replay, blocks,
                    [count](const auto& totals) { return highestPeaks(totals, count); });
}

MeasuredPeaks peaksIn(const DeviceReplay& replay, const BlockTotals& blocks,
                      std::span<const Interval<StateId>> stretches)
{
    return measured(replay, blocks,
                    [stretches](const auto& totals) { return peaksIn(totals, stretches); });
}

} // namespace tidemark::replay
