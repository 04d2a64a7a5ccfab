// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/recorded_driver.h"

#include <utility>

namespace tidemark::allocator {
namespace {

using trace::Action;

/// Of invented addresses: large enough for any segment, and room for as many as are needed.
constexpr Address kMostAddresses = Address{1} << 42;

bool isRelease(Action action)
{
    return action == Action::segment_free || action == Action::segment_unmap;
}

} // namespace

RecordedDriver::RecordedDriver(const trace::Events& events, ReservedRanges ranges)
    : m_events(events)
    , m_ranges(std::move(ranges))
{
    for (std::uint32_t i = 0; i < events.count(); ++i) {
        const Action action = events.action[i];
        if (isRelease(action) || action == Action::segment_alloc || action == Action::segment_map) {
            m_due.push_back(i);
        }
    }
}

void RecordedDriver::begin(const Operation& operation)
{
    m_differs = false;
    m_may_fail = operation.step == Step::failed_request;
    m_until = operation.event.value;
    if (operation.step == Step::empty_cache || operation.step == Step::release_pool) {
        while (m_until < m_events.count() && isRelease(m_events.action[m_until])) {
            ++m_until;
        }
    }
}

bool RecordedDriver::finish()
{
    while (next()) {
        ++m_next;
        m_differs = true;
    }
    return !m_differs;
}

std::optional<std::size_t> RecordedDriver::next() const
{
    const bool is_due = m_next < m_due.size() && m_due[m_next] < m_until;
    return is_due ? std::optional<std::size_t>(m_due[m_next]) : std::nullopt;
}

bool RecordedDriver::isNextRelease() const
{
    const auto event = next();
    return event && isRelease(m_events.action[*event]);
}

void RecordedDriver::differ()
{
    m_differs = true;
    ++m_surplus;
}

Address RecordedDriver::invent(Address size)
{
    const Address address = m_invented;
    m_invented += (size / kMostAddresses + 1) * kMostAddresses;
    return address;
}

std::optional<Address> RecordedDriver::allocate(Bytes size, const Home&)
{
    const auto event = next();
    if (isNextRelease() || (!event && m_may_fail)) {
        return std::nullopt;
    }
    const auto bytes = static_cast<Address>(size.value);
    if (!event || m_events.action[*event] != Action::segment_alloc) {
        differ();
        return invent(bytes);
    }
    ++m_next;
    if (m_events.size[*event] != size) {
        m_differs = true;
        return invent(bytes);
    }
    ++m_equal;
    return m_events.address[*event];
}

bool RecordedDriver::map(Address address, Bytes size, const Home&)
{
    const auto event = next();
    if (isNextRelease() || (!event && m_may_fail)) {
        return false;
    }
    if (!event || m_events.action[*event] != Action::segment_map) {
        differ();
        return true;
    }
    ++m_next;
    const bool is_same = m_events.address[*event] == address && m_events.size[*event] == size;
    m_equal += is_same ? 1 : 0;
    m_differs = m_differs || !is_same;
    return true;
}

Interval<Address> RecordedDriver::reserve(Bytes, const Home& home)
{
    const auto known = m_ranges.find(home);
    if (known != m_ranges.end()) {
        const Interval<Address> range = known->second;
        m_ranges.erase(known); // A second range of a kind lies elsewhere.
        return range;
    }
    const Address begin = invent(kMostAddresses);
    return {begin, begin + kMostAddresses};
}

void RecordedDriver::release(Address address, Bytes size)
{
    for (std::size_t i = m_next; i < m_due.size() && m_due[i] < m_until; ++i) {
        const std::size_t event = m_due[i];
        if (!isRelease(m_events.action[event])) {
            break;
        }
        if (m_events.address[event] == address && m_events.size[event] == size) {
            std::swap(m_due[i], m_due[m_next]);
            ++m_next;
            ++m_equal;
            return;
        }
    }
    differ();
}

} // namespace tidemark::allocator
