// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/driver.h"

#include <algorithm>

namespace tidemark::allocator {
namespace {

constexpr Address kAlignment = Address{2} << 20;

} // namespace

Address CapacityDriver::take(Address size)
{
    const Address address = m_next;
    // A gap, so that no two segments touch.
    m_next += roundUp(size, kAlignment) + kAlignment;
    return address;
}

std::optional<Address> CapacityDriver::allocate(Bytes size, const Home&)
{
    if (!fits(size)) {
        return std::nullopt;
    }
    m_used += size;
    return take(static_cast<Address>(size.value));
}

bool CapacityDriver::map(Address, Bytes size, const Home&)
{
    if (!fits(size)) {
        return false;
    }
    m_used += size;
    return true;
}

Interval<Address> CapacityDriver::reserve(Bytes unit, const Home&)
{
    const auto step = static_cast<Address>(unit.value);
    m_next = roundUp(m_next, step);
    const Address size = roundUp(kMostAddresses, step);
    const Address begin = take(size);
    return {begin, begin + size};
}

void CapacityDriver::release(Address, Bytes size)
{
    m_used -= size;
}

void CapacityDriver::adopt(Interval<Address> addresses, Bytes mapped)
{
    m_used += mapped;
    m_next = std::max(m_next, roundUp(addresses.end, kAlignment) + kAlignment);
}

} // namespace tidemark::allocator
