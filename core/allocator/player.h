// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/allocator/caching_allocator.h"
#include "core/allocator/request_stream.h"
#include "core/allocator/start_layout.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tidemark::allocator {

/// Plays the operations of a trace to an allocator and remembers which block each allocation got.
/// All arguments outlive it.
class Player {
public:
    Player(const trace::Events& events, const replay::DeviceReplay& replay,
           CachingAllocator& allocator);

    /// Puts what lived at the start of the trace where it lay.
    void adopt(std::span<const StartSegment> segments);
    /// Asks for what lived at the start as if it were new, in the order of the addresses. False
    /// where a request found no memory; the others are not asked then.
    bool requestAnew();

    /// False where a request found no memory. What a recorded failed request got is given back at
    /// once, since the program went on without it.
    bool play(const Operation& operation);

    /// Of the last recorded failed request that found memory: see `PassedRequest`.
    [[nodiscard]] Bytes heldWithFailed() const
    {
        return m_held_with_failed;
    }

    /// None: not live now, or without memory.
    [[nodiscard]] BlockId blockOf(AllocationId a) const
    {
        return m_blocks[a.index()];
    }

private:
    bool allocate(AllocationId a);
    void requestFree(AllocationId a);
    void completeFree(AllocationId a);
    bool tryFailed(EventId e);
    void releasePools(EventId e);

    const trace::Events& m_events;
    const replay::DeviceReplay& m_replay;
    CachingAllocator& m_allocator;
    std::vector<BlockId> m_blocks; ///< By allocation.
    /// Pending allocations, and the allocator's count of waits at that time: after a further one
    /// their blocks are free or another's.
    std::unordered_map<AllocationId, std::int64_t> m_pending;
    Bytes m_held_with_failed;
    /// Private pools, by when one of their segments ends; made when first asked for.
    std::optional<std::vector<std::pair<StateId, trace::PoolId>>> m_private_ends;
};

} // namespace tidemark::allocator
