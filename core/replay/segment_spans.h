// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/units.h"
#include "core/replay/live_index.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace tidemark::replay {

/// Ranges of reserved memory of one device as lifetimes, like allocations: a range is there in the
/// states [begin, end). Columns; ordered by `begin`, then by address. Ranges that are there in one
/// state never overlap. A segment may appear as several ranges that touch: one per mapping, and cut
/// where a later unmapping cut it.
struct SegmentSpans {
    std::vector<Address> address;
    std::vector<Bytes> size;
    std::vector<StateId> begin;
    std::vector<StateId> end; ///< There at the dump: one past the last state.
    std::vector<std::uint64_t> stream;
    /// Where the file does not tell (see `isPoolKnown`) the default pool.
    std::vector<trace::PoolId> pool;
    std::vector<StackId> stack; ///< What obtained it, else that of the final segment, else none.
    std::vector<std::uint8_t> traits; ///< Bits below.
    LiveIndex index; ///< Over the lifetimes.

    static constexpr std::uint8_t kSmallPool = 1;
    static constexpr std::uint8_t kExpandable = 2;
    static constexpr std::uint8_t kPoolKnown = 4;

    [[nodiscard]] std::size_t count() const
    {
        return address.size();
    }
    /// For requests up to 1 MiB. The file says so for final segments; of a segment that was freed
    /// it follows from the size (2 MiB), of unmapped pages from the range they touch, the
    /// allocation they were mapped for, or the page unit.
    [[nodiscard]] bool isSmallPool(std::size_t i) const
    {
        return (traits[i] & kSmallPool) != 0;
    }
    [[nodiscard]] bool isExpandable(std::size_t i) const
    {
        return (traits[i] & kExpandable) != 0;
    }
    /// False for what was given back during a trace without `pool_id`: no final segment shows which
    /// pool it belonged to.
    [[nodiscard]] bool isPoolKnown(std::size_t i) const
    {
        return (traits[i] & kPoolKnown) != 0;
    }
    [[nodiscard]] LiveIndex::Lifetimes lifetimes() const
    {
        return {begin, end};
    }
};

/// Finds the ranges by walking back from the final segments. An unmapping may hit the middle of a
/// range, and ranges obtained one by one may go together. What contradicts itself is noted in
/// `notes` with its first example and added to `violations`: memory obtained where some is already
/// (the earlier one is taken to end there), or given back where none was obtained since it was
/// given back before (taken to be obtained right after that), or final segments that overlap.
/// O(events + segment events · log ranges). Ends early, with what it has, when stopped.
SegmentSpans buildSegmentSpans(const trace::Device& device, trace::InputNotes& notes,
                               std::int64_t& violations, const std::stop_token& stop);

} // namespace tidemark::replay
