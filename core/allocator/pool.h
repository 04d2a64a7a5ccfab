// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/caching_allocator.h"

#include <array>
#include <memory_resource>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::allocator {

/// Free blocks that may stand in for each other, of all streams.
struct CachingAllocator::Pool {
    trace::PoolId id;
    bool is_small = false;
    std::uint32_t index = 0; ///< Into m_pools.
    FreeBlocks free;
    FreeBlocks unmapped; ///< By address: their key has size 0.
    /// Bytes that a release would give back, and the free blocks that have any; some of those in
    /// the list are not free any more, or stand there twice. What else is free is not looked at.
    std::int64_t releasable = 0;
    std::vector<BlockId> may_release;
    /// While garbage is collected: free blocks that are whole segments of their own, the longest
    /// unused first.
    std::set<std::pair<std::int64_t, BlockId>> whole_segments;
    std::int64_t free_since_sum = 0; ///< Over those.
    std::int64_t searches = 0; ///< The clock of garbage collection.

    /// No unmapped block below an address has room for `size`, as far as one looked.
    struct NoRoom {
        std::int64_t size = 0;
        Address below = 0;
    };
    /// By stream, then by the number of bits of the size.
    std::unordered_map<std::uint64_t, std::array<NoRoom, 64>> no_room;

    Pool(trace::PoolId pool, bool small, std::uint32_t at, std::pmr::memory_resource* memory)
        : id(pool)
        , is_small(small)
        , index(at)
        , free(memory)
        , unmapped(memory)
    {
    }
};

} // namespace tidemark::allocator
