// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/curves.h"

#include <algorithm>

namespace tidemark::curves {

DeviceCurves::DeviceCurves(std::shared_ptr<const replay::Replay> replay, std::size_t device,
                           const label::DeviceLabels& labels)
    : m_replay(std::move(replay))
    , m_device(device)
{
    const replay::DeviceReplay& r = this->replay();
    const replay::Allocations& a = r.allocations;
    m_state_count = r.stateCount();
    label::BucketBytes now{};
    m_changes.reserve(a.count() * 2);
    for (std::size_t i = 0; i < a.count(); ++i) {
        const label::Bucket bucket = labels.bucket[i];
        if (a.begin[i] == StateId::start()) {
            now[label::indexOf(bucket)] += a.requested[i].value;
        } else {
            m_changes.push_back({a.begin[i].value, bucket, a.requested[i].value});
        }
        if (a.end[i].index() < m_state_count) {
            m_changes.push_back({a.end[i].value, bucket, -a.requested[i].value});
        }
    }
    std::ranges::stable_sort(m_changes, {}, &Change::state);
    m_largest = now;
    std::size_t next = 0;
    for (std::size_t s = 0; s < m_state_count; ++s) {
        for (; next < m_changes.size() && m_changes[next].state <= s; ++next) {
            now[label::indexOf(m_changes[next].bucket)] += m_changes[next].bytes;
        }
        if (s % kStride == 0) {
            m_checkpoints.push_back(now);
            m_change_begin.push_back(next);
        }
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            m_largest[b] = std::max(m_largest[b], now[b]);
        }
    }
}

label::BucketBytes DeviceCurves::at(StateId state) const
{
    const std::size_t checkpoint = state.index() / kStride;
    label::BucketBytes bytes = m_checkpoints[checkpoint];
    for (std::size_t i = m_change_begin[checkpoint];
         i < m_changes.size() && m_changes[i].state <= state.value; ++i) {
        bytes[label::indexOf(m_changes[i].bucket)] += m_changes[i].bytes;
    }
    return bytes;
}

StateId DeviceCurves::largest(Interval<StateId> range) const
{
    const replay::DeviceReplay& r = replay();
    return {static_cast<std::uint32_t>(
        r.active_pyramid.argMax(r.active, {range.begin.index(), range.end.index()}))};
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
