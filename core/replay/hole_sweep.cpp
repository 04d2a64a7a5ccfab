// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/hole_sweep.h"

#include "core/replay/range_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace tidemark::replay {
namespace {

/// Free stretches: how much in all, and the largest.
struct Holes {
    std::int64_t sum = 0;
    std::int64_t largest = 0;

    void add(std::int64_t hole)
    {
        sum += hole;
        largest = std::max(largest, hole);
    }
    void add(const Holes& other)
    {
        sum += other.sum;
        largest = std::max(largest, other.largest);
    }
};

/// Whether a small rest behind a block of a segment is a hole (small pools and expandable segments
/// split off everything) or may belong to the block.
enum class Rest : std::uint8_t { hole, unsplit };
constexpr std::size_t kRests = 2;

constexpr std::uint32_t kNobody = 0xffffffff;

/// Neighbouring live blocks: the first and the last, and the holes between them.
struct BlockRange {
    std::uint32_t first = kNobody;
    std::uint32_t last = kNobody;
    std::array<Holes, kRests> holes;
};

/// The blocks that live in any of the states, by address, as a tree of stretches over those that
/// live at the moment. Turning one on or off and asking for a range: O(log blocks).
class BlockTree {
public:
    BlockTree(const DeviceReplay& replay, const BlockSizes& sizes, std::vector<std::uint32_t> seen)
        : m_address(replay.allocations.address)
        , m_sizes(sizes)
        , m_seen(std::move(seen))
        , m_leaves(std::bit_ceil(std::max<std::size_t>(1, m_seen.size())))
        , m_tree(2 * m_leaves)
    {
        std::ranges::sort(m_seen, {}, [&](std::uint32_t a) { return std::pair(m_address[a], a); });
    }

    void set(std::uint32_t allocation, bool is_live)
    {
        const auto at =
            std::ranges::lower_bound(m_seen, std::pair(m_address[allocation], allocation), {},
                                     [&](std::uint32_t a) { return std::pair(m_address[a], a); });
        std::size_t node = m_leaves + static_cast<std::size_t>(at - m_seen.begin());
        m_tree[node].first = m_tree[node].last = is_live ? allocation : kNobody;
        for (node /= 2; node > 0; node /= 2) {
            m_tree[node] = joined(m_tree[2 * node], m_tree[2 * node + 1]);
        }
    }

    /// Holes of a segment that takes `range`.
    [[nodiscard]] Holes holesIn(Interval<Address> range, Rest rest) const
    {
        const BlockRange blocks = blocksIn(range);
        Holes holes;
        if (blocks.first == kNobody) {
            holes.add(static_cast<std::int64_t>(range.end - range.begin));
            return holes;
        }
        holes = blocks.holes[static_cast<std::size_t>(rest)];
        holes.add(static_cast<std::int64_t>(m_address[blocks.first] - range.begin));
        holes.add(behind(blocks.last, range.end, rest));
        return holes;
    }

private:
    /// What is free between a block and the next one, or the segment's end.
    [[nodiscard]] std::int64_t behind(std::uint32_t block, Address until, Rest rest) const
    {
        const Address end = rangeOf(m_address[block], m_sizes.lower[block]).end;
        if (until <= end) {
            return 0;
        }
        const auto gap = static_cast<std::int64_t>(until - end);
        const bool may_be_its =
            rest == Rest::unsplit && gap <= kSmallSize && !m_sizes.isExact(AllocationId(block));
        return may_be_its ? 0 : gap;
    }

    [[nodiscard]] BlockRange joined(const BlockRange& left, const BlockRange& right) const
    {
        if (left.first == kNobody || right.first == kNobody) {
            return left.first == kNobody ? right : left;
        }
        BlockRange both{left.first, right.last, left.holes};
        for (std::size_t i = 0; i < kRests; ++i) {
            both.holes[i].add(right.holes[i]);
            both.holes[i].add(behind(left.last, m_address[right.first], static_cast<Rest>(i)));
        }
        return both;
    }

