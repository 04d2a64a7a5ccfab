// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/core/allocator/slow_allocator.h"

#include <algorithm>
#include <cstdlib>

namespace tidemark::test {

using allocator::BlockUse;
using allocator::Home;
using allocator::Settings;

SlowAllocator::SlowAllocator(Settings settings, allocator::Driver& driver,
                             std::optional<std::int64_t> limit)
    : m_settings(std::move(settings))
    , m_driver(driver)
    , m_limit(limit)
{
}

std::int64_t SlowAllocator::reserved() const
{
    std::int64_t sum = 0;
    for (const Segment& segment : m_segments) {
        for (const Piece& piece : segment.pieces) {
            sum += piece.use == BlockUse::unmapped ? 0 : piece.size;
        }
    }
    return sum;
}

bool SlowAllocator::isPending(Address block) const
{
    return std::ranges::any_of(m_segments, [&](const Segment& segment) {
        return std::ranges::any_of(segment.pieces, [&](const Piece& piece) {
            return piece.address == block && piece.use == BlockUse::pending;
        });
    });
}

std::int64_t SlowAllocator::unitOf(const Home& home) const
{
    return home.is_small ? 2 << 20 : m_settings.large_segment;
}

std::vector<SlowAllocator::At> SlowAllocator::freeOf(const Home& home) const
{
    std::vector<At> all;
    for (std::size_t s = 0; s < m_segments.size(); ++s) {
        for (std::size_t p = 0; p < m_segments[s].pieces.size(); ++p) {
            if (m_segments[s].home == home && m_segments[s].pieces[p].use == BlockUse::free) {
                all.push_back({s, p});
            }
        }
    }
    std::ranges::stable_sort(all, {}, [&](At a) {
        const Segment& segment = m_segments[a.segment];
        const Piece& piece = segment.pieces[a.piece];
        const auto order = m_settings.tie_order;
        const std::int64_t age = order == allocator::TieOrder::segment_age ? segment.born
            : order == allocator::TieOrder::block_age                      ? piece.born
                                                                           : 0;
        return std::pair(piece.size, age);
    });
    return all;
}

std::int64_t SlowAllocator::growth(At place) const
{
    const auto& pieces = m_segments[place.segment].pieces;
    const bool grows =
        place.piece + 1 < pieces.size() && pieces[place.piece + 1].use == BlockUse::unmapped;
    return pieces[place.piece].size + (grows ? pieces[place.piece + 1].size : 0);
}

SlowAllocator::At SlowAllocator::locate(Address address) const
{
    for (std::size_t s = 0; s < m_segments.size(); ++s) {
        for (std::size_t p = 0; p < m_segments[s].pieces.size(); ++p) {
            if (m_segments[s].pieces[p].address == address) {
                return {s, p};
            }
        }
    }
    std::abort(); // No block there: the test itself is wrong.
}

/// Joins a piece with its neighbours of the same use.
SlowAllocator::At SlowAllocator::join(At place)
{
    auto& pieces = m_segments[place.segment].pieces;
    for (const int side : {0, 1}) {
        const std::size_t first = place.piece + static_cast<std::size_t>(side) - 1;
        if (first >= pieces.size() || first + 1 >= pieces.size()
            || pieces[first].use != pieces[first + 1].use) {
            continue;
        }
        pieces[first].size += pieces[first + 1].size;
        pieces[first].free_since = pieces[place.piece].free_since;
        pieces[first].born = pieces[place.piece].born;
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(first) + 1);
        place.piece = first;
    }
    return place;
}

std::optional<Address> SlowAllocator::allocate(std::int64_t requested, std::uint64_t stream,
                                               trace::PoolId pool)
{
    const std::int64_t size = m_settings.rounding()({requested}).value;
    const Home home{stream, pool, size <= 1 << 20};
    std::optional<At> found = find(home, size);
    if (!found && m_limit && m_settings.gc_threshold > 0) {
        collect();
    }
    found = found ? found : obtain(home, size);
    if (!found && m_is_limited && m_settings.throws_on_refusal) {
        return std::nullopt;
    }
    if (!found && m_settings.max_split != Settings::kUnlimited && releaseOversize(home, size)) {
        found = obtain(home, size);
    }
    if (!found) {
        emptyCache();
        found = obtain(home, size);
    }
    if (!found) {
        return std::nullopt;
    }
    const std::int64_t rest = at(*found).size - size;
    const bool splits = home.is_small || m_settings.expandable_segments
        ? rest >= 512
        : size < m_settings.max_split && rest > 1 << 20;
    at(*found).use = BlockUse::allocated;
    const Address address = at(*found).address;
    if (splits) {
        at(*found).size = size;
        auto& pieces = m_segments[found->segment].pieces;
        pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(found->piece) + 1,
                      {address + static_cast<Address>(size), rest, BlockUse::free,
                       m_searches[{pool, home.is_small}], at(*found).born});
        at(*found).born = ++m_born;
    }
    return address;
}

