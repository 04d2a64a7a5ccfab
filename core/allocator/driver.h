// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/interval.h"
#include "core/base/units.h"
#include "core/trace/snapshot.h"

#include <compare>
#include <cstdint>
#include <limits>
#include <optional>

namespace tidemark::allocator {

/// More addresses than any card has memory.
inline constexpr Address kMostAddresses = Address{1} << 42;

/// The next multiple of `unit`.
constexpr Address roundUp(Address value, Address unit)
{
    return (value + unit - 1) / unit * unit;
}

/// What a segment is for: its blocks never leave it.
struct Home {
    std::uint64_t stream = 0;
    trace::PoolId pool;
    bool is_small = false; ///< For rounded requests up to 1 MiB.
    friend constexpr auto operator<=>(const Home&, const Home&) = default;
};

/// Where the allocator gets memory from: the CUDA driver, as far as it matters here.
class Driver {
public:
    virtual ~Driver() = default;
    /// cudaMalloc. Nothing: out of memory.
    virtual std::optional<Address> allocate(Bytes size, const Home& home) = 0;
    /// Backs addresses of a reserved range with pages. False: out of memory, none is mapped.
    virtual bool map(Address address, Bytes size, const Home& home) = 0;
    /// Addresses for an expandable segment; its begin is aligned to `unit`.
    virtual Interval<Address> reserve(Bytes unit, const Home& home) = 0;
    /// Takes back what `allocate` or `map` gave; pages may come back in other ranges.
    virtual void release(Address address, Bytes size) = 0;
};

/// A driver that can give a fixed number of bytes. Addresses ascend and are never used again.
class CapacityDriver final : public Driver {
public:
    /// `capacity`: nothing for as much as is asked for.
    explicit CapacityDriver(std::optional<Bytes> capacity)
        : m_capacity(capacity)
    {
    }
    std::optional<Address> allocate(Bytes size, const Home& home) override;
    bool map(Address address, Bytes size, const Home& home) override;
    Interval<Address> reserve(Bytes unit, const Home& home) override;
    void release(Address address, Bytes size) override;
    /// Counts memory at these addresses as given out by this driver.
    void adopt(Interval<Address> addresses, Bytes mapped);

private:
    [[nodiscard]] bool fits(Bytes size) const
    {
        return !m_capacity || m_used + size <= *m_capacity;
    }
    Address take(Address size);

    std::optional<Bytes> m_capacity;
    Bytes m_used;
    Address m_next = Address{1} << 40;
};

} // namespace tidemark::allocator
