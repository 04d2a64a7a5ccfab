// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/caching_allocator.h"

#include <memory_resource>

namespace tidemark::allocator {

/// Free blocks that may stand in for each other, of all streams.
struct CachingAllocator::Pool {
    trace::PoolId id;
    bool is_small = false;
    std::uint32_t index = 0; ///< Into m_pools.
    FreeBlocks free;
    FreeBlocks unmapped; ///< By address: their key has size 0.
    std::int64_t searches = 0; ///< The clock of garbage collection.

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
