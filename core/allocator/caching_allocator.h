// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/driver.h"
#include "core/allocator/free_blocks.h"
#include "core/allocator/settings.h"
#include "core/replay/rounding.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tidemark::allocator {

/// What a program asks for.
struct Request {
    Bytes size; ///< As asked; more than 0.
    std::uint64_t stream = 0;
    trace::PoolId pool;
    bool is_rounded = false; ///< `size` is a block size already.
};

/// Why a request failed although all cached memory that could go was given back.
struct Refusal {
    Bytes rounded; ///< The request, rounded.
    Bytes missing; ///< What the driver would have had to give on top of `reserved`.
    Bytes reserved; ///< After the release.
    Bytes largest_free; ///< Largest block that stayed free in the default pools.
};

enum class BlockUse : std::uint8_t {
    free,
    allocated,
    pending, ///< Freed by its owner; another stream may still use it.
    unmapped, ///< Addresses of an expandable segment without memory.
};

/// A piece of a segment as it stands.
struct BlockView {
    BlockId id;
    Address address = 0;
    Bytes size;
    Bytes requested; ///< 0 for free and unmapped ones.
    BlockUse use = BlockUse::free;
};

/// A segment as it stands; of an expandable one the whole reserved range, with unmapped blocks.
struct SegmentView {
    Address address = 0;
    Bytes size;
    Home home;
    bool is_expandable = false;
    std::vector<BlockView> blocks; ///< By address; they tile the segment.
};

/// What it did so far, beside handing out blocks.
struct Counts {
    std::int64_t segments_obtained = 0; ///< cudaMalloc calls and mappings that succeeded.
    std::int64_t retries = 0; ///< Requests for which all cached memory was given back.
    std::int64_t waits = 0; ///< For all streams: what was pending is free since.
    std::int64_t collections = 0; ///< Garbage collections that gave something back.
};

/// PyTorch's native CUDA caching allocator for one device, without the memory: where blocks lie,
/// when segments are obtained, split, merged and given back. A block keeps its id from `allocate`
/// to `completeFree`. Each call costs O(log blocks), releases as much
/// for each block that they give back.
///
/// Follows malloc, free and emptyCache of c10/cuda/CUDACachingAllocator.cpp (torch 2.3 to 2.13).
class CachingAllocator {
public:
    /// `limit`: bytes that the memory fraction allows, if it is set. `driver` outlives this.
    CachingAllocator(const Settings& settings, Driver& driver, std::optional<Bytes> limit = {});
    ~CachingAllocator();
    CachingAllocator(const CachingAllocator&) = delete;
    CachingAllocator& operator=(const CachingAllocator&) = delete;

    /// The block handed out; none: out of memory, `refusal()` says why.
    BlockId allocate(const Request& request);
    /// Of the last `allocate` that gave none.
    /// O(streams · log blocks).
    [[nodiscard]] Refusal refusal() const;
    /// The owner freed an allocated block that another stream may still use.
    void requestFree(BlockId block);
    /// An allocated or pending block is free again. One that is free already stays so: the release
    /// of all cached memory completes what is pending.
    void completeFree(BlockId block);
    /// torch.cuda.empty_cache().
    void emptyCache();
    /// Gives back the cached memory of a private pool that nobody holds any more.
    void releasePool(trace::PoolId pool);

    /// A segment that is there from the start, with its blocks by address; they tile it. Returns
    /// their ids. The driver is not asked.
    std::vector<BlockId> adopt(const SegmentView& segment);

    [[nodiscard]] Bytes reserved() const
    {
        return {m_reserved};
    }
    /// Block sizes of allocated and pending blocks.
    [[nodiscard]] Bytes active() const
    {
        return {m_active};
    }
    [[nodiscard]] Address addressOf(BlockId block) const
    {
        return m_blocks[block.index()].address;
    }
    [[nodiscard]] Bytes sizeOf(BlockId block) const
    {
        return {m_blocks[block.index()].size};
    }
    [[nodiscard]] const Counts& counts() const
    {
        return m_counts;
    }
    /// In the default pools. O(streams · log blocks).
    [[nodiscard]] Bytes largestFree() const;
    /// What `emptyCache` would give back, but for what it completes. O(1).
    [[nodiscard]] Bytes releasable() const;
    /// All segments by address. O(blocks log segments).
    [[nodiscard]] std::vector<SegmentView> layout() const;

private:
    static constexpr std::uint32_t kNowhere = 0xffffffff;