    [[nodiscard]] BlockRange blocksIn(Interval<Address> range) const
    {
        const auto leafOf = [&](Address address) {
            const auto at = std::ranges::lower_bound(m_seen, address, {},
                                                     [&](std::uint32_t a) { return m_address[a]; });
            return m_leaves + static_cast<std::size_t>(at - m_seen.begin());
        };
        BlockRange left;
        BlockRange right;
        std::size_t begin = leafOf(range.begin);
        std::size_t end = leafOf(range.end);
        for (; begin < end; begin /= 2, end /= 2) {
            if (begin % 2 == 1) {
                left = joined(left, m_tree[begin++]);
            }
            if (end % 2 == 1) {
                right = joined(m_tree[--end], right);
            }
        }
        return joined(left, right);
    }

    const std::vector<Address>& m_address;
    const BlockSizes& m_sizes;
    std::vector<std::uint32_t> m_seen; ///< Allocations, by address.
    std::size_t m_leaves;
    std::vector<BlockRange> m_tree;
};

/// The segments of a state, where pages of one expandable segment that touch are one.
class LiveSegments {
public:
    LiveSegments(const SegmentSpans& spans, BlockTree& blocks)
        : m_spans(spans)
        , m_blocks(blocks)
    {
    }

    void set(std::uint32_t span, bool is_live)
    {
        const Interval<Address> range = rangeOf(m_spans.address[span], m_spans.size[span]);
        if (range.isEmpty()) {
            return;
        }
        if (is_live) {
            add(span, range);
        } else {
            remove(range);
        }
    }

    /// A block at this address came or went.
    void touch(Address address)
    {
        const auto it = around(address);
        if (it != m_segments.end()) {
            touch(it->first, it->second);
        }
    }

    [[nodiscard]] Fragmentation fragmentation()
    {
        for (const Address begin : m_touched) {
            const auto it = m_segments.find(begin);
            if (it == m_segments.end() || !it->second.is_touched) {
                continue;
            }
            Segment& s = it->second;
            s.is_touched = false;
            s.holes = m_blocks.holesIn({begin, s.end}, restOf(s.span));
            count(s, 1);
        }
        m_touched.clear();
        const Kind& small = m_kinds[1];
        const Kind& large = m_kinds[0];
        Fragmentation result;
        result.free = {small.sum + large.sum};
        result.largest_hole = {std::max(small.largestHole(), large.largestHole())};
        return result;
    }

private:
    struct Segment {
        Address end = 0;
        std::uint32_t span = 0; ///< One that is a part of it: they are all alike.
        Holes holes;
        bool is_touched = false; ///< `holes` is to be found anew, and counts nowhere.
    };
    struct Kind {
        std::int64_t sum = 0;
        std::multiset<std::int64_t> largest; ///< Of each segment.

        [[nodiscard]] std::int64_t largestHole() const
        {
            return largest.empty() ? 0 : *largest.rbegin();
        }
    };
    using Segments = std::map<Address, Segment>;

    [[nodiscard]] Rest restOf(std::uint32_t span) const
    {
        return m_spans.isSmallPool(span) || m_spans.isExpandable(span) ? Rest::hole : Rest::unsplit;
    }
    [[nodiscard]] bool continues(const Segment& below, Address at, std::uint32_t span) const
    {
        const auto home = [&](std::uint32_t i) {
            return std::tuple(m_spans.stream[i], m_spans.pool[i], m_spans.isPoolKnown(i),
                              m_spans.isSmallPool(i));
        };
        return below.end == at && m_spans.isExpandable(below.span) && m_spans.isExpandable(span)
            && home(below.span) == home(span);
    }
    [[nodiscard]] Segments::iterator around(Address address)
    {
        auto it = m_segments.upper_bound(address);
        if (it == m_segments.begin()) {
            return m_segments.end();
        }
        --it;
        return address < it->second.end ? it : m_segments.end();
    }

    void add(std::uint32_t span, Interval<Address> range)
    {
        auto above = m_segments.lower_bound(range.begin);
        Segment made{range.end, span, {}, false};
        if (above != m_segments.end() && above->first == range.end
            && continues(made, above->first, above->second.span)) {
            made.end = above->second.end;
            above = drop(above);
        }
        if (above != m_segments.begin()) {
            const auto below = std::prev(above);
            if (continues(below->second, range.begin, span)) {
                range.begin = below->first;
                drop(below);
            }
        }
        put(range.begin, made);
    }

