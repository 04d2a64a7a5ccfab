// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/memory_state.h"

#include "core/base/language.h"
#include "core/replay/hole_sweep.h"
#include "core/replay/range_map.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace tidemark::replay {
namespace {

/// States are laid out one by one until so many times as much was laid out as ever lived; then a
/// sweep over the others, which looks at all of that, takes less.
constexpr std::size_t kWorth = 4;

Address endOf(const SegmentState& s)
{
    return s.address + static_cast<Address>(s.size.value);
}

bool continues(const SegmentState& below, const SegmentState& s)
{
    return below.is_expandable && s.is_expandable && endOf(below) == s.address
        && below.stream == s.stream && below.pool == s.pool
        && below.is_pool_known == s.is_pool_known && below.is_small_pool == s.is_small_pool;
}

/// `live`: becomes the ranges that they are made of.
std::vector<SegmentState> segmentsAt(const SegmentSpans& spans, StateId state,
                                     std::vector<std::uint32_t>& live)
{
    spans.index.liveAt(spans.lifetimes(), state, live);
    std::ranges::sort(live, {}, [&](std::uint32_t i) { return spans.address[i]; });
    std::vector<SegmentState> segments;
    for (const std::uint32_t i : live) {
        SegmentState s;
        s.address = spans.address[i];
        s.size = spans.size[i];
        s.stream = spans.stream[i];
        s.pool = spans.pool[i];
        s.is_pool_known = spans.isPoolKnown(i);
        s.is_small_pool = spans.isSmallPool(i);
        s.is_expandable = spans.isExpandable(i);
        s.stack = spans.stack[i];
        // Of an expandable segment that was cut apart the parts were one segment before.
        if (!segments.empty() && continues(segments.back(), s)) {
            segments.back().size += s.size;
        } else {
            segments.push_back(s);
        }
    }
    return segments;
}

bool isPending(const DeviceReplay& replay, AllocationId a, StateId state)
{
    const EventId request = replay.allocations.free_requested_event[a.index()];
    if (!request.isNone()) {
        return StateId::after(request) <= state;
    }
    const auto known =
        std::ranges::lower_bound(replay.pending_without_request, a, {}, &PendingSince::allocation);
    return known != replay.pending_without_request.end() && known->allocation == a
        && known->since <= state;
}

/// Lays the live allocations into the segments and collects what is left between them.
class Layout {
public:
    Layout(const DeviceReplay& replay, const BlockSizes& sizes, MemoryState& memory)
        : m_replay(replay)
        , m_sizes(sizes)
        , m_memory(memory)
    {
        for (const AllocationId a : livingAt(replay, memory.state)) {
            m_live.emplace_back(replay.allocations.address[a.index()], a);
        }
        std::ranges::sort(m_live);
    }

    void fill()
    {
        m_memory.blocks.reserve(m_live.size());
        auto next = m_live.begin();
        for (SegmentState& s : m_memory.segments) {
            for (; next != m_live.end() && next->first < s.address; ++next) {
                m_memory.outside.push_back(next->second);
            }
            begin(s);
            for (; next != m_live.end() && next->first < endOf(s); ++next) {
                addBlock(s, next->first, next->second);
            }
            finish(s);
        }
        for (; next != m_live.end(); ++next) {
            m_memory.outside.push_back(next->second);
        }
    }

private:
    void begin(SegmentState& s)
    {
        s.first_block = static_cast<std::uint32_t>(m_memory.blocks.size());
        s.first_hole = static_cast<std::uint32_t>(m_memory.holes.size());
        m_at = s.address;
    }

    void addBlock(const SegmentState& s, Address address, AllocationId a)
    {
        closeGap(s, address, a);
        m_at = rangeOf(address, m_sizes.lower[a.index()]).end;
        const Bytes size{static_cast<std::int64_t>(m_at - address)};
        m_memory.blocks.push_back(
            {a, address, size, m_sizes.isExact(a), isPending(m_replay, a, m_memory.state)});
    }

    /// From where the last block ends to `until`, where `behind` lies or the segment ends.
    void closeGap(const SegmentState& s, Address until, AllocationId behind)
    {
        const bool has_block = m_memory.blocks.size() > s.first_block;
        const AllocationId before =
            has_block ? m_memory.blocks.back().allocation : AllocationId::none();
        if (until < m_at) {
            BlockInState& last = m_memory.blocks.back();
            last.size = {static_cast<std::int64_t>(until - last.address)};
            last.is_exact = false;
            ++m_memory.clipped;
            return;
        }
        const Bytes gap{static_cast<std::int64_t>(until - m_at)};
        const bool is_unsplit = has_block && !m_memory.blocks.back().is_exact && !s.is_small_pool
            && !s.is_expandable && gap.value <= kSmallSize;
        if (is_unsplit || (has_block && gap == Bytes{})) {
            m_memory.blocks.back().size += gap;
            m_memory.blocks.back().is_exact = true;
        } else if (gap > Bytes{}) {
            m_memory.holes.push_back({m_at, gap, before, behind});
        }
    }

