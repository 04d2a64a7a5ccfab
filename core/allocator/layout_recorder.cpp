// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/layout_recorder.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidemark::allocator {
namespace {

Interval<Address> rangeOf(Address address, Bytes size)
{
    return {address, address + static_cast<Address>(size.value)};
}

} // namespace

LayoutRecorder::LayoutRecorder(const replay::DeviceReplay& recorded)
    : m_recorded(recorded)
    , m_address(recorded.allocations.address)
    , m_sizes{recorded.allocations.requested, recorded.allocations.requested, 0}
{
    m_reserved.reserve(recorded.stateCount());
}

void LayoutRecorder::obtained(Interval<Address> addresses, const Home& home, bool is_expandable)
{
    m_open.insert_or_assign(addresses.begin, Span{addresses, home, is_expandable, m_state, {}});
}

void LayoutRecorder::close(const Span& span)
{
    m_closed.push_back(span);
    m_closed.back().end = m_state;
}

/// Of a range that is given back in part, the parts that stay are ranges of their own from now on.
void LayoutRecorder::released(Interval<Address> addresses)
{
    auto it = m_open.upper_bound(addresses.begin);
    it = it == m_open.begin() ? it : std::prev(it);
    while (it != m_open.end() && it->second.addresses.begin < addresses.end) {
        const Span span = it->second;
        if (span.addresses.end <= addresses.begin) {
            ++it;
            continue;
        }
        it = m_open.erase(it);
        close(span);
        if (span.addresses.begin < addresses.begin) {
            obtained({span.addresses.begin, addresses.begin}, span.home, span.is_expandable);
        }
        if (addresses.end < span.addresses.end) {
            obtained({addresses.end, span.addresses.end}, span.home, span.is_expandable);
        }
    }
}

void LayoutRecorder::placed(AllocationId a, Address address, Bytes size)
{
    m_address[a.index()] = address;
    m_sizes.lower[a.index()] = size;
    m_sizes.upper[a.index()] = size;
}

void LayoutRecorder::reserved(Bytes bytes)
{
    const std::int64_t before = m_reserved.empty() ? 0 : m_reserved.back();
    if (m_reserved.size() <= m_state.index()) {
        m_reserved.resize(m_state.index() + 1, before);
    }
    m_reserved[m_state.index()] = bytes.value;
}

replay::SegmentSpans LayoutRecorder::columns()
{
    m_state = StateId{static_cast<std::uint32_t>(m_recorded.stateCount())};
    for (const auto& [begin, span] : m_open) {
        close(span);
    }
    std::erase_if(m_closed, [](const Span& span) { return span.begin == span.end; });
    std::ranges::sort(m_closed, {}, [](const Span& span) {
        return std::tuple(span.begin, span.addresses.begin);
    });
    replay::SegmentSpans spans;
    for (const Span& span : m_closed) {
        spans.address.push_back(span.addresses.begin);
        spans.size.push_back(
            {static_cast<std::int64_t>(span.addresses.end - span.addresses.begin)});
        spans.begin.push_back(span.begin);
        spans.end.push_back(span.end);
        spans.stream.push_back(span.home.stream);
        spans.pool.push_back(span.home.pool);
        spans.stack.push_back(StackId::none());
        const int traits = replay::SegmentSpans::kPoolKnown
            | (span.home.is_small ? replay::SegmentSpans::kSmallPool : 0)
            | (span.is_expandable ? replay::SegmentSpans::kExpandable : 0);
        spans.traits.push_back(static_cast<std::uint8_t>(traits));
    }
    spans.index = replay::LiveIndex(spans.lifetimes());
    return spans;
}

SimulatedLayout LayoutRecorder::finish(Simulation simulation) &&
{
    SimulatedLayout found;
    const std::size_t states = m_recorded.stateCount();
    found.known_until = m_recorded.lastState();
    if (!simulation.is_complete) {
        const EventId e = simulation.oom->event;
        found.known_until = e.isNone() ? StateId::start() : StateId::before(e);
        m_reserved.resize(std::min(m_reserved.size(), found.known_until.index() + 1));
    }
    m_reserved.resize(states,
                      simulation.is_complete && !m_reserved.empty() ? m_reserved.back() : 0);
    auto replay = std::make_shared<replay::DeviceReplay>(m_recorded);
    replay->allocations.address = std::move(m_address);
    replay->segments = columns();
    replay->reserved = std::move(m_reserved);
    found.replay = std::move(replay);
    found.sizes = std::make_shared<const replay::BlockSizes>(std::move(m_sizes));
    found.simulation = std::move(simulation);
    return found;
}

std::optional<Address> SimulatedDriver::allocate(Bytes size, const Home& home)
{
    const auto address = m_card.allocate(size, home);
    if (address && m_recorder != nullptr) {
        m_recorder->obtained(rangeOf(*address, size), home, false);
    }
    return address;
}

bool SimulatedDriver::map(Address address, Bytes size, const Home& home)
{
    const bool is_mapped = m_card.map(address, size, home);
    if (is_mapped && m_recorder != nullptr) {
        m_recorder->obtained(rangeOf(address, size), home, true);
    }
    return is_mapped;
}

void SimulatedDriver::release(Address address, Bytes size)
{
    m_card.release(address, size);
    if (m_recorder != nullptr) {
        m_recorder->released(rangeOf(address, size));
    }
}

void SimulatedDriver::adopt(const SegmentView& segment)
{
    Bytes mapped;
    for (const BlockView& block : segment.blocks) {
        if (block.use == BlockUse::unmapped) {
            continue;
        }
        mapped += block.size;
        if (m_recorder != nullptr && segment.is_expandable) {
            m_recorder->obtained(rangeOf(block.address, block.size), segment.home, true);
        }
    }
    if (m_recorder != nullptr && !segment.is_expandable) {
        m_recorder->obtained(rangeOf(segment.address, segment.size), segment.home, false);
    }
    m_card.adopt(rangeOf(segment.address, segment.size), mapped);
}

} // namespace tidemark::allocator
