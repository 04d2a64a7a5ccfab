// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/driver.h"
#include "core/trace/snapshot.h"
#include "tests/core/allocator/slow_allocator.h"

#include <map>
#include <random>
#include <string>
#include <vector>

namespace tidemark::test {

/// A random run of the slow allocator that writes the trace and the final state as PyTorch does:
/// some frees late, an `empty_cache` now and then, a little memory so that requests force releases.
class RecordedRun {
public:
    /// `capacity`: of the driver. As long as it is enough, the same seed asks for the same. With
    /// another order of equal blocks than by address, addresses of segments descend.
    RecordedRun(const std::string& settings, int operations, unsigned seed,
                Bytes capacity = {300 << 20},
                allocator::TieOrder order = allocator::TieOrder::address);

    /// As dumped at the end, without the first `lost` events.
    [[nodiscard]] trace::Snapshot snapshot(std::size_t lost) const;
    /// The most that was reserved after any event.
    [[nodiscard]] std::int64_t reservedPeak() const
    {
        return m_reserved_peak;
    }
    /// Block size of the allocation that an event made, bytes.
    [[nodiscard]] std::int64_t sizeOf(EventId e) const
    {
        return m_sizes.at(e.index());
    }

private:
    class Recorder;
    struct Live {
        Address address = 0;
        std::int64_t requested = 0;
        bool is_pending = false;
    };
    std::uint64_t below(std::uint64_t bound)
    {
        return m_random() % bound;
    }
    void event(trace::Action action, Address address, std::int64_t size);
    void allocate(SlowAllocator& model);
    void release(SlowAllocator& model);

    std::mt19937 m_random;
    std::string m_text;
    allocator::Settings m_settings;
    trace::Events m_events;
    std::int64_t m_reserved_peak = 0;
    std::map<std::size_t, std::int64_t> m_sizes;
    std::vector<Live> m_live;
    std::vector<SlowAllocator::Segment> m_final;
};

} // namespace tidemark::test
