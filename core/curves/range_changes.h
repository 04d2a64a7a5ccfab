// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tidemark::curves {

/// What began and what ended, requested bytes.
struct Flow {
    std::int64_t came_bytes = 0;
    std::int64_t went_bytes = 0;
    std::int64_t came = 0; ///< Allocations.
    std::int64_t went = 0;

    [[nodiscard]] std::int64_t netBytes() const
    {
        return came_bytes - went_bytes;
    }
    friend bool operator==(const Flow&, const Flow&) = default;
};

/// Flow of the allocations that one stack made.
struct StackFlow {
    StackId stack;
    label::Bucket bucket = label::Bucket::unknown; ///< Of most of the bytes that moved.
    Flow flow;
};

/// What happened between two states of a device.
struct RangeChanges {
    Interval<StateId> between; ///< The first state and the last one (which is not past the end).
    Flow total;
    std::array<Flow, label::kBucketCount> buckets;
    std::vector<StackFlow> stacks; ///< Largest change that stayed first, then largest coming.
    std::size_t stack_count = 0; ///< All there are; `stacks` may hold fewer.
    std::int64_t largest = 0; ///< Largest total in the range.
};

/// Changes after the first state up to and with the last. Keeps the `most_stacks` first ones.
/// O(events between + stacks log stacks).
RangeChanges changesBetween(const replay::DeviceReplay& replay, const label::DeviceLabels& labels,
                            Interval<StateId> between, std::size_t most_stacks);

} // namespace tidemark::curves
