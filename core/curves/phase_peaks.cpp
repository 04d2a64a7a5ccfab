// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/phase_peaks.h"

#include <algorithm>

namespace tidemark::curves {
namespace {

void raise(PhasePeak& peak, const PhasePeak& other)
{
    if (other.requested.bytes > peak.requested.bytes) {
        peak.requested = other.requested;
    }
    if (other.blocks.bytes > peak.blocks.bytes) {
        peak.blocks = other.blocks;
        peak.blocks_upper = other.blocks_upper;
    }
    if (other.reserved.bytes > peak.reserved.bytes) {
        peak.reserved = other.reserved;
    }
}

/// Adds to the entry that `is_same` finds from `first` on, or makes one.
template <class IsSame>
void add(std::vector<PhasePeak>& peaks, std::size_t first, const PhasePeak& peak,
         const IsSame& is_same)
{
    const auto it =
        std::find_if(peaks.begin() + static_cast<std::ptrdiff_t>(first), peaks.end(), is_same);
    if (it == peaks.end()) {
        peaks.push_back(peak);
    } else {
        raise(*it, peak);
    }
}

} // namespace

PhasePeaks phasePeaks(const replay::DeviceReplay& replay, const replay::BlockTotals& blocks,
                      const label::DeviceLabels& labels)
{
    std::vector<Interval<StateId>> intervals;
    for (const label::PhaseSpan& span : labels.phases) {
        intervals.push_back({StateId::after(span.first), {span.end.value + 1}});
    }
    const replay::MeasuredPeaks measured = replay::peaksIn(replay, blocks, intervals);
    PhasePeaks peaks;
    std::size_t step_begin = 0; // where the entries of the running step begin
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const label::PhaseSpan& span = labels.phases[i];
        PhasePeak peak{span.phase,
                       span.step,
                       measured.requested[i],
                       measured.blocks_lower[i],
                       measured.blocks_upper[i],
                       measured.reserved[i]};
        if (!peaks.by_step.empty() && peaks.by_step.back().step != span.step) {
            step_begin = peaks.by_step.size();
        }
        const auto is_phase = [&](const PhasePeak& p) { return p.phase == span.phase; };
        add(peaks.by_step, step_begin, peak, is_phase);
        peak.step = 0;
        add(peaks.by_phase, 0, peak, is_phase);
    }
    std::ranges::sort(peaks.by_phase, {}, &PhasePeak::phase);
    return peaks;
}

} // namespace tidemark::curves
