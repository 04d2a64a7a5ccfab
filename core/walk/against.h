// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"
#include "core/walk/timeline.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tidemark::walk {

/// Requested bytes → how many tensors.
using SizeCounts = std::map<std::int64_t, std::int64_t>;
/// What lives at the recorded peak. O(allocations).
SizeCounts recordedSizes(const replay::DeviceReplay& replay);
/// Planned bytes at a moment in tensors that the recording has, too, size by size.
/// O(allocations · log).
Bytes sameBytes(const Timeline& timeline, CallCount moment, const SizeCounts& recorded);

/// Tensors of one size of which a plan and a recording have different numbers at their peaks.
struct SizeDifference {
    Bytes bytes; ///< Of one.
    std::int64_t planned = 0;
    std::int64_t recorded = 0;
    label::Bucket bucket = label::Bucket::unknown; ///< On the side that has more,
    label::Role role = label::Role::none; ///< too.

    /// What the recording has more.
    [[nodiscard]] Bytes delta() const
    {
        return {(recorded - planned) * bytes.value};
    }
};

/// A planned peak beside a recorded one.
struct PlanDifference {
    Bytes planned;
    Bytes recorded;
    label::Phase planned_phase = label::Phase::setup;
    label::Phase recorded_phase = label::Phase::setup;
    label::BucketBytes planned_buckets{};
    label::BucketBytes recorded_buckets{};
    Bytes planned_reserved;
    Bytes recorded_reserved; ///< The most over the recording.
    Bytes same; ///< In tensors that both have, size by size.
    std::vector<SizeDifference> sizes; ///< Largest difference in bytes first.
    std::string sentence; ///< Both peaks, and what makes most of the difference.
};

/// Compares the peaks by the sizes of what lives at them, which labels cannot blur.
/// O(allocations + moments).
PlanDifference compareWith(const Timeline& timeline, Bytes planned_reserved,
                           const replay::DeviceReplay& replay, const label::DeviceLabels& labels);

} // namespace tidemark::walk
