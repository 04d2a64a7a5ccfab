// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/caching_allocator.h"
#include "core/allocator/pool.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tidemark::allocator {

void CachingAllocator::dropSegment(std::uint32_t segment)
{
    m_segments[segment].is_there = false;
}

/// cudaFree of a free block that is all of its segment.
void CachingAllocator::releaseSegment(BlockId id)
{
    const Block block = m_blocks[id.index()];
    eraseFree(id);
    m_unused_blocks.push_back(id);
    dropSegment(block.segment);
    m_reserved -= block.size;
    m_driver.release(block.address, {block.size});
}

/// With `max_split_size` set: first gives back just enough of the oversized blocks of the stream.
/// Those are never split, so each is a segment.
bool CachingAllocator::releaseAvailable(Pool& pool, std::uint64_t stream, std::int64_t size)
{
    if (m_settings.max_split == Settings::kUnlimited) {
        return false;
    }
    const std::int64_t wanted = std::max(size, m_settings.max_split);
    const auto isExpandable = [&](const FreeKey& key) {
        return m_segments[m_blocks[key.block.index()].segment].is_expandable;
    };
    const auto fitting = pool.free.lower_bound({stream, wanted, 0, 0, {}});
    if (fitting != pool.free.end() && fitting->stream == stream && !isExpandable(*fitting)) {
        if (!isWholeSegment(fitting->block)) {
            return false;
        }
        releaseSegment(fitting->block);
        return true;
    }
    std::int64_t released = 0;
    auto it = fitting;
    while (released < wanted && it != pool.free.begin()) {
        --it;
        if (it->stream != stream || it->size < m_settings.max_split) {
            break;
        }
        if (isExpandable(*it) || !isWholeSegment(it->block)) {
            continue;
        }
        const FreeKey key = *it;
        ++it;
        releaseSegment(key.block);
        released += key.size;
    }
    return released >= wanted;
}

/// Above the threshold: gives back unused segments, the longest unused first.
void CachingAllocator::collectGarbage()
{
    const auto allowed =
        static_cast<std::int64_t>(m_settings.gc_threshold * static_cast<double>(m_limit->value));
    if (m_reserved <= allowed) {
        return;
    }
    const std::int64_t wanted = m_reserved - allowed;
    Pool& pool = poolFor({}, false);
    const auto& whole = pool.whole_segments;
    std::int64_t released = 0;
    while (released < wanted && !whole.empty()) {
        const auto count = static_cast<std::int64_t>(whole.size());
        const std::int64_t total_age = count * pool.searches - pool.free_since_sum;
        const double mean = static_cast<double>(total_age) / static_cast<double>(count);
        std::vector<FreeKey> old;
        for (const auto& [since, id] : whole) {
            if (static_cast<double>(pool.searches - since) < mean) {
                break;
            }
            old.push_back(keyOf(id));
        }
        std::ranges::sort(old, [](const FreeKey& a, const FreeKey& b) { return a < b; });
        for (const FreeKey& key : old) {
            released += key.size;
            releaseSegment(key.block);
        }
        if (old.empty()) {
            break;
        }
    }
    m_counts.collections += released > 0 ? 1 : 0;
}

/// What a wait for all streams completes.
void CachingAllocator::completePending()
{
    ++m_counts.waits;
    for (const BlockId id : std::exchange(m_pending, {})) {
        if (m_blocks[id.index()].use == BlockUse::pending) {
            completeFree(id);
        }
    }
}

/// Of a free block: itself if it is a whole segment, else the whole pages inside it.
std::int64_t CachingAllocator::releasableOf(BlockId id) const
{
    const Block& block = m_blocks[id.index()];
    if (!m_segments[block.segment].is_expandable) {
        return isWholeSegment(id) ? block.size : 0;
    }
    const Interval<Address> units = wholeUnits(id);
    return static_cast<std::int64_t>(units.end - units.begin);
}

/// A block comes into the free ones or leaves them.
void CachingAllocator::noteFree(BlockId id, Pool& pool, bool comes)
{
    const std::int64_t bytes = releasableOf(id);
    if (bytes == 0) {
        return;
    }
    pool.releasable += comes ? bytes : -bytes;
    Block& block = m_blocks[id.index()];
    if (comes && block.listed_in != pool.index) {
        block.listed_in = pool.index;
        pool.may_release.push_back(id);
    }
    if (m_limit && m_settings.gc_threshold > 0 && !m_segments[block.segment].is_expandable) {
        if (comes) {
            pool.whole_segments.emplace(block.free_since, id);
        } else {
            pool.whole_segments.erase({block.free_since, id});
        }
        pool.free_since_sum += comes ? block.free_since : -block.free_since;
    }
}

