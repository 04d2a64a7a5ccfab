// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/trace/snapshot.h"

#include <vector>

namespace tidemark::replay {

/// To which pool the address of an event belongs. torch says so since 2.12 (`pool_id`); before that
/// only the segments that still exist at the dump tell, from the moment they were made. The default
/// pool stands for "not known", too.
class PoolLookup {
public:
    /// O(events) where the events do not name their pools.
    explicit PoolLookup(const trace::Device& device);

    /// Whether any private pool is known at all; where not, every answer is the default pool.
    [[nodiscard]] bool hasPrivatePools() const
    {
        return m_has_private;
    }
    /// O(log segments).
    [[nodiscard]] trace::PoolId poolOf(EventId event) const;

private:
    struct Home {
        Address begin = 0;
        Address end = 0;
        EventId made; ///< None: before the trace.
        trace::PoolId pool;
    };
    const trace::Device& m_device;
    std::vector<Home> m_homes; ///< Private final segments, by address.
    bool m_has_private = false;
};

} // namespace tidemark::replay
