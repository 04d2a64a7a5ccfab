// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/recorded_driver.h"

#include <utility>

namespace tidemark::allocator {
namespace {

using trace::Action;

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
    m_is_done.assign(m_due.size(), false);
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
        done(m_next);
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
    done(m_next);
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
    done(m_next);
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
    if (isNextRelease()) {
        indexReleases();
        std::vector<std::size_t>& known = m_releases[address];
        for (std::size_t i = known.size(); i-- > 0;) {
            const std::size_t due = known[i];
            if (!m_is_done[due] && m_due[due] < m_until && m_events.size[m_due[due]] == size) {
                known.erase(known.begin() + static_cast<std::ptrdiff_t>(i));
                done(due);
                ++m_equal;
                return;
            }
        }
    }
    differ();
}

void RecordedDriver::done(std::size_t due)
{
    m_is_done[due] = true;
    while (m_next < m_due.size() && m_is_done[m_next]) {
        ++m_next;
    }
}

/// Of the run of releases that is due: once for each run.
void RecordedDriver::indexReleases()
{
    if (m_next < m_releases_end) {
        return;
    }
    m_releases.clear();
    m_releases_end = m_next;
    while (m_releases_end < m_due.size() && isRelease(m_events.action[m_due[m_releases_end]])) {
        ++m_releases_end;
    }
    for (std::size_t i = m_releases_end; i-- > m_next;) {
        m_releases[m_events.address[m_due[i]]].push_back(i);
    }
}

} // namespace tidemark::allocator
