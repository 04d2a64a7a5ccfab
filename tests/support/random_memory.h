// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"
#include "core/trace/snapshot_builder.h"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace tidemark::test {

/// The memory of a device in one state as it really was: the slow, obvious way to know it. Reserved
/// memory is kept in pieces that are only ever obtained and given back whole: segments, and single
/// page units of expandable segments.
struct TrueMemory {
    struct Piece {
        Bytes size;
        std::uint64_t stream = 0;
        trace::PoolId pool;
        bool is_small = false;
        bool is_expandable = false;
        std::size_t number = 0; ///< Counts what was obtained; unlike for the same pages later.
    };
    struct Block {
        Bytes requested;
        Bytes size; ///< With the rest that was not split off.
        bool is_pending = false;
        std::uint64_t stream = 0;
    };
    std::map<Address, Piece> pieces;
    std::map<Address, Block> blocks;
};

/// A random run of an allocator with several streams, a private pool, small and large segments,
/// some of them expandable (mapped unit by unit, unmapped anywhere), and frees that stay pending.
class RandomMemory {
public:
    RandomMemory(unsigned seed, std::size_t events, bool has_pool_ids);

    /// Truth per state, state 0 before the first event.
    [[nodiscard]] const std::vector<TrueMemory>& states() const
    {
        return m_states;
    }
    [[nodiscard]] const std::vector<trace::EventRecord>& events() const
    {
        return m_events;
    }
    /// The snapshot that a dump at the end gives, without the first `lost` events.
    [[nodiscard]] trace::Snapshot snapshot(std::size_t lost) const;
    [[nodiscard]] static trace::Snapshot snapshotOf(const TrueMemory& end,
                                                    const std::vector<trace::EventRecord>& events);

private:
    struct Kind {
        std::uint64_t stream = 0;
        trace::PoolId pool;
        bool is_small = false;
        bool is_expandable = false;
    };
    std::uint64_t below(std::uint64_t bound)
    {
        return m_random() % bound;
    }
    void event(trace::Action action, Address address, Bytes size, const Kind& kind);
    void allocate();
    bool place(const Kind& kind, Bytes requested);
    void obtain(const Kind& kind);
    void requestFree();
    void completeFree();
    void giveBack();

    std::mt19937 m_random;
    bool m_has_pool_ids;
    TrueMemory m_now;
    std::vector<TrueMemory> m_states;
    std::vector<trace::EventRecord> m_events;
    std::size_t m_obtained = 0;
};

/// Stretches of reserved memory: pieces as they are, touching units of expandable segments
/// together.
struct TrueSegment {
    Address address = 0;
    TrueMemory::Piece piece; ///< `size` is that of the stretch.
    std::size_t last_number = 0; ///< Of its last piece.
};
std::vector<TrueSegment> segmentsOf(const TrueMemory& memory);

} // namespace tidemark::test
