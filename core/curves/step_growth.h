// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/label/labels.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::curves {

enum class GrowthVerdict : std::uint8_t {
    rising, ///< Rises from step to step and has not stopped: a leak, whatever its size.
    stopped, ///< Rose and has been flat since: a cache that is full, state that is made late.
    unclear, ///< Up and down, or too few steps to tell.
    falling,
};
/// "rising", "stopped", "unclear", "falling".
std::string_view growthVerdictId(GrowthVerdict verdict);

/// Live bytes of one stack's allocations at the ends of the complete steps.
struct StackGrowth {
    StackId stack; ///< None: all that was recorded without one.
    label::Bucket bucket = label::Bucket::unknown; ///< Of most of what is live at the last end.
    std::int64_t first_bytes = 0; ///< At the end of the first step that counts.
    std::int64_t last_bytes = 0;
    double bytes_per_step = 0; ///< Median slope.
    std::uint32_t steps = 0; ///< Ends of steps that were looked at.
    std::uint32_t rises = 0; ///< From one end to the next.
    std::uint32_t falls = 0;
    double p = 1; ///< One-sided Mann–Kendall: how likely chance alone rises as much.
    GrowthVerdict verdict = GrowthVerdict::unclear;
    /// Memory of a pass that rose at the last end alone: the next step would let go of it, as of
    /// gradients and of what a name of the last step still has.
    bool is_of_last_step = false;
};

struct StepGrowth {
    /// States just before the next step begins; the last step's only where it is complete, and
    /// before the program's teardown. The end of the first complete step is the base: what it made
    /// is warm-up.
    std::vector<StateId> ends;
    /// Every stack whose live bytes differ between two ends: rising ones first, then by bytes per
    /// step. All others have not grown. Empty below three complete steps.
    std::vector<StackGrowth> stacks;
};

/// Whether it rose every time that it changed, and has not stopped: a leak, or too few steps to
/// tell.
bool onlyRose(const StackGrowth& growth);
/// What the growth of all stacks comes to, in one sentence that fits what the rows below it say.
std::string growthWords(const StepGrowth& growth);

/// Ends after `until` are left out. O(allocations log steps + changed stacks · steps); memory
/// O(allocations that live across an end). Slope and significance look at 256 of the ends at most,
/// evenly spread.
StepGrowth growthPerStep(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                         StateId until);

} // namespace tidemark::curves
