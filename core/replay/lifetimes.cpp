// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/lifetimes.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tidemark::replay {
namespace {

using trace::Action;

/// One allocation while the walk is still under way.
struct Draft {
    Address address = 0;
    Bytes requested;
    StateId begin;
    StateId end;
    EventId alloc_event;
    EventId free_requested_event;
    EventId free_event;
    StackId stack;
    std::uint64_t stream = 0;
    trace::PoolId pool;
    bool is_pending = false; ///< Waits for its `free_requested` (seen from the end of the trace).
};

/// Walks the events backwards. `m_live` holds, per address, the allocation that is live just after
/// the event being undone; an allocation leaves it when its `alloc` is met.
class BackwardWalk {
public:
    BackwardWalk(const trace::Device& device, DeviceReplay& replay)
        : m_device(device)
        , m_events(device.events)
        , m_replay(replay)
        , m_has_completions(std::ranges::find(m_events.action, Action::free_completed)
                            != m_events.action.end())
    {
    }

    bool run(ProgressSink& progress, const std::stop_token& stop)
    {
        seedFromFinalBlocks();
        const std::size_t n = m_events.count();
        for (std::size_t i = n; i-- > 0;) {
            if (i % kStopCheckStride == 0) {
                if (stop.stop_requested()) {
                    return false;
                }
                progress.report("replaying", 1.0 - static_cast<double>(i) / static_cast<double>(n));
            }
            undo(EventId(i));
        }
        return true;
    }

    void store();

private:
    void seedFromFinalBlocks();
    void undo(EventId e);
    void undoAlloc(EventId e);
    void undoFreeRequested(EventId e);
    void undoFreeCompleted(EventId e);
    /// The live allocation at an address must have begun after `e` without an event of its own.
    void closeWithoutAlloc(std::size_t draft, EventId e);
    std::size_t startFromFree(EventId e);
    void violation(std::string_view code, std::string_view text);
    [[nodiscard]] trace::PoolId poolOf(EventId e) const
    {
        return m_events.pool.empty() ? poolOfAddress(m_events.address[e.index()])
                                     : m_events.pool[e.index()];
    }
    [[nodiscard]] trace::PoolId poolOfAddress(Address address) const;
    [[nodiscard]] StateId endOfTrace() const
    {
        return {static_cast<std::uint32_t>(m_events.count() + 1)};
    }

