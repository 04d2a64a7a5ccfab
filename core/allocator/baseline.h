// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/settings.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/replay/block_sizes.h"
#include "core/replay/replay.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

namespace tidemark::allocator {

/// How far the model does what the recorded run did, under the settings it was recorded with and
/// from the layout at the start of its trace.
struct Baseline {
    Settings settings; ///< Those recorded.
    std::int64_t addresses_checked = 0; ///< Of all allocations of the trace.
    std::int64_t addresses_equal = 0;
    std::int64_t segments_checked = 0; ///< Segment events of the trace: obtained and given back.
    std::int64_t segments_equal = 0; ///< Those that the model asked for, too, in that place.
    std::int64_t surplus_segments = 0; ///< Asked for by the model alone.
    std::int64_t states_checked = 0; ///< After every operation.
    std::int64_t reserved_equal = 0; ///< States with the file's reserved bytes.
    Bytes reserved_gap; ///< The largest difference.
    Bytes reserved_peak; ///< Of the model.
    bool layout_equal = false; ///< The last state is the file's, block by block.
    std::optional<EventId> first_divergence; ///< The first operation with another outcome.
    /// Exact block sizes of the trace's allocations, and what was known of those from before; there
    /// only where everything agrees.
    std::optional<replay::BlockSizes> sizes;

    [[nodiscard]] bool segmentsAgree() const
    {
        return segments_checked == segments_equal && surplus_segments == 0;
    }
    [[nodiscard]] bool agrees() const
    {
        return addresses_checked == addresses_equal && segmentsAgree()
            && states_checked == reserved_equal && layout_equal;
    }
    /// The model repeats the recorded run well enough for its figures to be taken as such: 99 % of
    /// the addresses, reserved within 1 %.
    [[nodiscard]] bool isTrusted() const
    {
        return addresses_equal * 100 >= addresses_checked * 99
            && reserved_gap.value * 100 <= reserved_peak.value;
    }
};
/// One per device of a snapshot; none for host memory, which has another allocator.
using Baselines = std::vector<std::optional<Baseline>>;

/// What its progress is reported as.
inline constexpr const char* kBaselineStage = "replaying the allocator";

/// Replays the trace of one device. `sizes`: what is known of the block sizes, for the start. The
/// version of torch is not in the file, so of the orders of equal blocks the one is taken that
/// agrees best. O(events · log blocks). Errors: cancelled.
Result<Baseline> baseline(const trace::Snapshot& snapshot, std::size_t device,
                          const replay::DeviceReplay& replay, const replay::BlockSizes& sizes,
                          ProgressSink& progress, const std::stop_token& stop);

/// Those of all devices, on several threads. `sizes`: one per device. Errors: cancelled.
Result<Baselines> baselines(const trace::Snapshot& snapshot, const replay::Replay& replay,
                            const std::vector<replay::BlockSizes>& sizes, ProgressSink& progress,
                            const std::stop_token& stop);

} // namespace tidemark::allocator
