// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/block_extents.h"

#include "core/base/address_map.h"
#include "core/base/column.h"
#include "core/replay/changes.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace tidemark::replay {
namespace {

/// Segments of the large pool in one state, with the live blocks in them; expandable ones are left
/// out.
class LargeSegments {
public:
    void add(Address address, Bytes size)
    {
        m_ends.put(address, address + static_cast<Address>(size.value));
    }
    /// Its blocks go with it.
    void remove(Address address)
    {
        const auto segment = m_ends.around(address).at_or_above;
        if (!segment || segment->first != address) {
            return;
        }
        const Address end = segment->second;
        for (auto block = m_live.around(address).at_or_above; block && block->first < end;
             block = m_live.around(address).at_or_above) {
            m_live.erase(block->first);
        }
        m_ends.erase(address);
    }
    /// The segment around an address; empty for none.
    [[nodiscard]] Interval<Address> around(Address address) const
    {
        const auto [below, at_or_above] = m_ends.around(address);
        const bool begins_there = at_or_above && at_or_above->first == address;
        const auto& segment = begins_there ? at_or_above : below;
        const bool is_inside = segment && address < segment->second;
        return is_inside ? Interval<Address>{segment->first, segment->second} : Interval<Address>{};
    }
    [[nodiscard]] AddressMap<AllocationId>& live()
    {
        return m_live;
    }

private:
    AddressMap<Address> m_ends; ///< By where a segment begins.
    AddressMap<AllocationId> m_live; ///< Of all segments.
};

/// A large segment from cudaMalloc comes or goes.
struct SegmentChange {
    StateId state;
    bool begins = false;
    std::uint32_t span = 0;
};

bool isLargeFromCuda(const SegmentSpans& spans, std::size_t i)
{
    return !spans.isSmallPool(i) && !spans.isExpandable(i);
}

/// In the order of the states, what goes before what comes; those of the start are left out.
std::vector<SegmentChange> changesOf(const SegmentSpans& spans, StateId last)
{
    std::vector<SegmentChange> changes;
    for (std::uint32_t i = 0; i < spans.count(); ++i) {
        if (!isLargeFromCuda(spans, i)) {
            continue;
        }
        if (spans.begin[i] != StateId::start()) {
            changes.push_back({spans.begin[i], true, i});
        }
        if (spans.end[i] <= last) {
            changes.push_back({spans.end[i], false, i});
        }
    }
    std::ranges::sort(changes, {}, [](const SegmentChange& change) {
        return std::tuple(change.state, change.begins, change.span);
    });
    return changes;
}

LargeSegments segmentsAtStart(const SegmentSpans& spans)
{
    LargeSegments result;
    for (std::size_t i = 0; i < spans.count() && spans.begin[i] == StateId::start(); ++i) {
        if (isLargeFromCuda(spans, i)) {
            result.add(spans.address[i], spans.size[i]);
        }
    }
    return result;
}

bool hasExpandable(const SegmentSpans& spans)
{
    return std::ranges::any_of(spans.traits, [](std::uint8_t traits) {
        return (traits & SegmentSpans::kExpandable) != 0;
    });
}

class ExtentWalk {
public:
    ExtentWalk(const DeviceReplay& replay, const SplitRules& rules)
        : m_replay(replay)
        , m_a(replay.allocations)
        , m_rules(rules)
        , m_changes(changesOf(replay.segments, replay.lastState()))
        , m_segments(segmentsAtStart(replay.segments))
        , m_has_expandable(hasExpandable(replay.segments))
    {
    }

    BlockSizes run()
    {
        roundAll();
        placeThoseOfTheStart();
        const StateId end{static_cast<std::uint32_t>(m_replay.stateCount())};
        forEachChange(m_replay, {StateId::start(), end},
                      [&](StateId s, AllocationId a, bool begins) {
                          if (!isLarge(a)) {
                              return;
                          }
                          changeSegmentsUntil(s);
                          if (begins) {
                              begin(a);
                          } else {
                              remove(a);
                          }
                      });
        return std::move(m_sizes);
    }

private:
    using Placed = AddressMap<AllocationId>::Entry;

    [[nodiscard]] bool isLarge(AllocationId a) const
    {
        return m_sizes.lower[a.index()].value > kSmallSize;
    }

    void roundAll()
    {
        reserveColumn(m_sizes.lower, m_a.count());
        reserveColumn(m_sizes.upper, m_a.count());
        for (const Bytes requested : m_a.requested) {
            m_sizes.lower.push_back(m_rules.rounding(requested));
            m_sizes.upper.push_back(m_sizes.lower.back());
        }
    }