    void remove(Interval<Address> range)
    {
        const auto it = around(range.begin);
        if (it == m_segments.end()) {
            return;
        }
        const Interval<Address> whole{it->first, it->second.end};
        const Segment old = it->second;
        drop(it);
        if (whole.begin < range.begin) {
            put(whole.begin, {range.begin, old.span, {}, false});
        }
        if (range.end < whole.end) {
            put(range.end, {whole.end, old.span, {}, false});
        }
    }

    void put(Address begin, const Segment& segment)
    {
        touch(begin, m_segments.insert_or_assign(begin, segment).first->second, false);
    }

    Segments::iterator drop(Segments::iterator it)
    {
        if (!it->second.is_touched) {
            count(it->second, -1);
        }
        return m_segments.erase(it);
    }

    void touch(Address begin, Segment& segment, bool is_counted = true)
    {
        if (segment.is_touched) {
            return;
        }
        if (is_counted) {
            count(segment, -1);
        }
        segment.is_touched = true;
        m_touched.push_back(begin);
    }

    void count(const Segment& segment, int sign)
    {
        if (m_spans.pool[segment.span].isPrivate()) {
            return;
        }
        Kind& kind = m_kinds[m_spans.isSmallPool(segment.span) ? 1 : 0];
        kind.sum += sign * segment.holes.sum;
        if (sign > 0) {
            kind.largest.insert(segment.holes.largest);
        } else {
            kind.largest.erase(kind.largest.find(segment.holes.largest));
        }
    }

    const SegmentSpans& m_spans;
    BlockTree& m_blocks;
    Segments m_segments; ///< By begin.
    std::vector<Address> m_touched; ///< Begins; some segments may be gone or others since.
    std::array<Kind, 2> m_kinds; ///< Large, small.
};

/// Something that is there in some of the states comes or goes.
struct Turn {
    std::uint32_t at = 0; ///< The first of the states with it, or without it again.
    std::uint32_t item = 0;
    bool is_there = false;
};

/// By state, what goes first. O(items log states).
std::vector<Turn> turnsOf(LiveIndex::Lifetimes all, std::span<const StateId> states)
{
    const auto firstFrom = [&](StateId state) {
        return static_cast<std::uint32_t>(std::ranges::lower_bound(states, state) - states.begin());
    };
    std::vector<Turn> turns;
    for (std::uint32_t item = 0; item < all.begin.size(); ++item) {
        const std::uint32_t on = firstFrom(all.begin[item]);
        const std::uint32_t off = firstFrom(all.end[item]);
        if (on < off) {
            turns.push_back({on, item, true});
            if (off < states.size()) {
                turns.push_back({off, item, false});
            }
        }
    }
    std::ranges::sort(turns, {},
                      [](const Turn& t) { return std::tuple(t.at, t.is_there, t.item); });
    return turns;
}

std::vector<std::uint32_t> seenIn(std::span<const Turn> turns)
{
    std::vector<std::uint32_t> seen;
    for (const Turn& turn : turns) {
        if (turn.is_there) {
            seen.push_back(turn.item);
        }
    }
    return seen;
}

} // namespace

std::vector<Fragmentation> sweepHoles(const DeviceReplay& replay, const BlockSizes& sizes,
                                      std::span<const StateId> states, const StagePart& part)
{
    const std::vector<Turn> of_blocks = turnsOf(replay.allocations.lifetimes(), states);
    const std::vector<Turn> of_spans = turnsOf(replay.segments.lifetimes(), states);
    BlockTree blocks(replay, sizes, seenIn(of_blocks));
    LiveSegments segments(replay.segments, blocks);
    std::vector<Fragmentation> all;
    all.reserve(states.size());
    auto span = of_spans.begin();
    auto block = of_blocks.begin();
    for (std::uint32_t i = 0; i < states.size(); ++i) {
        if (i % kStopCheckStride == 0 && !part.goesOn(i, states.size())) {
            return {};
        }
        for (; span != of_spans.end() && span->at == i; ++span) {
            segments.set(span->item, span->is_there);
        }
        for (; block != of_blocks.end() && block->at == i; ++block) {
            blocks.set(block->item, block->is_there);
            segments.touch(replay.allocations.address[block->item]);
        }
        all.push_back(segments.fragmentation());
    }
    return all;
}

} // namespace tidemark::replay
