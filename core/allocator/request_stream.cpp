// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/request_stream.h"

#include <algorithm>
#include <string_view>

namespace tidemark::allocator {
namespace {

using trace::Action;

bool givesBack(Action action)
{
    return action == Action::segment_free || action == Action::segment_unmap;
}

bool obtains(Action action)
{
    return action == Action::segment_alloc || action == Action::segment_map;
}

class StreamBuilder {
public:
    StreamBuilder(const trace::Snapshot& snapshot, const trace::Device& device,
                  const replay::DeviceReplay& replay)
        : m_snapshot(snapshot)
        , m_events(device.events)
        , m_replay(replay)
        , m_a(replay.allocations)
        , m_most_reserved(*std::ranges::max_element(replay.reserved))
    {
    }

    RequestStream build()
    {
        m_stream.operations.reserve(m_events.count());
        for (std::size_t i = 0; i < m_events.count();) {
            i = givesBack(m_events.action[i]) ? addRelease(i) : addEvent(i);
        }
        flushSynced();
        return std::move(m_stream);
    }

private:
    std::size_t addEvent(std::size_t i)
    {
        const EventId e(i);
        if (m_events.action[i] == Action::oom) {
            if (m_synced.empty()) {
                holdSynced(i);
            }
            add(Step::failed_request, AllocationId::none(), e);
            flushSynced();
        }
        const AllocationId a = m_replay.event_allocation[i];
        const bool begins = !a.isNone() && m_a.alloc_event[a.index()] == e;
        if (!a.isNone() && !begins) {
            addFree(a, e);
        }
        addLoose(e, false);
        if (begins) {
            add(Step::allocate, a, e);
            flushSynced();
        }
        addLoose(e, true);
        return i + 1;
    }

    void addFree(AllocationId a, EventId e)
    {
        const StateId end = m_a.end[a.index()];
        const bool ends_next = end.value == e.value + 2 && e.index() + 1 < m_events.count();
        if (end == StateId::after(e)) {
            add(Step::complete_free, a, e);
        } else if (m_a.free_requested_event[a.index()] == e && !ends_next) {
            add(Step::request_free, a, e);
        }
    }

    /// What begins or ends here because its own event was lost.
    void addLoose(EventId e, bool begins)
    {
        const auto& ends = m_replay.loose_ends;
        while (m_next_loose < ends.size() && ends[m_next_loose].state == StateId::after(e)
               && ends[m_next_loose].begins == begins) {
            add(begins ? Step::allocate : Step::complete_free, ends[m_next_loose].allocation, e);
            ++m_next_loose;
        }
    }

    /// Returns the first event behind the run of releases that begins at `i`.
    std::size_t addRelease(std::size_t i)
    {
        std::size_t behind = i;
        while (behind < m_events.count() && givesBack(m_events.action[behind])) {
            addLoose(EventId(behind), false);
            addLoose(EventId(behind), true);
            ++behind;
        }
        if (isForced(i, behind)) {
            ++m_stream.forced_releases;
            holdSynced(i);
        } else {
            ++m_stream.cache_flushes;
            addFlush(i, behind);
        }
        return behind;
    }

    void addFlush(std::size_t first, std::size_t behind)
    {
        bool has_default = m_replay.private_reserved.empty();
        for (std::size_t i = first; i < behind && !has_default; ++i) {
            has_default = m_replay.private_reserved[i + 1] == m_replay.private_reserved[i];
        }
        const bool has_private = !m_replay.private_reserved.empty()
            && m_replay.private_reserved[behind] != m_replay.private_reserved[first];
        if (has_private) {
            add(Step::release_pool, AllocationId::none(), EventId(first));
        }
        if (has_default) {
            add(Step::empty_cache, AllocationId::none(), EventId(first));
        }
    }

    [[nodiscard]] bool isForced(std::size_t first, std::size_t behind) const
    {
        if (saysEmptyCache(m_events.stack[first]) || behind == m_events.count()) {
            return false;
        }
        const Action next = m_events.action[behind];
        if (next == Action::oom) {
            return true;
        }
        // What fitted at another time was not refused by the card.
        const bool collects = m_snapshot.settings.garbage_collection_threshold.value_or(0) > 0;
        return obtains(next)
            && (collects
                || m_replay.reserved[first] + m_events.size[behind].value > m_most_reserved);
    }

    [[nodiscard]] bool saysEmptyCache(StackId stack) const
    {
        if (stack.isNone()) {
            return false;
        }
        return std::ranges::any_of(m_snapshot.stacks.frames(stack), [&](FrameId frame) {
            const std::string_view name = m_snapshot.text(m_snapshot.stacks.frame(frame).name);
            return name.find("empty_cache") != std::string_view::npos
                || name.find("emptyCache") != std::string_view::npos;
        });
    }

    /// Takes the completions of pending blocks right before event `i` out of the stream.
    void holdSynced(std::size_t i)
    {
        auto& operations = m_stream.operations;
        auto first = operations.end();
        for (std::size_t e = i; first != operations.begin() && e-- > 0;) {
            const Operation& last = *std::prev(first);
            const bool is_completion = last.step == Step::complete_free && last.event == EventId(e)
                && m_events.action[e] == Action::free_completed;
            const EventId asked =
                is_completion ? m_a.free_requested_event[last.allocation.index()] : EventId();
            if (!is_completion || (!asked.isNone() && asked.value + 1 == e)) {
                break;
            }
            --first;
        }
        m_synced.assign(first, operations.end());
        operations.erase(first, operations.end());
    }

    void flushSynced()
    {
        m_stream.operations.insert(m_stream.operations.end(), m_synced.begin(), m_synced.end());
        m_synced.clear();
    }

    void add(Step step, AllocationId a, EventId e)
    {
        m_stream.operations.push_back({step, a, e});
    }

    const trace::Snapshot& m_snapshot;
    const trace::Events& m_events;
    const replay::DeviceReplay& m_replay;
    const replay::Allocations& m_a;
    std::int64_t m_most_reserved;
    std::size_t m_next_loose = 0;
    std::vector<Operation> m_synced;
    RequestStream m_stream;
};

} // namespace

RequestStream requestsOf(const trace::Snapshot& snapshot, const trace::Device& device,
                         const replay::DeviceReplay& replay)
{
    return StreamBuilder(snapshot, device, replay).build();
}

} // namespace tidemark::allocator