std::optional<SlowAllocator::At> SlowAllocator::find(const Home& home, std::int64_t size)
{
    ++m_searches[{home.pool, home.is_small}];
    std::vector<At> all = freeOf(home);
    std::erase_if(all, [&](At a) {
        return at(a).size < size
            || (!m_settings.expandable_segments && m_segments[a.segment].is_expandable);
    });
    std::size_t chosen = 0;
    while (m_settings.expandable_segments && chosen + 1 < all.size()
           && m_segments[all[chosen].segment].is_expandable
           && growth(all[chosen + 1]) < growth(all[chosen])) {
        ++chosen;
    }
    if (all.empty()) {
        return std::nullopt;
    }
    const std::int64_t block = at(all[chosen]).size;
    const bool is_oversize = size >= m_settings.max_split;
    const bool fits = is_oversize ? block < size + m_settings.max_non_split_rounding
                                  : block < m_settings.max_split;
    return fits ? std::optional(all[chosen]) : std::nullopt;
}

std::optional<SlowAllocator::At> SlowAllocator::obtain(const Home& home, std::int64_t size)
{
    const std::int64_t mib = 1 << 20;
    const std::int64_t wanted = size <= mib ? 2 * mib
        : size < 10 * mib                   ? m_settings.large_segment
                                            : (size + 2 * mib - 1) / (2 * mib) * (2 * mib);
    m_is_limited = m_limit && reserved() + wanted > *m_limit;
    if (m_is_limited) {
        return std::nullopt;
    }
    if (m_settings.expandable_segments) {
        return obtainExpandable(home, size);
    }
    const auto address = m_driver.allocate({wanted}, home);
    if (!address) {
        return std::nullopt;
    }
    ++m_born;
    m_segments.push_back({home, false, {{*address, wanted, BlockUse::free, 0, m_born}}, m_born});
    std::ranges::sort(m_segments, {}, [](const Segment& s) { return s.pieces[0].address; });
    return locate(*address);
}

/// Where a stretch of free and unmapped pieces with enough room begins: at the lowest unmapped
/// piece, or at the free one right before it.
std::optional<Address> SlowAllocator::roomFor(const Home& home, std::int64_t size)
{
    for (const Segment& segment : m_segments) {
        for (std::size_t p = 0; segment.home == home && p < segment.pieces.size(); ++p) {
            if (segment.pieces[p].use != BlockUse::unmapped) {
                continue;
            }
            const std::size_t first =
                p > 0 && segment.pieces[p - 1].use == BlockUse::free ? p - 1 : p;
            std::int64_t room = 0;
            for (std::size_t q = first; q < segment.pieces.size()
                 && (segment.pieces[q].use == BlockUse::free
                     || segment.pieces[q].use == BlockUse::unmapped);
                 ++q) {
                room += segment.pieces[q].size;
            }
            if (room >= size) {
                return segment.pieces[first].address;
            }
        }
    }
    return std::nullopt;
}

std::optional<SlowAllocator::At> SlowAllocator::obtainExpandable(const Home& home,
                                                                 std::int64_t size)
{
    std::optional<Address> address = roomFor(home, size);
    if (!address) {
        const Interval<Address> range = m_driver.reserve({unitOf(home)}, home);
        const auto bytes = static_cast<std::int64_t>(range.end - range.begin);
        m_segments.push_back({home, true, {{range.begin, bytes, BlockUse::unmapped, 0}}});
        std::ranges::sort(m_segments, {}, [](const Segment& s) { return s.pieces[0].address; });
        address = range.begin;
    }
    const Piece& first = at(locate(*address));
    if (first.use == BlockUse::unmapped && !mapAt(*address, std::min(first.size, size))) {
        return std::nullopt;
    }
    for (;;) {
        // What is mapped may have joined a free piece before it.
        At place{};
        for (const At a : freeOf(home)) {
            const Piece& piece = at(a);
            if (piece.address <= *address
                && *address < piece.address + static_cast<Address>(piece.size)) {
                place = a;
            }
        }
        const Piece& piece = at(place);
        if (piece.size >= size) {
            return place;
        }
        const Piece next = m_segments[place.segment].pieces[place.piece + 1];
        if (!mapAt(next.address, std::min(size - piece.size, next.size))) {
            return std::nullopt;
        }
    }
}

bool SlowAllocator::mapAt(Address address, std::int64_t size)
{
    const At place = locate(address);
    const Home home = m_segments[place.segment].home;
    const std::int64_t unit = unitOf(home);
    const std::int64_t mapped = std::min((size + unit - 1) / unit * unit, at(place).size);
    if (!m_driver.map(address, {mapped}, home)) {
        return false;
    }
    const Piece whole = at(place);
    auto& pieces = m_segments[place.segment].pieces;
    pieces[place.piece] = {address, mapped, BlockUse::free, m_searches[{home.pool, home.is_small}]};
    if (mapped < whole.size) {
        pieces.insert(
            pieces.begin() + static_cast<std::ptrdiff_t>(place.piece) + 1,
            {address + static_cast<Address>(mapped), whole.size - mapped, BlockUse::unmapped, 0});
    }
    join(place);
    return true;
}

