// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/replay/peaks.h"

#include <cstdint>
#include <vector>

namespace tidemark::curves {

/// The largest totals of the three measures, each with the first state that has it, while one phase
/// ran. The measures are never mixed: their states mostly differ.
struct PhasePeak {
    label::Phase phase = label::Phase::other;
    std::uint32_t step = 0; ///< 1-based; 0 before the first and for all steps together.
    replay::Peak requested;
    replay::Peak blocks; ///< Of the lower bounds of block sizes.
    std::int64_t blocks_upper = 0; ///< Upper bound in that state.
    replay::Peak reserved;
    friend bool operator==(const PhasePeak&, const PhasePeak&) = default;
};

struct PhasePeaks {
    std::vector<PhasePeak> by_phase; ///< All steps together, in the order of the phases' names.
    std::vector<PhasePeak> by_step; ///< By step, then by the phase's first event in it.
};

/// A phase owns the states after its own events, so that the state of a peak lies inside it: what
/// it found already there counts from its first event on. A phase that a step runs several times
/// (accumulation) counts once, with its largest totals. O(states).
PhasePeaks phasePeaks(const replay::DeviceReplay& replay, const replay::BlockTotals& blocks,
                      const label::DeviceLabels& labels);

} // namespace tidemark::curves
