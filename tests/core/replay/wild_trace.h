// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

namespace tidemark::test {

/// A trace in which nothing need fit: addresses are freed twice, handed out while in use, freed
/// with other sizes, and missing from the final blocks, or there twice.
class WildTrace {
public:
    explicit WildTrace(unsigned seed)
        : m_random(seed)
    {
        trace::Device device;
        const std::size_t events = m_random() % 120;
        while (device.events.count() < events) {
            addEvent(device.events);
        }
        Address at = 0;
        for (std::size_t i = m_random() % 4; i > 0; --i) {
            at = addSegment(device, at) + 64 * (m_random() % 2);
        }
        snapshot.devices.push_back(std::move(device));
    }
    trace::Snapshot snapshot;

private:
    std::int64_t size()
    {
        return static_cast<std::int64_t>(100 * (1 + m_random() % 9));
    }
    void addEvent(trace::Events& events)
    {
        using trace::Action;
        static constexpr std::array kActions{Action::alloc,          Action::alloc,
                                             Action::alloc,          Action::free_requested,
                                             Action::free_completed, Action::free_completed,
                                             Action::segment_alloc,  Action::oom,
                                             Action::segment_free,   Action::segment_map,
                                             Action::segment_unmap,  Action::snapshot,
                                             Action::user_defined,   Action::other};
        events.action.push_back(kActions[m_random() % kActions.size()]);
        events.address.push_back(64 * (m_random() % 8));
        events.size.push_back({size()});
        events.stream.push_back(0);
        events.stack.push_back(StackId::none());
        if (events.action.back() == Action::free_requested && m_random() % 4 != 0) {
            events.action.push_back(Action::free_completed);
            events.address.push_back(events.address.back());
            events.size.push_back(events.size.back());
            events.stream.push_back(0);
            events.stack.push_back(StackId::none());
        }
    }
    Address addSegment(trace::Device& device, Address at)
    {
        trace::Segment s;
        s.address = at;
        s.pool.user = m_random() % 2;
        s.first_block = static_cast<std::uint32_t>(device.blocks.size());
        s.block_count = static_cast<std::uint32_t>(m_random() % 4);
        for (std::uint32_t i = 0; i < s.block_count; ++i) {
            const auto state = static_cast<trace::BlockState>(m_random() % 3);
            const bool active = state != trace::BlockState::inactive;
            device.blocks.push_back({at, {512}, {active ? size() : 0}, state, StackId::none()});
            at += 64 * static_cast<Address>(m_random() % 5 != 0);
            s.total_size += Bytes{512};
        }
        device.segments.push_back(s);
        return at;
    }
    std::mt19937 m_random;
};

} // namespace tidemark::test
