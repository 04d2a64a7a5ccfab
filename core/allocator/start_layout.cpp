// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/start_layout.h"

#include "core/replay/memory_state.h"

#include <algorithm>

namespace tidemark::allocator {
namespace {

Home homeOf(const replay::SegmentState& s)
{
    return {s.stream, s.pool, s.is_small_pool};
}

void addBlock(StartSegment& segment, Address address, Bytes size, BlockUse use,
              AllocationId allocation, Bytes requested)
{
    if (size > Bytes{}) {
        segment.view.blocks.push_back({{}, address, size, requested, use});
        segment.allocations.push_back(allocation);
    }
}

/// Blocks and holes of a segment (of an expandable one: of a mapped stretch), by address.
void addTiles(StartSegment& to, const replay::MemoryState& memory, const replay::SegmentState& s,
              const replay::Allocations& allocations)
{
    const auto holes = memory.holesOf(s);
    auto hole = holes.begin();
    const auto addHolesUntil = [&](Address address) {
        for (; hole != holes.end() && hole->address < address; ++hole) {
            addBlock(to, hole->address, hole->size, BlockUse::free, {}, {});
        }
    };
    for (const replay::BlockInState& block : memory.blocksOf(s)) {
        addHolesUntil(block.address);
        addBlock(to, block.address, block.size,
                 block.is_pending ? BlockUse::pending : BlockUse::allocated, block.allocation,
                 allocations.requested[block.allocation.index()]);
    }
    addHolesUntil(s.address + static_cast<Address>(s.size.value));
}

} // namespace

ReservedRanges reservedRanges(const replay::SegmentSpans& spans)
{
    ReservedRanges ranges;
    for (std::size_t i = 0; i < spans.count(); ++i) {
        if (!spans.isExpandable(i)) {
            continue;
        }
        const Home home{spans.stream[i], spans.pool[i], spans.isSmallPool(i)};
        const Address end = spans.address[i] + static_cast<Address>(spans.size[i].value);
        const auto [it, is_new] =
            ranges.try_emplace(home, Interval<Address>{spans.address[i], end});
        it->second.begin = std::min(it->second.begin, spans.address[i]);
    }
    std::vector<Address> begins;
    for (const auto& [home, range] : ranges) {
        begins.push_back(range.begin);
    }
    std::ranges::sort(begins);
    for (auto& [home, range] : ranges) {
        const auto next = std::ranges::upper_bound(begins, range.begin);
        const Address most = range.begin + kMostAddresses;
        range.end = next == begins.end() ? most : std::min(most, *next);
    }
    return ranges;
}

std::vector<StartSegment> startLayout(const replay::DeviceReplay& replay,
                                      const replay::BlockSizes& sizes, const ReservedRanges& ranges)
{
    const replay::MemoryState memory = replay::memoryStateAt(replay, sizes, StateId::start());
    std::vector<StartSegment> all;
    std::map<Home, StartSegment> expandable;
    for (const replay::SegmentState& s : memory.segments) {
        if (!s.is_expandable) {
            StartSegment& segment = all.emplace_back();
            segment.view.address = s.address;
            segment.view.size = s.size;
            segment.view.home = homeOf(s);
            addTiles(segment, memory, s, replay.allocations);
            continue;
        }
        const Interval<Address> range = ranges.at(homeOf(s));
        StartSegment& segment = expandable[homeOf(s)];
        segment.view.address = range.begin;
        segment.view.size = {static_cast<std::int64_t>(range.end - range.begin)};
        segment.view.home = homeOf(s);
        segment.view.is_expandable = true;
        const auto& blocks = segment.view.blocks;
        const Address at = blocks.empty()
            ? range.begin
            : blocks.back().address + static_cast<Address>(blocks.back().size.value);
        addBlock(segment, at, {static_cast<std::int64_t>(s.address - at)}, BlockUse::unmapped, {},
                 {});
        addTiles(segment, memory, s, replay.allocations);
    }
    for (auto& [home, segment] : expandable) {
        const BlockView& last = segment.view.blocks.back();
        const Address at = last.address + static_cast<Address>(last.size.value);
        const Address end = segment.view.address + static_cast<Address>(segment.view.size.value);
        addBlock(segment, at, {static_cast<std::int64_t>(end - at)}, BlockUse::unmapped, {}, {});
        all.push_back(std::move(segment));
    }
    return all;
}

} // namespace tidemark::allocator
