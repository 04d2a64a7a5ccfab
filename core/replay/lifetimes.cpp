// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/lifetimes.h"

#include "core/base/column.h"
#include "core/base/format.h"
#include "core/base/language.h"
#include "core/replay/address_table.h"
#include "core/replay/pool_lookup.h"

#include <algorithm>

namespace tidemark::replay {
namespace {

using trace::Action;

/// One allocation whose begin the walk has not met yet.
struct Draft {
    Address address = 0;
    Bytes requested;
    StateId end;
    EventId free_requested_event;
    EventId free_event;
    StackId stack;
    std::uint64_t stream = 0;
    trace::PoolId pool;
    bool is_pending = false; ///< Waits for its `free_requested` (seen from the end of the trace).
};

/// Walks the events backwards. The table holds, per address, the allocation that is live just after
/// the event being undone; an allocation leaves it when its `alloc` is met, and is written down
/// then. Allocations are so written in the reverse order of their begins, at most one per state,
/// and turned round at the end.
class BackwardWalk {
public:
    BackwardWalk(const trace::Device& device, StringId prefix_tag, DeviceReplay& replay)
        : m_device(device)
        , m_events(device.events)
        , m_replay(replay)
        , m_out(replay.allocations)
        , m_prefix_tag(m_events.internal_metadata.empty() ? StringId::none() : prefix_tag)
        , m_has_completions(std::ranges::find(m_events.action, Action::free_completed)
                            != m_events.action.end())
        , m_pools(device)
    {
    }

    bool run(ProgressSink& progress, const std::stop_token& stop)
    {
        makeRoom();
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
        writeThoseOfTheStart();
        turnRound();
        return true;
    }

private:
    void makeRoom();
    void seedFromFinalBlocks();
    void undo(EventId e);
    void undoAlloc(EventId e, AddressTable::Place& place);
    void undoFreeRequested(EventId e, AddressTable::Place& place);
    void undoFreeCompleted(EventId e, AddressTable::Place& place);
    void addLostFree(EventId e, const AddressTable::Place& place);
    /// The live allocation at an address must have begun after `e` without an event of its own.
    void closeWithoutAlloc(EventId e, AddressTable::Place& place);
    /// An allocation that ends with `e` becomes the live one of its address.
    Draft& startFromFree(EventId e, AddressTable::Place& place);

    std::uint32_t keep(const Draft& draft);
    void release(AddressTable::Place& place);
    void write(const Draft& d, StateId begin, EventId alloc_event);
    void writePool(trace::PoolId pool);
    void writeThoseOfTheStart();
    void turnRound();

    template <class Text>
    void violation(std::string_view code, const Text& text)
    {
        ++m_replay.violations;
        const bool is_first = m_replay.notes.find(code) == nullptr;
        m_replay.notes.add(code, is_first ? text() : std::string());
    }
    [[nodiscard]] trace::PoolId poolOf(EventId e) const
    {
        return m_pools.hasPrivatePools() ? m_pools.poolOf(e) : trace::PoolId();
    }
    [[nodiscard]] StateId lastState() const
    {
        return {static_cast<std::uint32_t>(m_events.count())};
    }

