// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/caching_allocator.h"
#include "core/allocator/pool.h"

#include <algorithm>
#include <bit>

namespace tidemark::allocator {

BlockId CachingAllocator::obtainExpandable(Pool& pool, std::uint64_t stream, std::int64_t size)
{
    BlockId block = findRoom(pool, stream, size);
    if (block.isNone()) {
        return {};
    }
    const Block& found = m_blocks[block.index()];
    if (found.use == BlockUse::unmapped && !mapFront(block, std::min(found.size, size))) {
        return {};
    }
    while (m_blocks[block.index()].size < size) {
        const std::int64_t lacking = size - m_blocks[block.index()].size;
        const BlockId next = m_blocks[block.index()].next;
        if (!mapFront(next, std::min(lacking, m_blocks[next.index()].size))) {
            return {};
        }
        block = next; // The mapping merged the free block before it into this one.
    }
    eraseFree(block);
    return block;
}

bool CachingAllocator::isUsable(BlockId id) const
{
    const BlockUse use = id.isNone() ? BlockUse::allocated : m_blocks[id.index()].use;
    return use == BlockUse::free || use == BlockUse::unmapped;
}

/// The lowest unmapped block with enough room, or the free block right before it; else a segment of
/// its own.
BlockId CachingAllocator::findRoom(Pool& pool, std::uint64_t stream, std::int64_t size)
{
    const auto hasRoom = [&](BlockId id) {
        std::int64_t room = 0;
        for (; room < size && isUsable(id); id = m_blocks[id.index()].next) {
            room += m_blocks[id.index()].size;
        }
        return room >= size;
    };
    auto& no_room = pool.no_room[stream];
    const auto bits = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(size)));
    Address from = 0;
    for (std::size_t i = 0; i <= bits; ++i) {
        from = no_room[i].size <= size ? std::max(from, no_room[i].below) : from;
    }
    for (auto it = pool.unmapped.lower_bound({stream, 0, 0, from, {}});
         it != pool.unmapped.end() && it->stream == stream; ++it) {
        const BlockId before = m_blocks[it->block.index()].previous;
        const BlockId candidate = isUsable(before) ? before : it->block;
        if (hasRoom(candidate)) {
            no_room[bits] = {size, it->address};
            return candidate;
        }
    }
    const Bytes unit{m_settings.pageUnit(pool.is_small)};
    const Interval<Address> range = m_driver.reserve(unit, {stream, pool.id, pool.is_small});
    if (range.isEmpty() || range.end - range.begin < static_cast<Address>(size)) {
        return {};
    }
    const std::uint32_t segment = newSegment(pool, stream, range, true);
    const BlockId block = newBlock(range.begin, static_cast<std::int64_t>(range.end - range.begin),
                                   segment, BlockUse::unmapped);
    m_segments[segment].first = block;
    insertFree(block);
    return block;
}

/// A block of an expandable segment is free or unmapped from now on: what lies around it may have
/// become room.
void CachingAllocator::noteRoom(BlockId id, Pool& pool)
{
    const Block& block = m_blocks[id.index()];
    const bool is_alone = !isUsable(block.previous) && !isUsable(block.next);
    if (is_alone && block.use == BlockUse::free) {
        return; // Without an unmapped one beside it, it is no place to map pages at.
    }
    const auto known = pool.no_room.find(m_segments[block.segment].stream);
    if (known == pool.no_room.end()) {
        return;
    }
    BlockId first = id;
    while (isUsable(m_blocks[first.index()].previous)) {
        first = m_blocks[first.index()].previous;
    }
    std::int64_t room = 0;
    for (BlockId at = first; isUsable(at); at = m_blocks[at.index()].next) {
        room += m_blocks[at.index()].size;
    }
    for (Pool::NoRoom& no_room : known->second) {
        if (no_room.size <= room) {
            no_room.below = std::min(no_room.below, m_blocks[first.index()].address);
        }
    }
}

/// Maps whole pages at the front of an unmapped block; what is mapped becomes a free block with the
/// free ones beside it.
bool CachingAllocator::mapFront(BlockId id, std::int64_t size)
{
    const Block block = m_blocks[id.index()];
    const auto unit = static_cast<Address>(m_settings.pageUnit(poolOf(block).is_small));
    const auto mapped =
        std::min(static_cast<std::int64_t>(roundUp(static_cast<Address>(size), unit)), block.size);
    if (!m_driver.map(block.address, {mapped}, homeOf(block))) {
        m_missing = mapped;
        return false;
    }
    ++m_counts.segments_obtained;
    m_reserved += mapped;
    eraseFree(id);
    if (mapped < block.size) {
        insertFree(cut(id, mapped, BlockUse::unmapped));
    }
    m_blocks[id.index()].use = BlockUse::free;
    merge(id, m_blocks[id.index()].previous);
    merge(id, m_blocks[id.index()].next);
    insertFree(id);
    return true;
}

/// The pages that lie wholly inside a block of an expandable segment; empty for none.
Interval<Address> CachingAllocator::wholeUnits(BlockId id) const
{
    const Block& block = m_blocks[id.index()];
    const Segment& segment = m_segments[block.segment];
    const auto unit = static_cast<Address>(m_settings.pageUnit(poolOf(block).is_small));
    const Address end = block.address + static_cast<Address>(block.size);
    const Address from = segment.address + roundUp(block.address - segment.address, unit);
    const Address until = segment.address + (end - segment.address) / unit * unit;
    return {from, std::max(from, until)};
}

/// Gives back the pages that lie wholly inside a free block; its edges stay free blocks.
void CachingAllocator::unmapUnits(BlockId id)
{
    const Block block = m_blocks[id.index()];
    const Address end = block.address + static_cast<Address>(block.size);
    const auto [from, until] = wholeUnits(id);
    if (from == until) {
        return;
    }
    eraseFree(id);
    BlockId middle = id;
    if (from > block.address) {
        middle = cut(id, static_cast<std::int64_t>(from - block.address), BlockUse::free);
        insertFree(id);
    }
    if (until < end) {
        insertFree(cut(middle, static_cast<std::int64_t>(until - from), BlockUse::free));
    }
    m_blocks[middle.index()].use = BlockUse::unmapped;
    merge(middle, m_blocks[middle.index()].previous);
    merge(middle, m_blocks[middle.index()].next);
    insertFree(middle);
    m_reserved -= static_cast<std::int64_t>(until - from);
    m_driver.release(from, {static_cast<std::int64_t>(until - from)});
}

} // namespace tidemark::allocator