    void changeSegmentsUntil(StateId state)
    {
        const SegmentSpans& spans = m_replay.segments;
        for (; m_next_change < m_changes.size() && m_changes[m_next_change].state <= state;
             ++m_next_change) {
            const SegmentChange& change = m_changes[m_next_change];
            if (change.begins) {
                m_segments.add(spans.address[change.span], spans.size[change.span]);
            } else {
                m_segments.remove(spans.address[change.span]);
            }
        }
    }

    /// Of what a block may keep beyond its rounded size nothing is known but the largest.
    void leaveOpen(AllocationId a)
    {
        const Bytes rounded = m_sizes.lower[a.index()];
        const bool never_splits = rounded.value >= m_rules.max_split;
        m_sizes.upper[a.index()] = rounded + Bytes{never_splits ? kLargeBuffer : kSmallSize};
    }

    void placeThoseOfTheStart()
    {
        const std::size_t count = countAtStart(m_a); // By address.
        std::optional<Placed> last;
        Address end = 0; // Of the segment that the last one lies in.
        for (std::size_t i = 0; i < count; ++i) {
            const AllocationId a(i);
            if (!isLarge(a)) {
                continue;
            }
            const Address address = m_a.address[i];
            const Interval<Address> segment = m_segments.around(address);
            if (segment.isEmpty()) {
                open(a);
                continue;
            }
            if (last) {
                measureAtStart(*last, std::min(end, address));
            }
            last = Placed(address, a);
            end = segment.end;
            m_segments.live().put(address, a);
        }
        if (last) {
            measureAtStart(*last, end);
        }
    }

    /// A free block of the large pool is larger than 1 MiB: what is smaller belongs to the block.
    void measureAtStart(const Placed& block, Address next)
    {
        const auto& [address, allocation] = block;
        const auto gap = static_cast<std::int64_t>(next - address);
        const std::int64_t rest = gap - m_sizes.lower[allocation.index()].value;
        if (rest < 0) {
            ++m_sizes.contradictions;
        } else if (rest <= kSmallSize) {
            set(allocation, {gap});
        } else {
            leaveOpen(allocation);
        }
    }

    void set(AllocationId a, Bytes size)
    {
        m_sizes.lower[a.index()] = size;
        m_sizes.upper[a.index()] = size;
    }

    /// In no known segment: of an expandable one that is gone, or of one whose events are missing.
    void open(AllocationId a)
    {
        if (!m_has_expandable) {
            leaveOpen(a);
        }
    }

    void begin(AllocationId a)
    {
        const Address address = m_a.address[a.index()];
        const Interval<Address> segment = m_segments.around(address);
        if (segment.isEmpty()) {
            open(a);
            return;
        }
        const auto [before, next] = m_segments.live().put(address, a);
        if (before && before->first >= segment.begin) {
            endAt(*before, address);
        }
        const Address behind = next ? std::min(segment.end, next->first) : segment.end;
        measure(a, {static_cast<std::int64_t>(behind - address)});
    }

    /// The block before a free block ends where that begins.
    void endAt(const Placed& block, Address end)
    {
        const Bytes size{static_cast<std::int64_t>(end - block.first)};
        const std::size_t i = block.second.index();
        if (size < m_sizes.lower[i] || size > m_sizes.upper[i]) {
            ++m_sizes.contradictions;
        } else {
            set(block.second, size);
        }
    }

    void measure(AllocationId a, Bytes room)
    {
        const Bytes rounded = m_sizes.lower[a.index()];
        const Bytes rest = room - rounded;
        const bool may_never_split = !m_a.pool.empty() && m_a.pool[a.index()].user != 0;
        if (rest.value < 0) {
            ++m_sizes.contradictions;
            leaveOpen(a);
        } else if (may_never_split) {
            m_sizes.upper[a.index()] = room;
        } else if (m_rules.splits_all && rest.value <= kSmallSize) {
            // The option may have been off at that time.
            m_sizes.upper[a.index()] = room;
        } else if (rest.value <= kSmallSize || rounded.value >= m_rules.max_split) {
            set(a, room);
        }
    }

    void remove(AllocationId a)
    {
        m_segments.live().eraseIf(m_a.address[a.index()],
                                  [a](AllocationId placed) { return placed == a; });
    }

    const DeviceReplay& m_replay;
    const Allocations& m_a;
    const SplitRules& m_rules;
    std::vector<SegmentChange> m_changes;
    std::size_t m_next_change = 0;
    LargeSegments m_segments;
    bool m_has_expandable;
    BlockSizes m_sizes;
};

} // namespace

BlockSizes extentsFromTrace(const DeviceReplay& replay, const SplitRules& rules)
{
    return ExtentWalk(replay, rules).run();
}

} // namespace tidemark::replay