    void finish(SegmentState& s)
    {
        closeGap(s, endOf(s), AllocationId::none());
        s.block_count = static_cast<std::uint32_t>(m_memory.blocks.size()) - s.first_block;
        s.hole_count = static_cast<std::uint32_t>(m_memory.holes.size()) - s.first_hole;
        for (const BlockInState& b : m_memory.blocksOf(s)) {
            s.active += b.size;
            s.pending += b.is_pending ? b.size : Bytes{};
        }
        for (const Hole& hole : m_memory.holesOf(s)) {
            s.largest_hole = std::max(s.largest_hole, hole.size);
        }
    }

    const DeviceReplay& m_replay;
    const BlockSizes& m_sizes;
    MemoryState& m_memory;
    std::vector<std::pair<Address, AllocationId>> m_live;
    Address m_at = 0; ///< End of the last block, else the segment's begin.
};

void add(const SegmentState& s, PoolTotals& totals)
{
    totals.reserved += s.size;
    totals.active += s.active;
    totals.pending += s.pending;
    totals.free += s.free();
    totals.largest_hole = std::max(totals.largest_hole, s.largest_hole);
    ++totals.segments;
    totals.blocks += s.block_count;
    totals.holes += s.hole_count;
}

template <class Of>
auto poolKey(const Of& of)
{
    return std::tuple(of.pool, !of.is_pool_known, !of.is_small_pool, of.stream);
}

void sumPools(MemoryState& memory)
{
    std::vector<std::uint32_t> order(memory.segments.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return poolKey(memory.segments[i]); });
    std::vector<PoolTotals>& pools = memory.pools;
    for (const std::uint32_t i : order) {
        SegmentState& s = memory.segments[i];
        if (pools.empty() || poolKey(pools.back()) != poolKey(s)) {
            PoolTotals& totals = pools.emplace_back();
            totals.pool = s.pool;
            totals.is_pool_known = s.is_pool_known;
            totals.is_small_pool = s.is_small_pool;
            totals.stream = s.stream;
        }
        s.totals = static_cast<std::uint32_t>(pools.size() - 1);
        add(s, pools.back());
        add(s, memory.total);
    }
}

/// `ranges`: becomes those of the segments.
MemoryState layOut(const DeviceReplay& replay, const BlockSizes& sizes, StateId state,
                   std::vector<std::uint32_t>& ranges)
{
    MemoryState memory;
    memory.state = state;
    memory.segments = segmentsAt(replay.segments, state, ranges);
    Layout(replay, sizes, memory).fill();
    sumPools(memory);
    return memory;
}

} // namespace

MemoryState memoryStateAt(const DeviceReplay& replay, const BlockSizes& sizes, StateId state)
{
    std::vector<std::uint32_t> ranges;
    return layOut(replay, sizes, state, ranges);
}

Bytes largestUsableHole(const MemoryState& memory, Bytes rounded, std::uint64_t stream)
{
    Bytes largest;
    const bool small = rounded.value <= kSmallSize;
    for (const PoolTotals& pool : memory.pools) {
        if (pool.is_small_pool == small && pool.stream == stream && !pool.pool.isPrivate()) {
            largest = std::max(largest, pool.largest_hole);
        }
    }
    return largest;
}

Fragmentation fragmentationOf(const MemoryState& memory)
{
    Fragmentation result;
    for (const PoolTotals& pool : memory.pools) {
        if (!pool.pool.isPrivate()) {
            result.free += pool.free;
            result.largest_hole = std::max(result.largest_hole, pool.largest_hole);
        }
    }
    return result;
}

Result<std::vector<Fragmentation>> fragmentationOver(const DeviceReplay& replay,
                                                     const BlockSizes& sizes,
                                                     std::span<const StateId> states,
                                                     ProgressSink& progress, std::stop_token stop)
{
    const Error cancelled{
        ErrorCode::cancelled, say("Measuring the fragmentation was cancelled."), {}};
    const StagePart part{progress, stop, "measuring fragmentation"};
    const std::size_t enough = kWorth * (replay.allocations.count() + replay.segments.count());
    std::size_t laid_out = 0;
    std::vector<std::uint32_t> ranges;
    std::vector<Fragmentation> all;
    all.reserve(states.size());
    while (all.size() < states.size() && laid_out <= enough) {
        if (!part.goesOn(all.size(), states.size())) {
            return cancelled;
        }
        const MemoryState memory = layOut(replay, sizes, states[all.size()], ranges);
        laid_out += memory.blocks.size() + memory.outside.size() + ranges.size();
        all.push_back(fragmentationOf(memory));
    }
    const std::span<const StateId> rest = states.subspan(all.size());
    if (rest.empty()) {
        return all;
    }
    std::vector<StateId> ascending(rest.begin(), rest.end());
    std::ranges::sort(ascending);
    ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
    const std::vector<Fragmentation> swept = sweepHoles(replay, sizes, ascending, part);
    if (swept.empty()) {
        return cancelled;
    }
    for (const StateId state : rest) {
        const auto at = std::ranges::lower_bound(ascending, state);
        all.push_back(swept[static_cast<std::size_t>(at - ascending.begin())]);
    }
    return all;
}

} // namespace tidemark::replay