/// What a release would look at, in the order of the free blocks; the list is empty then.
std::vector<FreeKey> CachingAllocator::takeReleasable(Pool& pool)
{
    std::vector<FreeKey> keys;
    for (const BlockId id : std::exchange(pool.may_release, {})) {
        std::uint32_t& listed_in = m_blocks[id.index()].listed_in;
        listed_in = listed_in == pool.index ? kNowhere : listed_in;
        const FreeKey key = keyOf(id);
        const auto it = pool.free.find(key);
        if (it != pool.free.end() && it->block == id) {
            keys.push_back(key);
        }
    }
    std::ranges::sort(keys, [](const FreeKey& a, const FreeKey& b) { return a < b; });
    const auto is_same = [](const FreeKey& a, const FreeKey& b) { return a.block == b.block; };
    keys.erase(std::unique(keys.begin(), keys.end(), is_same), keys.end());
    return keys;
}

/// Free blocks that are whole segments, and whole pages inside the others.
void CachingAllocator::releaseCached(Pool& pool)
{
    const std::vector<FreeKey> all = takeReleasable(pool);
    const auto isExpandable = [&](const FreeKey& key) {
        return m_segments[m_blocks[key.block.index()].segment].is_expandable;
    };
    for (const FreeKey& key : all) {
        if (!isExpandable(key) && isWholeSegment(key.block)) {
            releaseSegment(key.block);
        }
    }
    for (const FreeKey& key : all) {
        if (isExpandable(key)) {
            unmapUnits(key.block);
        }
    }
}

void CachingAllocator::emptyCache()
{
    completePending();
    releaseCached(poolFor({}, false));
    releaseCached(poolFor({}, true));
}

void CachingAllocator::releasePool(trace::PoolId pool)
{
    if (pool.isPrivate()) {
        releaseCached(poolFor(pool, true));
        releaseCached(poolFor(pool, false));
    }
}

std::vector<BlockId> CachingAllocator::adopt(const SegmentView& view)
{
    Pool& pool = poolFor(view.home.pool, view.home.is_small);
    const Interval<Address> addresses{view.address,
                                      view.address + static_cast<Address>(view.size.value)};
    const std::uint32_t segment = newSegment(pool, view.home.stream, addresses, view.is_expandable);
    std::vector<BlockId> ids;
    for (const BlockView& from : view.blocks) {
        const BlockId id = newBlock(from.address, from.size.value, segment, from.use);
        Block& block = m_blocks[id.index()];
        block.requested = from.requested.value;
        if (ids.empty()) {
            m_segments[segment].first = id;
        } else {
            block.previous = ids.back();
            m_blocks[ids.back().index()].next = id;
        }
        ids.push_back(id);
        m_reserved += from.use == BlockUse::unmapped ? 0 : block.size;
        if (from.use == BlockUse::free || from.use == BlockUse::unmapped) {
            insertFree(id);
        } else {
            m_active += block.size;
        }
        if (from.use == BlockUse::pending) {
            m_pending.push_back(id);
        }
    }
    return ids;
}

Bytes CachingAllocator::releasable() const
{
    return {m_pools[0]->releasable + m_pools[1]->releasable};
}

Bytes CachingAllocator::largestFree() const
{
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const FreeBlocks& free = m_pools[i]->free;
        for (auto it = free.end(); it != free.begin();) {
            --it;
            largest = std::max(largest, it->size);
            it = free.lower_bound({it->stream, 0, 0, 0, {}});
        }
    }
    return {largest};
}

std::vector<SegmentView> CachingAllocator::layout() const
{
    std::vector<SegmentView> views;
    for (const Segment& segment : m_segments) {
        if (!segment.is_there) {
            continue;
        }
        SegmentView& view = views.emplace_back();
        view.address = segment.address;
        view.size = {segment.size};
        view.home = homeOf(m_blocks[segment.first.index()]);
        view.is_expandable = segment.is_expandable;
        for (BlockId id = segment.first; !id.isNone(); id = m_blocks[id.index()].next) {
            const Block& block = m_blocks[id.index()];
            view.blocks.push_back({id, block.address, {block.size}, {block.requested}, block.use});
        }
    }
    std::ranges::sort(views, {}, &SegmentView::address);
    return views;
}

} // namespace tidemark::allocator