    const trace::Device& m_device;
    const trace::Events& m_events;
    DeviceReplay& m_replay;
    bool m_has_completions;
    std::vector<Draft> m_drafts;
    std::unordered_map<Address, std::size_t> m_live;
    /// Per address: the earliest `alloc` undone so far, for closing what a lost free left open.
    std::unordered_map<Address, EventId> m_next_alloc;
};

void BackwardWalk::violation(std::string_view code, std::string_view text)
{
    ++m_replay.violations;
    m_replay.notes.add(code, text);
}

trace::PoolId BackwardWalk::poolOfAddress(Address address) const
{
    const auto& segments = m_device.segments;
    const auto it = std::ranges::upper_bound(segments, address, {}, &trace::Segment::address);
    if (it == segments.begin()) {
        return {};
    }
    const trace::Segment& s = *std::prev(it);
    return address < s.address + static_cast<Address>(s.total_size.value) ? s.pool
                                                                          : trace::PoolId();
}

void BackwardWalk::seedFromFinalBlocks()
{
    m_drafts.reserve(m_events.count() / 3 + m_device.blocks.size());
    for (const trace::Segment& s : m_device.segments) {
        for (const trace::Block& b : m_device.blocksOf(s)) {
            if (b.state == trace::BlockState::inactive) {
                continue;
            }
            Draft d;
            d.address = b.address;
            d.requested = b.requested;
            d.end = endOfTrace();
            d.stack = b.stack;
            d.stream = s.stream;
            d.pool = s.pool;
            d.is_pending = b.state == trace::BlockState::active_pending_free;
            if (!m_live.emplace(b.address, m_drafts.size()).second) {
                violation(
                    "duplicate-block",
                    fmt::format("Two final blocks share the address 0x{:x}; the first one counts.",
                                b.address));
                continue;
            }
            m_drafts.push_back(d);
        }
    }
}

void BackwardWalk::undo(EventId e)
{
    switch (m_events.action[e.index()]) {
    case Action::alloc:
        undoAlloc(e);
        break;
    case Action::free_requested:
        undoFreeRequested(e);
        break;
    case Action::free_completed:
        undoFreeCompleted(e);
        break;
    default:
        break;
    }
}

void BackwardWalk::undoAlloc(EventId e)
{
    const std::size_t i = e.index();
    const Address address = m_events.address[i];
    const auto it = m_live.find(address);
    if (it == m_live.end()) {
        // Its free is missing: a lost or skipped event, or the dump raced with another thread.
        Draft d;
        d.address = address;
        d.requested = m_events.size[i];
        d.begin = StateId::after(e);
        const auto next = m_next_alloc.find(address);
        d.end = next == m_next_alloc.end()
            ? std::max(d.begin, StateId{static_cast<std::uint32_t>(m_events.count())})
            : StateId::after(next->second);
        d.alloc_event = e;
        d.stack = m_events.stack[i];
        d.stream = m_events.stream[i];
        d.pool = poolOf(e);
        m_drafts.push_back(d);
        violation(
            "lost-free",
            fmt::format(
                "Event {}: an allocation of {} at 0x{:x} has no free and is not among the final "
                "blocks; it is taken to live until its address is handed out again.",
                i, formatExactBytes(d.requested), address));
    } else {
        Draft& d = m_drafts[it->second];
        if (d.requested != m_events.size[i]) {
            violation(
                "size-mismatch",
                fmt::format("Event {}: {} were allocated at 0x{:x}, but {} are {}; the size at "
                            "allocation counts.",
                            i, formatExactBytes(m_events.size[i]), address,
                            formatExactBytes(d.requested),
                            d.free_event.isNone() ? "in the final block" : "freed later"));
            if (!d.free_event.isNone()) {
                d.requested = m_events.size[i];
            }
        }
        d.begin = StateId::after(e);
        d.alloc_event = e;
        if (!m_events.stack[i].isNone()) {
            d.stack = m_events.stack[i];
        }
        d.stream = m_events.stream[i];
        d.pool = poolOf(e);
        m_live.erase(it);
    }
    m_next_alloc[address] = e;
}

void BackwardWalk::closeWithoutAlloc(std::size_t draft, EventId e)
{
    Draft& d = m_drafts[draft];
    d.begin = StateId::after(e);
    violation(
        "lost-alloc",
        fmt::format(
            "Event {}: 0x{:x} is freed here and again later with no allocation between; the later "
            "allocation is taken to begin here.",
            e.index(), d.address));
    m_live.erase(d.address);
}

std::size_t BackwardWalk::startFromFree(EventId e)
{
    Draft d;
    d.address = m_events.address[e.index()];
    d.requested = m_events.size[e.index()];
    d.end = StateId::after(e);
    d.stream = m_events.stream[e.index()];
    d.pool = poolOf(e);
    m_live[d.address] = m_drafts.size();
    m_drafts.push_back(d);
    return m_drafts.size() - 1;
}

void BackwardWalk::undoFreeCompleted(EventId e)
{
    const auto it = m_live.find(m_events.address[e.index()]);
    if (it != m_live.end()) {
        closeWithoutAlloc(it->second, e);
    }
    Draft& d = m_drafts[startFromFree(e)];
    d.free_event = e;
    d.is_pending = true;
}

void BackwardWalk::undoFreeRequested(EventId e)
{
    const auto it = m_live.find(m_events.address[e.index()]);
    if (it != m_live.end() && m_drafts[it->second].is_pending) {
        m_drafts[it->second].free_requested_event = e;
        m_drafts[it->second].is_pending = false;
        return;
    }
    if (it != m_live.end()) {
        closeWithoutAlloc(it->second, e);
    } else if (m_has_completions) {
        violation(
            "lost-completion",
            fmt::format(
                "Event {}: 0x{:x} is freed, but the completion of the free is missing; it is taken "
                "to be complete at once.",
                e.index(), m_events.address[e.index()]));
    }
    m_drafts[startFromFree(e)].free_requested_event = e;
}

void BackwardWalk::store()
{
    std::vector<std::uint32_t> order(m_drafts.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t x, std::uint32_t y) {
        const Draft& a = m_drafts[x];
        const Draft& b = m_drafts[y];
        return std::tie(a.begin, a.address, a.end) < std::tie(b.begin, b.address, b.end);
    });
    Allocations& out = m_replay.allocations;
    m_replay.event_allocation.assign(m_events.count(), AllocationId::none());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Draft& d = m_drafts[order[k]];
        out.address.push_back(d.address);
        out.requested.push_back(d.requested);
        out.begin.push_back(d.begin);
        out.end.push_back(d.end);
        out.alloc_event.push_back(d.alloc_event);
        out.free_requested_event.push_back(d.free_requested_event);
        out.free_event.push_back(d.free_event);
        out.stack.push_back(d.stack);
        out.stream.push_back(d.stream);
        out.pool.push_back(d.pool);
        for (const EventId e : {d.alloc_event, d.free_requested_event, d.free_event}) {
            if (!e.isNone()) {
                m_replay.event_allocation[e.index()] = AllocationId(k);
            }
        }
    }
}

} // namespace

bool buildLifetimes(const trace::Device& device, DeviceReplay& replay, ProgressSink& progress,
                    std::stop_token stop)
{
    BackwardWalk walk(device, replay);
    if (!walk.run(progress, stop)) {
        return false;
    }
    walk.store();
    return true;
}

} // namespace tidemark::replay
