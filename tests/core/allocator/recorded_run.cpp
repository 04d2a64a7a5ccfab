// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/allocator/recorded_run.h"

#include <algorithm>

namespace tidemark::test {

using allocator::BlockUse;
using trace::Action;

/// A driver that writes down what it gives and gets.
class RecordedRun::Recorder final : public allocator::Driver {
public:
    Recorder(RecordedRun& run, Bytes capacity, bool descends)
        : m_run(run)
        , m_driver(capacity)
        , m_descends(descends)
    {
    }
    std::optional<Address> allocate(Bytes size, const allocator::Home& home) override
    {
        auto address = m_driver.allocate(size, home);
        if (address) {
            address = m_descends ? kTop - *address - static_cast<Address>(size.value) : *address;
            m_run.event(Action::segment_alloc, *address, size.value);
        }
        return address;
    }
    bool map(Address address, Bytes size, const allocator::Home& home) override
    {
        const bool is_mapped = m_driver.map(address, size, home);
        if (is_mapped) {
            m_run.event(Action::segment_map, address, size.value);
            m_is_mapped = true;
        }
        return is_mapped;
    }
    Interval<Address> reserve(Bytes unit, const allocator::Home& home) override
    {
        return m_driver.reserve(unit, home);
    }
    void release(Address address, Bytes size) override
    {
        m_driver.release(address, size);
        m_run.event(m_is_mapped ? Action::segment_unmap : Action::segment_free, address,
                    size.value);
    }

private:
    /// The driver's addresses begin at 2^40 and are multiples of 2 MiB.
    static constexpr Address kTop = Address{1} << 46;

    RecordedRun& m_run;
    allocator::CapacityDriver m_driver;
    bool m_descends;
    bool m_is_mapped = false;
};

RecordedRun::RecordedRun(const std::string& settings, int operations, unsigned seed, Bytes capacity,
                         allocator::TieOrder order)
    : m_random(seed)
    , m_text(settings)
    , m_settings(allocator::parseSettings(settings).value())
{
    m_settings.tie_order = order;
    Recorder recorder(*this, capacity, order != allocator::TieOrder::address);
    SlowAllocator model(m_settings, recorder, std::nullopt);
    for (int i = 0; i < operations; ++i) {
        const auto what = below(100);
        const bool is_waiting = std::ranges::any_of(m_live, &Live::is_pending);
        if (what < 55 || m_live.empty()) {
            allocate(model);
        } else if (what < 98 || is_waiting) {
            release(model);
        } else {
            model.emptyCache();
            event(Action::snapshot, 0, 0); // Something between it and the next request.
        }
        m_reserved_peak = std::max(m_reserved_peak, model.reserved());
    }
    m_final = model.segments();
}

void RecordedRun::event(Action action, Address address, std::int64_t size)
{
    m_events.action.push_back(action);
    m_events.address.push_back(address);
    m_events.size.push_back({size});
    m_events.stream.push_back(0);
    m_events.stack.push_back(StackId::none());
}

void RecordedRun::allocate(SlowAllocator& model)
{
    const std::uint64_t most = below(2) == 0 ? 1U << 20U : below(3) == 0 ? 30U << 20U : 4U << 20U;
    const auto size = static_cast<std::int64_t>(1 + below(most));
    const std::size_t before = m_events.count();
    const auto address = model.allocate(size, 0, {});
    // A wait inside the request completes what is pending before memory is given back.
    std::vector<Live> completed;
    std::erase_if(m_live, [&](const Live& one) {
        const bool is_done = one.is_pending && !model.isPending(one.address);
        if (is_done) {
            completed.push_back(one);
        }
        return is_done;
    });
    trace::Events behind;
    const auto take = [&](auto& from, auto& to) {
        to.assign(from.begin() + static_cast<std::ptrdiff_t>(before), from.end());
        from.resize(before);
    };
    take(m_events.action, behind.action);
    take(m_events.address, behind.address);
    take(m_events.size, behind.size);
    take(m_events.stream, behind.stream);
    take(m_events.stack, behind.stack);
    for (const Live& one : completed) {
        event(Action::free_completed, one.address, one.requested);
    }
    for (std::size_t i = 0; i < behind.count(); ++i) {
        event(behind.action[i], behind.address[i], behind.size[i].value);
    }
    if (!address) {
        event(Action::oom, 0, m_settings.rounding()({size}).value);
        return;
    }
    for (const SlowAllocator::Segment& segment : model.segments()) {
        for (const SlowAllocator::Piece& piece : segment.pieces) {
            if (piece.address == *address) {
                m_sizes[m_events.count()] = piece.size;
            }
        }
    }
    event(Action::alloc, *address, size);
    m_live.push_back({*address, size, false});
}

void RecordedRun::release(SlowAllocator& model)
{
    Live& one = m_live[below(m_live.size())];
    if (!one.is_pending) {
        event(Action::free_requested, one.address, one.requested);
        if (below(4) == 0) {
            one.is_pending = true;
            model.requestFree(one.address);
            event(Action::snapshot, 0, 0); // Else it looks like a free completed at once.
            return;
        }
    }
    model.completeFree(one.address);
    event(Action::free_completed, one.address, one.requested);
    one = m_live.back();
    m_live.pop_back();
}

trace::Snapshot RecordedRun::snapshot(std::size_t lost) const
{
    trace::Snapshot result;
    result.settings.present = true;
    result.settings.conf = m_text;
    result.settings.expandable_segments = m_settings.expandable_segments;
    result.settings.max_split_size_bytes =
        m_settings.max_split == allocator::Settings::kUnlimited ? -1 : m_settings.max_split;
    for (std::size_t k = 0; k < m_settings.roundup_divisions.size(); ++k) {
        result.settings.roundup_power2_divisions.emplace_back(std::to_string(1U << k),
                                                              m_settings.roundup_divisions[k]);
    }
    trace::Device device;
    device.events = m_events;
    const auto drop = [&](auto& column) {
        column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(lost));
    };
    drop(device.events.action);
    drop(device.events.address);
    drop(device.events.size);
    drop(device.events.stream);
    drop(device.events.stack);
    for (const SlowAllocator::Segment& from : m_final) {
        bool is_open = false; // Of an expandable segment each mapped stretch is one of its own.
        for (const SlowAllocator::Piece& piece : from.pieces) {
            if (piece.use == BlockUse::unmapped) {
                is_open = false;
                continue;
            }
            if (!is_open) {
                trace::Segment& s = device.segments.emplace_back();
                s.address = piece.address;
                s.is_small_pool = from.home.is_small;
                s.is_expandable = from.is_expandable;
                s.first_block = static_cast<std::uint32_t>(device.blocks.size());
                is_open = true;
            }
            trace::Block block;
            block.address = piece.address;
            block.size = {piece.size};
            const auto live = std::ranges::find(m_live, piece.address, &Live::address);
            if (live != m_live.end()) {
                block.requested = {live->requested};
                block.state = live->is_pending ? trace::BlockState::active_pending_free
                                               : trace::BlockState::active_allocated;
            }
            device.blocks.push_back(block);
            device.segments.back().total_size += block.size;
            ++device.segments.back().block_count;
        }
    }
    result.devices.push_back(std::move(device));
    return result;
}

} // namespace tidemark::test
