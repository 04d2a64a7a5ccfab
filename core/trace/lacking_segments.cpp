// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/lacking_segments.h"

#include "core/base/language.h"
#include "core/trace/allocator_sizes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace tidemark::trace {
namespace {

Address after(Address begin, Bytes size)
{
    return begin + static_cast<Address>(std::max<std::int64_t>(0, size.value));
}

/// What the events of a trace leave behind.
class Remains {
public:
    explicit Remains(const Events& events)
        : m_events(events)
    {
        for (std::size_t i = 0; i < events.count(); ++i) {
            take(i);
        }
    }

    [[nodiscard]] bool isEmpty() const
    {
        return m_blocks.empty() && m_ranges.empty();
    }

    void fill(Device& device)
    {
        // Of what lies in segments from before the trace the blocks alone are known.
        for (const auto& [address, block] : m_blocks) {
            if (rangeOf(address) == m_ranges.end()) {
                add({address, after(address, rounded(block.event))}, block.event, false);
            }
        }
        for (const auto& [begin, range] : m_ranges) {
            addSegment(begin, range, device);
        }
    }

private:
    struct Live {
        std::size_t event = 0; ///< That made it.
        bool is_pending = false;
    };
    struct Range {
        Address end = 0;
        std::size_t event = 0; ///< That obtained its first bytes.
        bool is_mapped = false; ///< A part of an expandable segment.
    };
    using Ranges = std::map<Address, Range>;

    void take(std::size_t i)
    {
        const Address begin = m_events.address[i];
        const Address end = after(begin, m_events.size[i]);
        switch (m_events.action[i]) {
        case Action::alloc:
            m_blocks[begin] = {i, false};
            break;
        case Action::free_requested:
            if (const auto it = m_blocks.find(begin); it != m_blocks.end()) {
                it->second.is_pending = true;
            }
            break;
        case Action::free_completed:
            m_blocks.erase(begin);
            break;
        case Action::segment_alloc:
            add({begin, end}, i, false);
            break;
        case Action::segment_map:
            add({begin, end}, i, true);
            break;
        case Action::segment_free:
        case Action::segment_unmap:
            remove(begin, end);
            break;
        default:
            break;
        }
    }

    [[nodiscard]] Ranges::iterator rangeOf(Address address)
    {
        const auto next = m_ranges.upper_bound(address);
        const bool is_inside = next != m_ranges.begin() && address < std::prev(next)->second.end;
        return is_inside ? std::prev(next) : m_ranges.end();
    }

    void add(std::pair<Address, Address> bytes, std::size_t event, bool is_mapped)
    {
        auto [begin, end] = bytes;
        if (end <= begin) {
            return;
        }
        remove(begin, end); // A file that says it twice.
        const auto joins = [&](const Range& other) {
            return is_mapped && other.is_mapped
                && m_events.stream[other.event] == m_events.stream[event];
        };
        const auto next = m_ranges.find(end);
        if (next != m_ranges.end() && joins(next->second)) {
            end = next->second.end;
            m_ranges.erase(next);
        }
        const auto later = m_ranges.lower_bound(begin);
        if (later != m_ranges.begin() && std::prev(later)->second.end == begin
            && joins(std::prev(later)->second)) {
            std::prev(later)->second.end = end;
            return;
        }
        m_ranges[begin] = {end, event, is_mapped};
    }

    void remove(Address begin, Address end)
    {
        auto it = m_ranges.upper_bound(begin);
        it = it == m_ranges.begin() ? it : std::prev(it);
        while (it != m_ranges.end() && it->first < end) {
            const auto [from, range] = *it;
            if (range.end <= begin) {
                ++it;
                continue;
            }
            it = m_ranges.erase(it);
            if (from < begin) {
                m_ranges[from] = {begin, range.event, range.is_mapped};
            }
            if (range.end > end) {
                it = m_ranges.insert_or_assign(end, Range{range.end, range.event, range.is_mapped})
                         .first;
            }
        }
    }

    [[nodiscard]] Bytes rounded(std::size_t event) const
    {
        const std::int64_t size = std::max<std::int64_t>(1, m_events.size[event].value);
        return {(size + kMinBlockSize - 1) / kMinBlockSize * kMinBlockSize};
    }

    void addSegment(Address begin, const Range& range, Device& device) const
    {
        Segment segment;
        segment.address = begin;
        segment.total_size = Bytes{static_cast<std::int64_t>(range.end - begin)};
        segment.stream = m_events.stream[range.event];
        segment.stack = m_events.stack[range.event];
        segment.is_expandable = range.is_mapped;
        segment.pool = m_events.pool.empty() ? PoolId{} : m_events.pool[range.event];
        segment.first_block = static_cast<std::uint32_t>(device.blocks.size());
        const auto first = m_blocks.lower_bound(begin);
        const auto last = m_blocks.lower_bound(range.end);
        segment.is_small_pool =
            (range.is_mapped ? first != last : segment.total_size.value <= kSmallBuffer)
            && std::all_of(first, last, [this](const auto& block) {
                   return m_events.size[block.second.event].value <= kSmallSize;
               });
        Address at = begin;
        for (auto it = first; it != last; ++it) {
            addFree(at, it->first, device);
            const auto next = std::next(it);
            const Address room = next == last ? range.end : next->first;
            at = addBlock(it->first, room, it->second, segment.is_small_pool, device);
        }
        addFree(at, range.end, device);
        segment.block_count =
            static_cast<std::uint32_t>(device.blocks.size()) - segment.first_block;
        device.segments.push_back(segment);
    }

    /// Returns where it ends.
    Address addBlock(Address address, Address room, const Live& live, bool is_small,
                     Device& device) const
    {
        Address end = std::min(room, after(address, rounded(live.event)));
        const auto rest = static_cast<std::int64_t>(room - end);
        end = (is_small ? rest < kMinBlockSize : rest <= kSmallSize) ? room : end;
        Block block;
        block.address = address;
        block.size = Bytes{static_cast<std::int64_t>(end - address)};
        block.requested = m_events.size[live.event];
        block.state =
            live.is_pending ? BlockState::active_pending_free : BlockState::active_allocated;
        block.stack = m_events.stack[live.event];
        if (!m_events.forward_frames.empty()) {
            block.forward_frames = m_events.forward_frames[live.event];
        }
        device.blocks.push_back(block);
        return end;
    }

    static void addFree(Address begin, Address end, Device& device)
    {
        if (begin < end) {
            Block block;
            block.address = begin;
            block.size = Bytes{static_cast<std::int64_t>(end - begin)};
            device.blocks.push_back(block);
        }
    }

    const Events& m_events;
    std::map<Address, Live> m_blocks;
    Ranges m_ranges;
};

} // namespace

bool segmentsFromTrace(Device& device)
{
    if (!device.segments.empty() || device.events.count() == 0) {
        return false;
    }
    Remains remains(device.events);
    if (remains.isEmpty()) {
        return false;
    }
    remains.fill(device);
    return true;
}

void fillLackingSegments(Snapshot& snapshot)
{
    std::int64_t made = 0;
    for (Device& device : snapshot.devices) {
        made += segmentsFromTrace(device) ? 1 : 0;
    }
    if (made > 0) {
        snapshot.notes.add("segments-from-trace",
                           say("Some devices have events but no segments, as in merged traces of "
                               "several ranks. Blocks from before the trace that are never freed "
                               "are unknown, so totals may be too low."),
                           made);
    }
}

} // namespace tidemark::trace
