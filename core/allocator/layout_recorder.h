// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/driver.h"
#include "core/allocator/simulated_layout.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tidemark::allocator {

/// Writes down where a simulated run puts everything, state by state.
class LayoutRecorder {
public:
    explicit LayoutRecorder(const replay::DeviceReplay& recorded);

    /// What follows happens on the way to `state`; states never go back.
    void enter(StateId state)
    {
        m_state = std::max(m_state, state);
    }
    void obtained(Interval<Address> addresses, const Home& home, bool is_expandable);
    void released(Interval<Address> addresses);
    void placed(AllocationId a, Address address, Bytes size);
    /// In the state that was entered last.
    void reserved(Bytes bytes);

    SimulatedLayout finish(Simulation simulation) &&;

private:
    struct Span {
        Interval<Address> addresses;
        Home home;
        bool is_expandable = false;
        StateId begin;
        StateId end;
    };
    void close(const Span& span);
    [[nodiscard]] replay::SegmentSpans columns();

    const replay::DeviceReplay& m_recorded;
    std::vector<Address> m_address; ///< By allocation.
    replay::BlockSizes m_sizes;
    std::map<Address, Span> m_open; ///< By begin.
    std::vector<Span> m_closed;
    std::vector<std::int64_t> m_reserved; ///< By state, as far as it is known.
    StateId m_state = StateId::start();
};

/// A driver with a capacity whose answers are written down, if anybody wants them.
class SimulatedDriver final : public Driver {
public:
    SimulatedDriver(std::optional<Bytes> capacity, LayoutRecorder* recorder)
        : m_card(capacity)
        , m_recorder(recorder)
    {
    }
    std::optional<Address> allocate(Bytes size, const Home& home) override;
    bool map(Address address, Bytes size, const Home& home) override;
    Interval<Address> reserve(Bytes unit, const Home& home) override
    {
        return m_card.reserve(unit, home);
    }
    void release(Address address, Bytes size) override;
    /// Counts the memory of a segment as given out by this driver.
    void adopt(const SegmentView& segment);

private:
    CapacityDriver m_card;
    LayoutRecorder* m_recorder; ///< May be null.
};

} // namespace tidemark::allocator
