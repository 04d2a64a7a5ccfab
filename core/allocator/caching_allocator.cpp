// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/caching_allocator.h"

#include "core/allocator/pool.h"

#include <algorithm>
#include <utility>

namespace tidemark::allocator {
namespace {

using replay::kMinBlockSize;
using replay::kSmallSize;

constexpr std::uint32_t kDefaultSmall = 0;
constexpr std::uint32_t kDefaultLarge = 1;
/// No card has this much; sizes above it come from damaged files, and sums of them overflow.
constexpr std::int64_t kLargestRequest = std::int64_t{1} << 46;

} // namespace

CachingAllocator::CachingAllocator(const Settings& settings, Driver& driver,
                                   std::optional<Bytes> limit)
    : m_settings(settings)
    , m_rounding(settings.rounding())
    , m_driver(driver)
    , m_limit(limit)
    , m_memory(std::make_unique<NodeMemory>())
{
    for (const std::uint32_t i : {kDefaultSmall, kDefaultLarge}) {
        m_pools.push_back(
            std::make_unique<Pool>(trace::PoolId{}, i == kDefaultSmall, i, m_memory.get()));
    }
}

CachingAllocator::~CachingAllocator() = default;

CachingAllocator::Pool& CachingAllocator::poolFor(trace::PoolId id, bool is_small)
{
    if (!id.isPrivate()) {
        return *m_pools[is_small ? kDefaultSmall : kDefaultLarge];
    }
    const auto next = static_cast<std::uint32_t>(m_pools.size());
    const auto [it, is_new] = m_private_pools.try_emplace(Home{0, id, is_small}, next);
    if (is_new) {
        m_pools.push_back(std::make_unique<Pool>(id, is_small, next, m_memory.get()));
    }
    return *m_pools[it->second];
}

CachingAllocator::Pool& CachingAllocator::poolOf(const Block& block)
{
    return *m_pools[m_segments[block.segment].pool];
}

const CachingAllocator::Pool& CachingAllocator::poolOf(const Block& block) const
{
    return *m_pools[m_segments[block.segment].pool];
}

Home CachingAllocator::homeOf(const Block& block) const
{
    const Pool& pool = poolOf(block);
    return {m_segments[block.segment].stream, pool.id, pool.is_small};
}

BlockId CachingAllocator::newBlock(Address address, std::int64_t size, std::uint32_t segment,
                                   BlockUse use)
{
    BlockId id(m_blocks.size());
    if (m_unused_blocks.empty()) {
        m_blocks.emplace_back();
    } else {
        id = m_unused_blocks.back();
        m_unused_blocks.pop_back();
    }
    Block& block = m_blocks[id.index()];
    const std::uint32_t listed_in = block.listed_in;
    block = {};
    block.listed_in = listed_in; // Of the block that had the id before; so it is not listed twice.
    block.address = address;
    block.size = size;
    block.segment = segment;
    block.use = use;
    block.born = m_born++;
    return id;
}

std::uint32_t CachingAllocator::newSegment(Pool& pool, std::uint64_t stream,
                                           Interval<Address> addresses, bool is_expandable)
{
    Segment segment;
    segment.address = addresses.begin;
    segment.size = static_cast<std::int64_t>(addresses.end - addresses.begin);
    segment.pool = pool.index;
    segment.stream = stream;
    segment.is_expandable = is_expandable;
    segment.is_there = true;
    m_segments.push_back(segment);
    return static_cast<std::uint32_t>(m_segments.size() - 1);
}

FreeKey CachingAllocator::keyOf(BlockId id) const
{
    const Block& block = m_blocks[id.index()];
    const std::uint64_t stream = m_segments[block.segment].stream;
    if (block.use == BlockUse::unmapped) {
        return {stream, 0, 0, block.address, id};
    }
    std::uint64_t age = 0;
    if (m_settings.tie_order != TieOrder::address) {
        // Segments are numbered in the order they were obtained.
        age = m_settings.tie_order == TieOrder::block_age ? block.born : block.segment;
    }
    return {stream, block.size, age, block.address, id};
}

void CachingAllocator::insertFree(BlockId id)
{
    Block& block = m_blocks[id.index()];
    Pool& pool = poolOf(block);
    block.free_since = pool.searches;
    if (m_segments[block.segment].is_expandable) {
        noteRoom(id, pool);
    }
    if (block.use == BlockUse::unmapped) {
        pool.unmapped.insert(keyOf(id));
        return;
    }
    pool.free.insert(keyOf(id));
    noteFree(id, pool, true);
}

void CachingAllocator::eraseFree(BlockId id)
{
    const Block& block = m_blocks[id.index()];
    Pool& pool = poolOf(block);
    if (block.use == BlockUse::unmapped) {
        pool.unmapped.erase(keyOf(id));
        return;
    }
    pool.free.erase(keyOf(id));
    noteFree(id, pool, false);
}

/// `block` is in no set; a neighbour of the same use becomes a part of it.
void CachingAllocator::merge(BlockId id, BlockId neighbour)
{
    if (neighbour.isNone()) {
        return;
    }
    Block& block = m_blocks[id.index()];
    const Block& other = m_blocks[neighbour.index()];
    if (other.use != block.use) {
        return;
    }
    eraseFree(neighbour);
    block.size += other.size;
    if (block.previous == neighbour) {
        block.address = other.address;
        block.previous = other.previous;
        if (block.previous.isNone()) {
            m_segments[block.segment].first = id;
        } else {
            m_blocks[block.previous.index()].next = id;
        }
    } else {
        block.next = other.next;
        if (!block.next.isNone()) {
            m_blocks[block.next.index()].previous = id;
        }
    }
    m_unused_blocks.push_back(neighbour);
}

BlockId CachingAllocator::cut(BlockId id, std::int64_t size, BlockUse rest)
{
    const Block whole = m_blocks[id.index()];
    const BlockId behind = newBlock(whole.address + static_cast<Address>(size), whole.size - size,
                                    whole.segment, rest);
    m_blocks[behind.index()].previous = id;
    m_blocks[behind.index()].next = whole.next;
    if (!whole.next.isNone()) {
        m_blocks[whole.next.index()].previous = behind;
    }
    m_blocks[id.index()].next = behind;
    m_blocks[id.index()].size = size;
    return behind;
}

bool CachingAllocator::isWholeSegment(BlockId id) const
{
    const Block& block = m_blocks[id.index()];
    return block.previous.isNone() && block.next.isNone();
}

BlockId CachingAllocator::allocate(const Request& request)
{
    const std::int64_t requested = request.size.value;
    const bool is_possible = requested > 0 && requested <= kLargestRequest;
    const std::int64_t size =
        !is_possible || request.is_rounded ? requested : m_rounding(request.size).value;
    m_missing = size;
    BlockId block;
    if (is_possible) {
        Pool& pool = poolFor(request.pool, size <= kSmallSize);
        block = find(pool, request.stream, size);
        if (block.isNone()) {
            block = acquire(pool, request.stream, size);
        }
    }
    if (block.isNone()) {
        m_refusal = {{size}, {m_missing}, reserved(), {}};
        return block;
    }
    block = alignFront(block, size);
    hand(block, size, requested);
    return block;
}

Refusal CachingAllocator::refusal() const
{
    Refusal refusal = m_refusal;
    refusal.largest_free = largestFree();
    return refusal;
}

/// The first block that is large enough; whether it may be used is decided for this one alone.
BlockId CachingAllocator::find(Pool& pool, std::uint64_t stream, std::int64_t size)
{
    ++pool.searches;
    FreeBlocks::const_iterator it = pool.free.lower_bound({stream, size, 0, 0, {}});
    it = skipGrowing(pool, it, stream);
    if (it == pool.free.end() || it->stream != stream) {
        return {};
    }
    const bool is_oversize = size >= m_settings.max_split;
    if (!is_oversize && it->size >= m_settings.max_split) {
        return {};
    }
    if (is_oversize && it->size >= size + m_settings.max_non_split_rounding) {
        return {};
    }
    const BlockId block = it->block;
    pool.free.erase(it);
    noteFree(block, pool, false);
    return block;
}

/// The block at the growing end of a segment counts as what it can grow to, so that it is used
/// last. While the option is off, expandable blocks are not used at all.
FreeBlocks::const_iterator CachingAllocator::skipGrowing(const Pool& pool,
                                                         FreeBlocks::const_iterator it,
                                                         std::uint64_t stream) const
{
    const auto isUsable = [&](FreeBlocks::const_iterator at) {
        return at != pool.free.end() && at->stream == stream;
    };
    const auto isExpandable = [&](FreeBlocks::const_iterator at) {
        return m_segments[m_blocks[at->block.index()].segment].is_expandable;
    };
    if (!m_settings.expandable_segments) {
        while (isUsable(it) && isExpandable(it)) {
            ++it;
        }
        return it;
    }
    while (isUsable(it) && isExpandable(it)) {
        const auto next = std::next(it);
        if (!isUsable(next) || sizeWithGrowth(next->block) >= sizeWithGrowth(it->block)) {
            break;
        }
        it = next;
    }
    return it;
}

std::int64_t CachingAllocator::sizeWithGrowth(BlockId id) const
{
    const Block& block = m_blocks[id.index()];
    const bool grows =
        !block.next.isNone() && m_blocks[block.next.index()].use == BlockUse::unmapped;
    return block.size + (grows ? m_blocks[block.next.index()].size : 0);
}

/// The chain after a search without result. After the last release there is no further search, so
/// a block that the release made free is not used; PyTorch does the same.
BlockId CachingAllocator::acquire(Pool& pool, std::uint64_t stream, std::int64_t size)
{
    if (m_limit && m_settings.gc_threshold > 0) {
        collectGarbage();
    }
    BlockId block = obtain(pool, stream, size);
    if (!block.isNone() || (m_is_limited && m_settings.throws_on_refusal)) {
        return block;
    }
    if (releaseAvailable(pool, stream, size)) {
        block = obtain(pool, stream, size);
    }
    if (block.isNone()) {
        ++m_counts.retries;
        emptyCache();
        block = obtain(pool, stream, size);
    }
    return block;
}

BlockId CachingAllocator::obtain(Pool& pool, std::uint64_t stream, std::int64_t size)
{
    const std::int64_t segment_size = m_settings.segmentSizeFor(size);
    m_missing = segment_size;
    m_is_limited = m_limit && m_reserved + segment_size > m_limit->value;
    if (m_is_limited) {
        return {};
    }
    if (m_settings.expandable_segments) {
        return obtainExpandable(pool, stream, size);
    }
    const auto address = m_driver.allocate({segment_size}, {stream, pool.id, pool.is_small});
    if (!address) {
        return {};
    }
    ++m_counts.segments_obtained;
    m_reserved += segment_size;
    const Interval<Address> addresses{*address, *address + static_cast<Address>(segment_size)};
    const std::uint32_t segment = newSegment(pool, stream, addresses, false);
    const BlockId block = newBlock(*address, segment_size, segment, BlockUse::free);
    m_segments[segment].first = block;
    return block;
}

/// torch_npu: what lies before the next multiple of 16 KiB stays a free block of its own, unless
/// the rest would be too small then. Source: Ascend's NPUCachingAllocator.cpp,
/// base_addr_aligned_kb.
BlockId CachingAllocator::alignFront(BlockId id, std::int64_t size)
{
    static constexpr std::int64_t kAlignment = 16 << 10;
    const Block& block = m_blocks[id.index()];
    const auto beyond = static_cast<std::int64_t>(block.address % kAlignment);
    const std::int64_t offset = kAlignment - beyond;
    if (!m_settings.is_npu || !m_settings.expandable_segments || size < replay::kSmallBuffer
        || beyond == 0 || offset + size > block.size) {
        return id;
    }
    const BlockId aligned = cut(id, offset, BlockUse::free);
    insertFree(id);
    return aligned;
}

/// Splits what is not needed off a block that is in no set, and hands it out.
void CachingAllocator::hand(BlockId id, std::int64_t size, std::int64_t requested)
{
    const std::int64_t rest = m_blocks[id.index()].size - size;
    const bool splits_all = m_settings.expandable_segments || poolOf(m_blocks[id.index()]).is_small;
    const bool splits =
        splits_all ? rest >= kMinBlockSize : size < m_settings.max_split && rest > kSmallSize;
    if (splits) {
        const BlockId rest_of_it = cut(id, size, BlockUse::free);
        // It is the front that PyTorch makes anew.
        std::swap(m_blocks[rest_of_it.index()].born, m_blocks[id.index()].born);
        insertFree(rest_of_it);
    }
    Block& block = m_blocks[id.index()];
    block.use = BlockUse::allocated;
    block.requested = requested;
    m_active += block.size;
}

void CachingAllocator::requestFree(BlockId id)
{
    Block& block = m_blocks[id.index()];
    if (block.use == BlockUse::allocated) {
        block.use = BlockUse::pending;
        m_pending.push_back(id);
    }
}

void CachingAllocator::completeFree(BlockId id)
{
    Block& block = m_blocks[id.index()];
    if (block.use != BlockUse::allocated && block.use != BlockUse::pending) {
        return;
    }
    block.use = BlockUse::free;
    block.requested = 0;
    m_active -= block.size;
    merge(id, block.previous);
    merge(id, block.next);
    insertFree(id);
}

} // namespace tidemark::allocator