    struct Block {
        Address address = 0;
        std::int64_t size = 0;
        std::int64_t requested = 0;
        std::int64_t free_since = 0; ///< The pool's search count when it became free.
        std::uint64_t born = 0; ///< How many blocks there were before it.
        BlockId previous; ///< Inside the segment.
        BlockId next;
        std::uint32_t segment = 0;
        BlockUse use = BlockUse::free;
        std::uint32_t listed_in = kNowhere; ///< The pool whose `may_release` has it.
    };
    struct Segment {
        Address address = 0;
        std::int64_t size = 0;
        std::uint32_t pool = 0;
        std::uint64_t stream = 0;
        BlockId first;
        bool is_expandable = false;
        bool is_there = false;
    };
    struct Pool;

    Pool& poolFor(trace::PoolId id, bool is_small);
    [[nodiscard]] Pool& poolOf(const Block& block);
    [[nodiscard]] const Pool& poolOf(const Block& block) const;
    [[nodiscard]] Home homeOf(const Block& block) const;
    BlockId newBlock(Address address, std::int64_t size, std::uint32_t segment, BlockUse use);
    std::uint32_t newSegment(Pool& pool, std::uint64_t stream, Interval<Address> addresses,
                             bool is_expandable);
    void dropSegment(std::uint32_t segment);
    [[nodiscard]] FreeKey keyOf(BlockId block) const;
    void insertFree(BlockId block);
    void eraseFree(BlockId block);
    void noteFree(BlockId block, Pool& pool, bool comes);
    [[nodiscard]] std::int64_t releasableOf(BlockId block) const;
    [[nodiscard]] std::vector<FreeKey> takeReleasable(Pool& pool);
    void merge(BlockId block, BlockId neighbour);
    /// Makes the rest of a block behind its first `size` bytes a block of its own.
    BlockId cut(BlockId block, std::int64_t size, BlockUse rest);
    [[nodiscard]] bool isWholeSegment(BlockId block) const;

    BlockId find(Pool& pool, std::uint64_t stream, std::int64_t size);
    [[nodiscard]] FreeBlocks::const_iterator
    skipGrowing(const Pool& pool, FreeBlocks::const_iterator it, std::uint64_t stream) const;
    [[nodiscard]] std::int64_t sizeWithGrowth(BlockId block) const;
    BlockId acquire(Pool& pool, std::uint64_t stream, std::int64_t size);
    BlockId obtain(Pool& pool, std::uint64_t stream, std::int64_t size);
    BlockId obtainExpandable(Pool& pool, std::uint64_t stream, std::int64_t size);
    BlockId findRoom(Pool& pool, std::uint64_t stream, std::int64_t size);
    [[nodiscard]] bool isUsable(BlockId block) const;
    void noteRoom(BlockId block, Pool& pool);
    bool mapFront(BlockId block, std::int64_t size);
    BlockId alignFront(BlockId block, std::int64_t size);
    void hand(BlockId block, std::int64_t size, std::int64_t requested);

    bool releaseAvailable(Pool& pool, std::uint64_t stream, std::int64_t size);
    void collectGarbage();
    void releaseSegment(BlockId block);
    void releaseCached(Pool& pool);
    [[nodiscard]] Interval<Address> wholeUnits(BlockId block) const;
    void unmapUnits(BlockId block);
    void completePending();

    Settings m_settings;
    replay::Rounding m_rounding;
    Driver& m_driver;
    std::optional<Bytes> m_limit;
    std::unique_ptr<NodeMemory> m_memory; ///< Outlives the pools.
    std::vector<std::unique_ptr<Pool>> m_pools; ///< 0: default small, 1: default large.
    std::map<Home, std::uint32_t> m_private_pools; ///< Index into m_pools; stream 0.
    std::vector<Block> m_blocks;
    std::vector<BlockId> m_unused_blocks;
    std::vector<Segment> m_segments;
    std::vector<BlockId> m_pending; ///< Some may be free again.
    std::uint64_t m_born = 0; ///< Blocks so far.
    std::int64_t m_reserved = 0;
    std::int64_t m_active = 0;
    std::int64_t m_missing = 0; ///< What the last refused `obtain` needed.
    bool m_is_limited = false; ///< It was the limit that refused.
    Counts m_counts;
    Refusal m_refusal;
};

} // namespace tidemark::allocator
