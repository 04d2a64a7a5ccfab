// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/driver.h"
#include "core/allocator/request_stream.h"
#include "core/allocator/start_layout.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tidemark::allocator {

/// A driver that answers as the trace shows that the real one did: the addresses it gave, and that
/// it refused where the trace shows a release of cached memory. What the model asks differently is
/// answered all the same, and counted.
class RecordedDriver final : public Driver {
public:
    RecordedDriver(const trace::Events& events, ReservedRanges ranges);

    /// The model is about to do an operation: of the trace's segment events those up to it are due.
    void begin(const Operation& operation);
    /// It is done: what was due and not asked for is counted. True if all was as in the trace.
    bool finish();

    std::optional<Address> allocate(Bytes size, const Home& home) override;
    bool map(Address address, Bytes size, const Home& home) override;
    Interval<Address> reserve(Bytes unit, const Home& home) override;
    void release(Address address, Bytes size) override;

    [[nodiscard]] std::int64_t checked() const
    {
        return static_cast<std::int64_t>(m_due.size());
    }
    [[nodiscard]] std::int64_t equal() const
    {
        return m_equal;
    }
    /// What the model asked for although the trace shows nothing of it.
    [[nodiscard]] std::int64_t surplus() const
    {
        return m_surplus;
    }

private:
    /// The next event due, or none.
    [[nodiscard]] std::optional<std::size_t> next() const;
    [[nodiscard]] bool isNextRelease() const;
    void done(std::size_t due);
    void indexReleases();
    void differ();
    Address invent(Address size);

    const trace::Events& m_events;
    ReservedRanges m_ranges;
    std::vector<std::uint32_t> m_due; ///< All segment events.
    std::vector<bool> m_is_done; ///< By those; releases of a run are asked for in any order.
    std::size_t m_next = 0; ///< The first that is not done.
    /// Where each release of the run stands that begins or goes on at `m_next`, by address, last
    /// one first.
    std::unordered_map<Address, std::vector<std::size_t>> m_releases;
    std::size_t m_releases_end = 0; ///< Of `m_due`.
    std::uint32_t m_until = 0; ///< Events below it are due.
    bool m_may_fail = false; ///< The operation failed in the trace.
    bool m_differs = false;
    std::int64_t m_equal = 0;
    std::int64_t m_surplus = 0;
    Address m_invented = Address{1} << 62;
};

} // namespace tidemark::allocator
