// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"

#include <memory>
#include <vector>

namespace tidemark::curves {

/// Bytes per bucket over the states of one device. Holds one full vector per 64 states; what
/// changes between them stands in the replay. The composition of any state costs O(64). Immutable.
class DeviceCurves {
public:
    DeviceCurves() = default;
    DeviceCurves(std::shared_ptr<const replay::Replay> replay, std::size_t device,
                 const label::DeviceLabels& labels);

    [[nodiscard]] std::size_t stateCount() const
    {
        return m_state_count;
    }
    /// Requested bytes per bucket in a state. Their sum is the replay's `active`.
    [[nodiscard]] label::BucketBytes at(StateId state) const;
    /// First state of the largest total in a non-empty range. O(64 log states).
    [[nodiscard]] StateId largest(Interval<StateId> range) const;
    [[nodiscard]] const replay::DeviceReplay& replay() const
    {
        return m_replay->devices[m_device];
    }
    /// Largest bytes of one bucket over the whole trace (for toggles and tables).
    [[nodiscard]] std::int64_t largestOf(label::Bucket bucket) const
    {
        return m_largest[label::indexOf(bucket)];
    }

private:
    static constexpr std::uint32_t kStride = 64;

    void add(label::BucketBytes& bytes, AllocationId a, bool begins) const;

    std::shared_ptr<const replay::Replay> m_replay;
    std::size_t m_device = 0;
    std::size_t m_state_count = 0;
    std::vector<label::BucketBytes> m_checkpoints; ///< State k·64.
    std::vector<label::Bucket> m_bucket; ///< Per allocation.
    label::BucketBytes m_largest{};
};

struct Curves {
    std::vector<DeviceCurves> devices;
};

/// O(allocations + states) per device.
Curves build(std::shared_ptr<const replay::Replay> replay, const label::Labels& labels);

} // namespace tidemark::curves
