// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/allocator/player.h"

#include "core/base/column.h"
#include "core/replay/changes.h"

#include <algorithm>
#include <set>

namespace tidemark::allocator {

Player::Player(const trace::Events& events, const replay::DeviceReplay& replay,
               CachingAllocator& allocator)
    : m_events(events)
    , m_replay(replay)
    , m_allocator(allocator)
{
    assignColumn(m_blocks, replay.allocations.count(), BlockId::none());
}

void Player::adopt(std::span<const StartSegment> segments)
{
    for (const StartSegment& segment : segments) {
        const std::vector<BlockId> ids = m_allocator.adopt(segment.view);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const AllocationId a = segment.allocations[i];
            if (a.isNone()) {
                continue;
            }
            m_blocks[a.index()] = ids[i];
            if (segment.view.blocks[i].use == BlockUse::pending) {
                m_pending.emplace(a, m_allocator.counts().waits);
            }
        }
    }
}

bool Player::requestAnew()
{
    const std::size_t count = replay::countAtStart(m_replay.allocations);
    for (std::size_t i = 0; i < count; ++i) {
        if (!allocate(AllocationId(i))) {
            return false;
        }
    }
    for (const replay::PendingSince& pending : m_replay.pending_without_request) {
        if (pending.since == StateId::start()) {
            requestFree(pending.allocation);
        }
    }
    return true;
}

bool Player::play(const Operation& operation)
{
    switch (operation.step) {
    case Step::allocate:
        return allocate(operation.allocation);
    case Step::request_free:
        requestFree(operation.allocation);
        return true;
    case Step::complete_free:
        completeFree(operation.allocation);
        return true;
    case Step::empty_cache:
        m_allocator.emptyCache();
        return true;
    case Step::release_pool:
        releasePools(operation.event);
        return true;
    case Step::failed_request:
        return tryFailed(operation.event);
    }
    return true;
}

bool Player::allocate(AllocationId a)
{
    const replay::Allocations& all = m_replay.allocations;
    const std::size_t i = a.index();
    const trace::PoolId pool = all.pool.empty() ? trace::PoolId() : all.pool[i];
    const Bytes size{std::max<std::int64_t>(all.requested[i].value, 1)};
    m_blocks[i] = m_allocator.allocate({size, all.stream[i], pool, false});
    return !m_blocks[i].isNone();
}

void Player::requestFree(AllocationId a)
{
    const BlockId block = m_blocks[a.index()];
    if (!block.isNone()) {
        m_allocator.requestFree(block);
        m_pending.insert_or_assign(a, m_allocator.counts().waits);
    }
}

void Player::completeFree(AllocationId a)
{
    BlockId& block = m_blocks[a.index()];
    if (block.isNone()) {
        return;
    }
    const auto pending = m_pending.empty() ? m_pending.end() : m_pending.find(a);
    const bool is_done =
        pending != m_pending.end() && pending->second != m_allocator.counts().waits;
    if (pending != m_pending.end()) {
        m_pending.erase(pending);
    }
    if (!is_done) {
        m_allocator.completeFree(block);
    }
    block = BlockId::none();
}

bool Player::tryFailed(EventId e)
{
    const std::size_t i = e.index();
    const trace::PoolId pool = m_events.pool.empty() ? trace::PoolId() : m_events.pool[i];
    const BlockId block = m_allocator.allocate({m_events.size[i], m_events.stream[i], pool, true});
    if (block.isNone()) {
        return false;
    }
    m_held_with_failed = m_allocator.reserved() - m_allocator.releasable();
    m_allocator.completeFree(block);
    return true;
}

/// The private pools of which the run of releases that begins at `e` gave memory back.
void Player::releasePools(EventId e)
{
    if (!m_private_ends) {
        const replay::SegmentSpans& spans = m_replay.segments;
        m_private_ends.emplace();
        for (std::size_t k = 0; k < spans.count(); ++k) {
            if (spans.pool[k].isPrivate()) {
                m_private_ends->emplace_back(spans.end[k], spans.pool[k]);
            }
        }
        std::ranges::sort(*m_private_ends);
    }
    std::uint32_t last = e.value;
    while (last < m_events.count()
           && (m_events.action[last] == trace::Action::segment_free
               || m_events.action[last] == trace::Action::segment_unmap)) {
        ++last;
    }
    std::set<trace::PoolId> pools;
    auto it = std::ranges::upper_bound(*m_private_ends, StateId::before(e), {},
                                       &std::pair<StateId, trace::PoolId>::first);
    for (; it != m_private_ends->end() && it->first.value <= last; ++it) {
        pools.insert(it->second);
    }
    for (const trace::PoolId pool : pools) {
        m_allocator.releasePool(pool);
    }
}

} // namespace tidemark::allocator
