// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/memory_state.h"

#include <algorithm>
#include <map>

namespace tidemark::replay {
namespace {

using trace::Action;

/// Ranges of reserved addresses, keyed by their start, while events are undone.
class SegmentMap {
public:
    explicit SegmentMap(const trace::Device& device)
    {
        for (const trace::Segment& s : device.segments) {
            m_ranges[s.address] = {s.address,       s.total_size, s.stream, s.is_small_pool,
                                   s.is_expandable, s.pool,       {},       {}};
        }
    }

    /// Takes [address, address + size) away, splitting the range that contains it. Ranges that are
    /// not there are ignored: the replay has counted that contradiction already.
    void remove(Address address, Bytes size)
    {
        auto it = m_ranges.upper_bound(address);
        if (it == m_ranges.begin()) {
            return;
        }
        --it;
        SegmentState whole = it->second;
        const Address end = whole.address + static_cast<Address>(whole.size.value);
        if (address >= end) {
            return;
        }
        m_ranges.erase(it);
        const Address cut_end = std::min(end, address + static_cast<Address>(size.value));
        if (address > whole.address) {
            SegmentState left = whole;
            left.size = {static_cast<std::int64_t>(address - whole.address)};
            m_ranges[left.address] = left;
        }
        if (cut_end < end) {
            SegmentState right = whole;
            right.address = cut_end;
            right.size = {static_cast<std::int64_t>(end - cut_end)};
            m_ranges[cut_end] = right;
        }
    }

    void insert(const SegmentState& s)
    {
        m_ranges[s.address] = s;
    }

    /// Neighbouring mapped ranges of one expandable segment are one stretch of memory.
    std::vector<SegmentState> merged() const
    {
        std::vector<SegmentState> out;
        for (const auto& [address, s] : m_ranges) {
            if (!out.empty()) {
                SegmentState& last = out.back();
                if (last.is_expandable && s.is_expandable && last.stream == s.stream
                    && last.pool == s.pool && last.is_small_pool == s.is_small_pool
                    && last.address + static_cast<Address>(last.size.value) == address) {
                    last.size += s.size;
                    continue;
                }
            }
            out.push_back(s);
        }
        return out;
    }

private:
    std::map<Address, SegmentState> m_ranges;
};

void undo(const trace::Events& events, std::size_t i, SegmentMap& segments)
{
    switch (events.action[i]) {
    case Action::segment_alloc:
    case Action::segment_map:
        segments.remove(events.address[i], events.size[i]);
        break;
    case Action::segment_free:
    case Action::segment_unmap:
        segments.insert({events.address[i],
                         events.size[i],
                         events.stream[i],
                         events.size[i].value <= kSmallBuffer,
                         events.action[i] == Action::segment_unmap,
                         events.pool.empty() ? trace::PoolId() : events.pool[i],
                         {},
                         {}});
        break;
    default:
        break;
    }
}

/// Lays the live allocations into the segment and collects what is left between them.
void fillSegment(SegmentState& segment, std::span<const AllocationId> inside, const Allocations& a,
                 const BlockSizes& sizes)
{
    Address at = segment.address;
    const Address end = segment.address + static_cast<Address>(segment.size.value);
    const auto addHole = [&](Address from, Address to, bool behind_block) {
        if (to <= from) {
            return;
        }
        const auto gap = static_cast<std::int64_t>(to - from);
        const bool unsplit =
            behind_block && !segment.is_small_pool && !segment.is_expandable && gap <= kSmallSize;
        if (!unsplit) {
            segment.holes.push_back({from, {gap}});
        }
    };
    for (const AllocationId id : inside) {
        addHole(at, a.address[id.index()], at != segment.address);
        segment.allocations.push_back(id);
        at = std::max(at,
                      a.address[id.index()] + static_cast<Address>(sizes.lower[id.index()].value));
    }
    addHole(at, end, at != segment.address);
}

} // namespace

MemoryState memoryStateAt(const trace::Device& device, const DeviceReplay& replay,
                          const BlockSizes& sizes, StateId state)
{
    SegmentMap segments(device);
    for (std::size_t i = device.events.count(); i-- > state.index();) {
        undo(device.events, i, segments);
    }
    MemoryState memory{state, segments.merged()};
    std::vector<AllocationId> live = liveAt(replay, state);
    const Allocations& a = replay.allocations;
    std::ranges::sort(live, {}, [&](AllocationId id) { return a.address[id.index()]; });
    auto next = live.begin();
    for (SegmentState& s : memory.segments) {
        const Address end = s.address + static_cast<Address>(s.size.value);
        next = std::find_if(next, live.end(),
                            [&](AllocationId id) { return a.address[id.index()] >= s.address; });
        const auto first = next;
        next = std::find_if(next, live.end(),
                            [&](AllocationId id) { return a.address[id.index()] >= end; });
        fillSegment(s, {first, next}, a, sizes);
    }
    return memory;
}

Bytes largestUsableHole(const MemoryState& memory, Bytes rounded, std::uint64_t stream)
{
    Bytes largest;
    const bool small = rounded.value <= kSmallSize;
    for (const SegmentState& s : memory.segments) {
        if (s.is_small_pool != small || s.stream != stream || s.pool.isPrivate()) {
            continue;
        }
        for (const Hole& h : s.holes) {
            largest = std::max(largest, h.size);
        }
    }
    return largest;
}

} // namespace tidemark::replay