void SlowAllocator::requestFree(Address block)
{
    at(locate(block)).use = BlockUse::pending;
}

void SlowAllocator::completeFree(Address block)
{
    const At place = locate(block);
    const Home& home = m_segments[place.segment].home;
    at(place).use = BlockUse::free;
    at(place).free_since = m_searches[{home.pool, home.is_small}];
    join(place);
}

void SlowAllocator::releaseWhole(Address address)
{
    const At place = locate(address);
    m_driver.release(address, {at(place).size});
    m_segments.erase(m_segments.begin() + static_cast<std::ptrdiff_t>(place.segment));
}

void SlowAllocator::unmap(Address address)
{
    const At place = locate(address);
    auto& pieces = m_segments[place.segment].pieces;
    const auto unit = static_cast<Address>(unitOf(m_segments[place.segment].home));
    const Address base = pieces[0].address;
    const Piece piece = at(place);
    const Address end = piece.address + static_cast<Address>(piece.size);
    Address from = piece.address;
    while ((from - base) % unit != 0) {
        from += 512;
    }
    Address until = from;
    while (until + unit <= end) {
        until += unit;
    }
    if (from > end || from == until) {
        return;
    }
    std::vector<Piece> parts;
    const auto part = [&](Address begin, Address behind, BlockUse use) {
        if (begin < behind) {
            parts.push_back(
                {begin, static_cast<std::int64_t>(behind - begin), use, piece.free_since});
        }
    };
    part(piece.address, from, BlockUse::free);
    part(from, until, BlockUse::unmapped);
    part(until, end, BlockUse::free);
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(place.piece));
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(place.piece), parts.begin(),
                  parts.end());
    join(locate(from));
    m_driver.release(from, {static_cast<std::int64_t>(until - from)});
}

void SlowAllocator::releaseAll(trace::PoolId pool, bool is_small)
{
    std::vector<Address> whole;
    std::vector<Address> growing;
    for (const Segment& segment : m_segments) {
        if (segment.home.pool != pool || segment.home.is_small != is_small) {
            continue;
        }
        for (const Piece& piece : segment.pieces) {
            if (piece.use == BlockUse::free && segment.is_expandable) {
                growing.push_back(piece.address);
            } else if (piece.use == BlockUse::free && segment.pieces.size() == 1) {
                whole.push_back(piece.address);
            }
        }
    }
    std::ranges::for_each(whole, [&](Address a) { releaseWhole(a); });
    std::ranges::for_each(growing, [&](Address a) { unmap(a); });
}

void SlowAllocator::emptyCache()
{
    std::vector<Address> pending;
    for (const Segment& segment : m_segments) {
        for (const Piece& piece : segment.pieces) {
            if (piece.use == BlockUse::pending) {
                pending.push_back(piece.address);
            }
        }
    }
    std::ranges::for_each(pending, [&](Address a) { completeFree(a); });
    releaseAll({}, false);
    releaseAll({}, true);
}

void SlowAllocator::releasePool(trace::PoolId pool)
{
    releaseAll(pool, true);
    releaseAll(pool, false);
}

bool SlowAllocator::releaseOversize(const Home& home, std::int64_t size)
{
    const std::int64_t wanted = std::max(size, m_settings.max_split);
    std::vector<Address> smaller; // Largest first.
    for (const At a : freeOf(home)) {
        if (m_segments[a.segment].pieces.size() > 1) {
            continue;
        }
        if (at(a).size >= wanted) {
            releaseWhole(at(a).address);
            return true;
        }
        if (at(a).size >= m_settings.max_split) {
            smaller.insert(smaller.begin(), at(a).address);
        }
    }
    std::int64_t released = 0;
    for (const Address a : smaller) {
        if (released < wanted) {
            released += at(locate(a)).size;
            releaseWhole(a);
        }
    }
    return released >= wanted;
}

void SlowAllocator::collect()
{
    const auto allowed =
        static_cast<std::int64_t>(m_settings.gc_threshold * static_cast<double>(*m_limit));
    std::int64_t wanted = reserved() - allowed;
    bool goes_on = wanted > 0;
    while (goes_on && wanted > 0) {
        const std::int64_t now = m_searches[{trace::PoolId(), false}];
        std::vector<std::pair<Address, std::int64_t>> ages;
        for (const Segment& segment : m_segments) {
            const Piece& piece = segment.pieces[0];
            if (!segment.is_expandable && !segment.home.pool.isPrivate() && !segment.home.is_small
                && segment.pieces.size() == 1 && piece.use == BlockUse::free) {
                ages.emplace_back(piece.address, now - piece.free_since);
            }
        }
        std::int64_t total = 0;
        for (const auto& [address, age] : ages) {
            total += age;
        }
        goes_on = false;
        for (const auto& [address, age] : ages) {
            if (age * static_cast<std::int64_t>(ages.size()) >= total) {
                wanted -= at(locate(address)).size;
                releaseWhole(address);
                goes_on = true;
            }
        }
    }
}

} // namespace tidemark::test