    const trace::Device& m_device;
    const trace::Events& m_events;
    DeviceReplay& m_replay;
    Allocations& m_out;
    StringId m_prefix_tag;
    bool m_has_completions;
    PoolLookup m_pools;
    AddressTable m_table;
    std::vector<Draft> m_drafts; ///< Live ones, and free places among them.
    std::vector<std::uint32_t> m_free_drafts;
};

/// As many as the trace makes and the final blocks show; more where events were lost.
void BackwardWalk::makeRoom()
{
    const auto made = static_cast<std::size_t>(std::ranges::count(m_events.action, Action::alloc));
    const std::size_t count = made + m_device.blocks.size();
    reserveColumn(m_out.address, count);
    reserveColumn(m_out.requested, count);
    reserveColumn(m_out.begin, count);
    reserveColumn(m_out.end, count);
    reserveColumn(m_out.alloc_event, count);
    reserveColumn(m_out.free_requested_event, count);
    reserveColumn(m_out.free_event, count);
    reserveColumn(m_out.stack, count);
    reserveColumn(m_out.stream, count);
    assignColumn(m_replay.event_allocation, m_events.count(), AllocationId::none());
    assignColumn(m_replay.active, m_events.count() + 1, std::int64_t{0});
}

void BackwardWalk::seedFromFinalBlocks()
{
    for (const trace::Segment& s : m_device.segments) {
        for (const trace::Block& b : m_device.blocksOf(s)) {
            if (b.state == trace::BlockState::inactive) {
                continue;
            }
            AddressTable::Place& place = m_table.at(b.address);
            if (place.live != AddressTable::kNobody) {
                violation("duplicate-block", [&] {
                    return say("Two final blocks share address 0x{:x}; the first counts.",
                               b.address);
                });
                continue;
            }
            Draft d;
            d.address = b.address;
            d.requested = b.requested;
            d.end = {lastState().value + 1};
            d.stack = b.stack;
            d.stream = s.stream;
            d.pool = s.pool;
            d.is_pending = b.state == trace::BlockState::active_pending_free;
            place.live = keep(d);
        }
    }
}

void BackwardWalk::undo(EventId e)
{
    if (!m_prefix_tag.isNone() && m_events.internal_metadata[e.index()] == m_prefix_tag) {
        return;
    }
    switch (m_events.action[e.index()]) {
    case Action::alloc:
        undoAlloc(e, m_table.at(m_events.address[e.index()]));
        break;
    case Action::free_requested:
        undoFreeRequested(e, m_table.at(m_events.address[e.index()]));
        break;
    case Action::free_completed:
        undoFreeCompleted(e, m_table.at(m_events.address[e.index()]));
        break;
    default:
        break;
    }
}

void BackwardWalk::undoAlloc(EventId e, AddressTable::Place& place)
{
    const std::size_t i = e.index();
    if (place.live == AddressTable::kNobody) {
        addLostFree(e, place);
    } else {
        Draft& d = m_drafts[place.live];
        const bool is_final = d.end > lastState();
        if (d.requested != m_events.size[i]) {
            violation("size-mismatch", [&] {
                return is_final
                    ? say("Event {}: {} were allocated at 0x{:x}, but {} are in the final block; "
                          "the size at allocation counts.",
                          i, formatExactBytes(m_events.size[i]), d.address,
                          formatExactBytes(d.requested))
                    : say("Event {}: {} were allocated at 0x{:x}, but {} are freed later; the size "
                          "at allocation counts.",
                          i, formatExactBytes(m_events.size[i]), d.address,
                          formatExactBytes(d.requested));
            });
            if (!is_final) {
                d.requested = m_events.size[i];
            }
        }
        if (!m_events.stack[i].isNone()) {
            d.stack = m_events.stack[i];
        }
        d.stream = m_events.stream[i];
        d.pool = poolOf(e);
        write(d, StateId::after(e), e);
        release(place);
    }
    place.next_alloc = e;
}

/// The free is missing: a lost or skipped event, or the dump raced with another thread.
void BackwardWalk::addLostFree(EventId e, const AddressTable::Place& place)
{
    const std::size_t i = e.index();
    Draft d;
    d.address = place.address;
    d.requested = m_events.size[i];
    d.end = place.next_alloc.isNone() ? std::max(StateId::after(e), lastState())
                                      : StateId::after(place.next_alloc);
    d.stack = m_events.stack[i];
    d.stream = m_events.stream[i];
    d.pool = poolOf(e);
    write(d, StateId::after(e), e);
    if (!place.next_alloc.isNone()) {
        violation("double-alloc", [&] {
            return say("Event {}: the {} at 0x{:x} are reallocated at {} without a free between; "
                       "the first allocation is assumed to end there.",
                       i, formatExactBytes(d.requested), d.address,
                       formatEventNumber(place.next_alloc.value));
        });
        return;
    }
    violation("lost-free", [&] {
        return say("Event {}: {} at 0x{:x} have no free and no final block (an unrecorded free, or "
                   "another thread freed them during the dump); assumed to live to the last event.",
                   i, formatExactBytes(d.requested), d.address);
    });
}

void BackwardWalk::closeWithoutAlloc(EventId e, AddressTable::Place& place)
{
    write(m_drafts[place.live], StateId::after(e), EventId::none());
    release(place);
    violation("lost-alloc", [&] {
        return say("Event {}: 0x{:x} is freed here and again later without an allocation between; "
                   "the later allocation is assumed to begin here.",
                   e.index(), place.address);
    });
}

Draft& BackwardWalk::startFromFree(EventId e, AddressTable::Place& place)
{
    Draft d;
    d.address = place.address;
    d.requested = m_events.size[e.index()];
    d.end = StateId::after(e);
    d.stream = m_events.stream[e.index()];
    d.pool = poolOf(e);
    place.live = keep(d);
    return m_drafts[place.live];
}

void BackwardWalk::undoFreeCompleted(EventId e, AddressTable::Place& place)
{
    if (place.live != AddressTable::kNobody) {
        closeWithoutAlloc(e, place);
    }
    Draft& d = startFromFree(e, place);
    d.free_event = e;
    d.is_pending = true;
}

void BackwardWalk::undoFreeRequested(EventId e, AddressTable::Place& place)
{
    if (place.live != AddressTable::kNobody) {
        Draft& d = m_drafts[place.live];
        if (d.is_pending) {
            d.free_requested_event = e;
            d.is_pending = false;
            return;
        }
        closeWithoutAlloc(e, place);
    } else if (m_has_completions) {
        violation("lost-completion", [&] {
            return say("Event {}: 0x{:x} is freed, but free_completed is missing; assumed complete "
                       "at once.",
                       e.index(), place.address);
        });
    }
    startFromFree(e, place).free_requested_event = e;
}

std::uint32_t BackwardWalk::keep(const Draft& draft)
{
    if (m_free_drafts.empty()) {
        m_drafts.push_back(draft);
        return static_cast<std::uint32_t>(m_drafts.size() - 1);
    }
    const std::uint32_t at = m_free_drafts.back();
    m_free_drafts.pop_back();
    m_drafts[at] = draft;
    return at;
}

void BackwardWalk::release(AddressTable::Place& place)
{
    m_free_drafts.push_back(std::exchange(place.live, AddressTable::kNobody));
}

void BackwardWalk::write(const Draft& d, StateId begin, EventId alloc_event)
{
    const AllocationId number(m_out.count());
    m_out.address.push_back(d.address);
    m_out.requested.push_back(d.requested);
    m_out.begin.push_back(begin);
    m_out.end.push_back(d.end);
    m_out.alloc_event.push_back(alloc_event);
    m_out.free_requested_event.push_back(d.free_requested_event);
    m_out.free_event.push_back(d.free_event);
    m_out.stack.push_back(d.stack);
    m_out.stream.push_back(d.stream);
    writePool(d.pool);
    for (const EventId e : {alloc_event, d.free_requested_event, d.free_event}) {
        if (!e.isNone()) {
            m_replay.event_allocation[e.index()] = number;
        }
    }
    m_replay.active[begin.index()] += d.requested.value;
    if (alloc_event.isNone() && begin != StateId::start()) {
        m_replay.loose_ends.push_back({begin, number, true});
    }
    if (d.end <= lastState()) {
        m_replay.active[d.end.index()] -= d.requested.value;
        const EventId freed = d.free_event.isNone() ? d.free_requested_event : d.free_event;
        if (freed.isNone() || StateId::after(freed) != d.end) {
            m_replay.loose_ends.push_back({d.end, number, false});
        }
    }
}

/// The column begins with the first allocation in a private pool.
void BackwardWalk::writePool(trace::PoolId pool)
{
    if (!m_out.pool.empty()) {
        m_out.pool.push_back(pool);
    } else if (pool.isPrivate()) {
        reserveColumn(m_out.pool, m_out.address.capacity());
        m_out.pool.resize(m_out.count() - 1);
        m_out.pool.push_back(pool);
    }
}

void BackwardWalk::writeThoseOfTheStart()
{
    std::vector<std::pair<Address, std::uint32_t>> live;
    for (const AddressTable::Place& place : m_table.places()) {
        if (place.live != AddressTable::kNobody) {
            live.emplace_back(place.address, place.live);
        }
    }
    std::ranges::sort(live, std::ranges::greater{});
    for (const auto& [address, draft] : live) {
        write(m_drafts[draft], StateId::start(), EventId::none());
    }
}

void BackwardWalk::turnRound()
{
    const auto last = static_cast<std::uint32_t>(m_out.count() - 1);
    std::ranges::reverse(m_out.address);
    std::ranges::reverse(m_out.requested);
    std::ranges::reverse(m_out.begin);
    std::ranges::reverse(m_out.end);
    std::ranges::reverse(m_out.alloc_event);
    std::ranges::reverse(m_out.free_requested_event);
    std::ranges::reverse(m_out.free_event);
    std::ranges::reverse(m_out.stack);
    std::ranges::reverse(m_out.stream);
    std::ranges::reverse(m_out.pool);
    for (AllocationId& a : m_replay.event_allocation) {
        a = a.isNone() ? a : AllocationId(last - a.value);
    }
    for (LooseEnd& loose : m_replay.loose_ends) {
        loose.allocation = AllocationId(last - loose.allocation.value);
    }
    std::ranges::sort(m_replay.loose_ends, {}, [](const LooseEnd& loose) {
        return std::tuple(loose.state, loose.begins, loose.allocation);
    });
}

} // namespace

bool buildLifetimes(const trace::Device& device, StringId prefix_tag, DeviceReplay& replay,
                    ProgressSink& progress, const std::stop_token& stop)
{
    return BackwardWalk(device, prefix_tag, replay).run(progress, stop);
}

} // namespace tidemark::replay
