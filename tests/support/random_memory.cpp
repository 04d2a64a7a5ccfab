// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/random_memory.h"

#include <algorithm>
#include <iterator>

namespace tidemark::test {
namespace {

using trace::Action;

constexpr std::int64_t kUnitSmall = 2 << 20;
constexpr std::int64_t kUnitLarge = 20 << 20;
constexpr Address kSegmentsFrom = 0x7f0000000000;
constexpr Address kReservationsFrom = 0x100000000000;
constexpr Address kReservation = 0x10000000000;
constexpr int kUnitsOfReservation = 12;

Address endOf(Address address, Bytes size)
{
    return address + static_cast<Address>(size.value);
}

} // namespace

RandomMemory::RandomMemory(unsigned seed, std::size_t events, bool has_pool_ids)
    : m_random(seed)
    , m_has_pool_ids(has_pool_ids)
{
    m_states.push_back(m_now);
    while (m_events.size() < events) {
        switch (below(8)) {
        case 0:
        case 1:
        case 2:
        case 3:
            allocate();
            break;
        case 4:
        case 5:
            requestFree();
            break;
        case 6:
            completeFree();
            break;
        default:
            giveBack();
            break;
        }
    }
}

void RandomMemory::event(Action action, Address address, Bytes size, const Kind& kind)
{
    trace::EventRecord e;
    e.action = action;
    e.address = address;
    e.size = size;
    e.stream = kind.stream;
    if (m_has_pool_ids) {
        e.pool = kind.pool;
    }
    m_events.push_back(e);
    m_states.push_back(m_now);
}

void RandomMemory::allocate()
{
    Kind kind;
    kind.stream = below(3) * 16;
    kind.pool = below(4) == 0 ? trace::PoolId{0, 7} : trace::PoolId();
    kind.is_small = below(2) == 0;
    kind.is_expandable = below(2) == 0;
    const std::uint64_t most = kind.is_small ? 1U << 20 : 30U << 20;
    const std::uint64_t least = kind.is_small ? 1 : (1U << 20) + 1;
    const Bytes requested{static_cast<std::int64_t>(least + below(most - least))};
    while (!place(kind, requested)) {
        obtain(kind);
    }
}

/// At the first hole that is large enough; a large rest that is too small to be split off stays.
bool RandomMemory::place(const Kind& kind, Bytes requested)
{
    const Bytes rounded{(requested.value + 511) / 512 * 512};
    for (const TrueSegment& s : segmentsOf(m_now)) {
        if (s.piece.stream != kind.stream || s.piece.pool != kind.pool
            || s.piece.is_small != kind.is_small || s.piece.is_expandable != kind.is_expandable) {
            continue;
        }
        Address at = s.address;
        const Address end = endOf(s.address, s.piece.size);
        auto block = m_now.blocks.lower_bound(at);
        while (at < end) {
            const bool is_last = block == m_now.blocks.end() || block->first >= end;
            const Address until = is_last ? end : block->first;
            const Bytes gap{static_cast<std::int64_t>(until - at)};
            if (rounded <= gap) {
                const bool keeps_rest =
                    !kind.is_small && !kind.is_expandable && (gap - rounded).value <= 1 << 20;
                m_now.blocks[at] = {requested, keeps_rest ? gap : rounded, false, kind.stream};
                event(Action::alloc, at, requested, kind);
                return true;
            }
            if (is_last) {
                break;
            }
            at = endOf(block->first, block->second.size);
            ++block;
        }
    }
    return false;
}

void RandomMemory::obtain(const Kind& kind)
{
    const Bytes unit{kind.is_small ? kUnitSmall : kUnitLarge};
    if (!kind.is_expandable) {
        // Segments lie close together, and in places that were given back.
        const Bytes size{kind.is_small ? unit.value : unit.value * 2};
        Address at = kSegmentsFrom;
        for (const auto& [address, piece] : m_now.pieces) {
            if (address >= kSegmentsFrom && address < endOf(at, size)) {
                at = std::max(at, endOf(address, piece.size));
            }
        }
        m_now.pieces[at] = {size, kind.stream, kind.pool, kind.is_small, false, m_obtained++};
        event(Action::segment_alloc, at, size, kind);
        return;
    }
    // A few units at once, in the first reservation of this kind that has room, at its first gap.
    const auto first = static_cast<Address>((kind.stream / 16) * 4 + (kind.is_small ? 2 : 0)
                                            + (kind.pool.isPrivate() ? 1 : 0));
    for (Address base = kReservationsFrom + first * kReservation * 8;; base += kReservation) {
        Address at = base;
        while (m_now.pieces.contains(at)) {
            at = endOf(at, unit);
        }
        const Address limit = base + static_cast<Address>(kUnitsOfReservation * unit.value);
        const auto wanted = kind.is_small ? 1 + below(4) : 2 + below(3);
        Address end = at;
        while (end < limit && end < at + wanted * static_cast<Address>(unit.value)
               && !m_now.pieces.contains(end)) {
            m_now.pieces[end] = {unit, kind.stream, kind.pool, kind.is_small, true, m_obtained++};
            end = endOf(end, unit);
        }
        if (end > at) {
            event(Action::segment_map, at, {static_cast<std::int64_t>(end - at)}, kind);
            return;
        }
    }
}

void RandomMemory::requestFree()
{
    if (m_now.blocks.empty()) {
        return;
    }
    auto it =
        std::next(m_now.blocks.begin(), static_cast<std::ptrdiff_t>(below(m_now.blocks.size())));
    if (it->second.is_pending) {
        return;
    }
    it->second.is_pending = true;
    Kind kind;
    kind.stream = it->second.stream;
    kind.pool = std::prev(m_now.pieces.upper_bound(it->first))->second.pool;
    event(Action::free_requested, it->first, it->second.requested, kind);
    if (below(3) != 0) {
        const Address address = it->first;
        const Bytes requested = it->second.requested;
        m_now.blocks.erase(it);
        event(Action::free_completed, address, requested, kind);
    }
}

void RandomMemory::completeFree()
{
    const auto it = std::ranges::find_if(m_now.blocks,
                                         [](const auto& entry) { return entry.second.is_pending; });
    if (it == m_now.blocks.end()) {
        return;
    }
    Kind kind;
    kind.stream = it->second.stream;
    kind.pool = std::prev(m_now.pieces.upper_bound(it->first))->second.pool;
    const Address address = it->first;
    const Bytes requested = it->second.requested;
    m_now.blocks.erase(it);
    event(Action::free_completed, address, requested, kind);
}

/// A whole free segment, or units of an expandable one without any block.
void RandomMemory::giveBack()
{
    if (m_now.pieces.empty()) {
        return;
    }
    const auto start = static_cast<std::ptrdiff_t>(below(m_now.pieces.size()));
    auto it = std::next(m_now.pieces.begin(), start);
    const auto isFree = [&](Address address, const TrueMemory::Piece& piece) {
        const auto above = m_now.blocks.lower_bound(address);
        const bool begins_here =
            above != m_now.blocks.end() && above->first < endOf(address, piece.size);
        const bool reaches_in = above != m_now.blocks.begin()
            && endOf(std::prev(above)->first, std::prev(above)->second.size) > address;
        return !begins_here && !reaches_in;
    };
    if (!isFree(it->first, it->second)) {
        return;
    }
    const Address address = it->first;
    const TrueMemory::Piece first = it->second;
    const Kind kind{first.stream, first.pool, first.is_small, first.is_expandable};
    Address end = endOf(address, first.size);
    it = m_now.pieces.erase(it);
    // Up to eight, across whatever mappings they came from.
    std::uint64_t more = first.is_expandable ? below(8) : 0;
    while (more-- > 0 && it != m_now.pieces.end() && it->first == end && isFree(end, it->second)) {
        end = endOf(end, it->second.size);
        it = m_now.pieces.erase(it);
    }
    event(first.is_expandable ? Action::segment_unmap : Action::segment_free, address,
          {static_cast<std::int64_t>(end - address)}, kind);
}

std::vector<TrueSegment> segmentsOf(const TrueMemory& memory)
{
    std::vector<TrueSegment> segments;
    for (const auto& [address, piece] : memory.pieces) {
        const bool goes_on = !segments.empty() && piece.is_expandable
            && segments.back().piece.is_expandable
            && endOf(segments.back().address, segments.back().piece.size) == address;
        if (goes_on) {
            segments.back().piece.size += piece.size;
            segments.back().last_number = piece.number;
        } else {
            segments.push_back({address, piece, piece.number});
        }
    }
    return segments;
}

trace::Snapshot RandomMemory::snapshot(std::size_t lost) const
{
    return snapshotOf(m_states.back(),
                      {m_events.begin() + static_cast<std::ptrdiff_t>(lost), m_events.end()});
}

trace::Snapshot RandomMemory::snapshotOf(const TrueMemory& end,
                                         const std::vector<trace::EventRecord>& events)
{
    trace::SnapshotBuilder builder;
    builder.ensureDevice(0);
    for (const trace::EventRecord& e : events) {
        builder.addEvent(0, e);
    }
    for (const TrueSegment& s : segmentsOf(end)) {
        std::vector<trace::BlockRecord> blocks;
        Address at = s.address;
        const auto fill = [&](Address until) {
            if (at < until) {
                trace::BlockRecord hole;
                hole.address = at;
                hole.size = {static_cast<std::int64_t>(until - at)};
                blocks.push_back(hole);
            }
        };
        const Address segment_end = endOf(s.address, s.piece.size);
        for (auto it = end.blocks.lower_bound(s.address);
             it != end.blocks.end() && it->first < segment_end; ++it) {
            fill(it->first);
            trace::BlockRecord block;
            block.address = it->first;
            block.size = it->second.size;
            block.requested = it->second.requested;
            block.state = it->second.is_pending ? trace::BlockState::active_pending_free
                                                : trace::BlockState::active_allocated;
            blocks.push_back(block);
            at = endOf(it->first, it->second.size);
        }
        fill(segment_end);
        builder.addSegment({0,
                            s.address,
                            s.piece.size,
                            s.piece.stream,
                            s.piece.is_small,
                            s.piece.is_expandable,
                            s.piece.pool,
                            {}},
                           blocks);
    }
    return std::move(builder).finish().value();
}

} // namespace tidemark::test
