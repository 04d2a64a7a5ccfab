// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/label/labels.h"
#include "core/replay/replay.h"

#include <memory>
#include <span>
#include <vector>

namespace tidemark::curves {

/// Bytes per bucket over the states of one device. Holds one full vector per 64 states, that of the
/// largest total among them; what changes between them stands in the replay. The composition of any
/// state costs O(64), that of the largest state of many O(1). Immutable.
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
    /// The same where the composition of another state is known. O(64), or O(states between).
    [[nodiscard]] label::BucketBytes at(StateId state, StateId known,
                                        const label::BucketBytes& known_bytes) const;
    /// First state of the largest total in a non-empty range. O(64 log states).
    [[nodiscard]] StateId largest(Interval<StateId> range) const;
    /// Largest reserved bytes in a non-empty range. O(64 log states).
    [[nodiscard]] std::int64_t largestReserved(Interval<StateId> range) const;
    /// Per allocation.
    [[nodiscard]] std::span<const label::Bucket> buckets() const
    {
        return m_bucket;
    }
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
    void add(label::BucketBytes& bytes, AllocationId a, bool begins) const;
    /// Turns the composition of one state into that of another. O(states between).
    void move(label::BucketBytes& bytes, StateId from, StateId to) const;
    [[nodiscard]] StateId checkpointState(std::size_t checkpoint) const;

    std::shared_ptr<const replay::Replay> m_replay;
    std::size_t m_device = 0;
    std::size_t m_state_count = 0;
    std::vector<label::BucketBytes>
        m_checkpoints; ///< Of the largest state among each 64, the leaves of the pyramid.
    MaxPyramid m_reserved; ///< Over the replay's `reserved`.
    std::vector<label::Bucket> m_bucket; ///< Per allocation.
    label::BucketBytes m_largest{};
};

struct Curves {
    std::vector<DeviceCurves> devices;
};

/// O(allocations + states) per device.
Curves build(std::shared_ptr<const replay::Replay> replay, const label::Labels& labels);

} // namespace tidemark::curves
