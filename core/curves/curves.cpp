// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/curves.h"

#include "core/base/column.h"
#include "core/replay/changes.h"

#include <algorithm>

namespace tidemark::curves {

DeviceCurves::DeviceCurves(std::shared_ptr<const replay::Replay> replay, std::size_t device,
                           const label::DeviceLabels& labels)
    : m_replay(std::move(replay))
    , m_device(device)
    , m_state_count(this->replay().stateCount())
    , m_bucket(labels.bucket)
{
    const replay::DeviceReplay& r = this->replay();
    label::BucketBytes now{};
    for (std::size_t i = 0; i < replay::countAtStart(r.allocations); ++i) {
        add(now, AllocationId(i), true);
    }
    m_largest = now;
    const std::size_t checkpoints = r.active_pyramid.leaves().size();
    reserveColumn(m_checkpoints, checkpoints);
    // What ends in a state is visited first, so every state's own bytes are seen, and no sum that
    // is larger than that.
    const StateId end{static_cast<std::uint32_t>(m_state_count)};
    replay::forEachChange(r, {StateId::start(), end}, [&](StateId s, AllocationId a, bool begins) {
        while (m_checkpoints.size() < checkpoints && checkpointState(m_checkpoints.size()) < s) {
            m_checkpoints.push_back(now);
        }
        add(now, a, begins);
        if (begins) {
            const std::size_t b = label::indexOf(m_bucket[a.index()]);
            m_largest[b] = std::max(m_largest[b], now[b]);
        }
    });
    while (m_checkpoints.size() < checkpoints) {
        m_checkpoints.push_back(now);
    }
    m_reserved = MaxPyramid(r.reserved);
}

StateId DeviceCurves::checkpointState(std::size_t checkpoint) const
{
    return {replay().active_pyramid.leaves()[checkpoint]};
}

void DeviceCurves::add(label::BucketBytes& bytes, AllocationId a, bool begins) const
{
    const std::int64_t requested = replay().allocations.requested[a.index()].value;
    bytes[label::indexOf(m_bucket[a.index()])] += begins ? requested : -requested;
}

void DeviceCurves::move(label::BucketBytes& bytes, StateId from, StateId to) const
{
    const bool is_back = to < from;
    const Interval<StateId> between{{std::min(from, to).value + 1}, {std::max(from, to).value + 1}};
    replay::forEachChange(replay(), between, [&](StateId, AllocationId a, bool begins) {
        add(bytes, a, begins != is_back);
    });
}

label::BucketBytes DeviceCurves::at(StateId state) const
{
    const std::size_t checkpoint = state.index() / MaxPyramid::kFanOut;
    label::BucketBytes bytes = m_checkpoints[checkpoint];
    move(bytes, checkpointState(checkpoint), state);
    return bytes;
}

label::BucketBytes DeviceCurves::at(StateId state, StateId known,
                                    const label::BucketBytes& known_bytes) const
{
    const auto distance = [&](StateId s) {
        return std::max(s, state).value - std::min(s, state).value;
    };
    if (distance(known) > distance(checkpointState(state.index() / MaxPyramid::kFanOut))) {
        return at(state);
    }
    label::BucketBytes bytes = known_bytes;
    move(bytes, known, state);
    return bytes;
}

StateId DeviceCurves::largest(Interval<StateId> range) const
{
    const replay::DeviceReplay& r = replay();
    return {static_cast<std::uint32_t>(
        r.active_pyramid.argMax(r.active, {range.begin.index(), range.end.index()}))};
}

std::int64_t DeviceCurves::largestReserved(Interval<StateId> range) const
{
    const std::vector<std::int64_t>& reserved = replay().reserved;
    return m_reserved.largest(reserved, {range.begin.index(), range.end.index()});
}

Curves build(std::shared_ptr<const replay::Replay> replay, const label::Labels& labels)
{
    Curves curves;
    for (std::size_t d = 0; d < replay->devices.size(); ++d) {
        curves.devices.emplace_back(replay, d, labels.devices[d]);
    }
    return curves;
}

} // namespace tidemark::curves
