// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/segment_spans.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/base/progress.h"
#include "core/replay/range_map.h"
#include "core/replay/rounding.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace tidemark::replay {
namespace {

using trace::Action;

/// How far behind a mapping the allocation it was for is looked for: other mappings, and what other
/// threads do, may come between.
constexpr std::size_t kReach = 64;
/// How many ranges beside each other are looked at.
constexpr int kMostNeighbours = 256;

/// A range of which the walk has not met the begin yet.
struct Piece {
    StateId end;
    std::uint64_t stream = 0;
    trace::PoolId pool;
    StackId stack;
    bool is_small_pool = false;
    bool is_small_known = false; ///< Not guessed.
    bool is_expandable = false;
    bool is_pool_known = false;
};

bool isKnown(const Piece& piece)
{
    return piece.is_small_known && piece.is_pool_known;
}

void learn(Piece& piece, const Piece& from)
{
    if (!piece.is_small_known) {
        piece.is_small_pool =
            from.is_small_known ? from.is_small_pool : piece.is_small_pool || from.is_small_pool;
        piece.is_small_known = from.is_small_known;
    }
    if (!piece.is_pool_known) {
        piece.pool = from.pool;
        piece.is_pool_known = from.is_pool_known;
    }
}

bool touchesSegments(Action action)
{
    return action == Action::segment_alloc || action == Action::segment_free
        || action == Action::segment_map || action == Action::segment_unmap;
}

class SegmentWalk {
public:
    SegmentWalk(const trace::Device& device, trace::InputNotes& notes)
        : m_device(device)
        , m_events(device.events)
        , m_last{static_cast<std::uint32_t>(device.events.count())}
        , m_notes(notes)
    {
    }

    SegmentSpans run(const std::stop_token& stop)
    {
        seedFromFinalSegments();
        std::size_t met = 0;
        for (std::size_t i = m_events.count(); i-- > 0;) {
            if (!touchesSegments(m_events.action[i])) {
                continue;
            }
            if (++met % kStopCheckStride == 0 && stop.stop_requested()) {
                break;
            }
            const bool gives_back = m_events.action[i] == Action::segment_free
                || m_events.action[i] == Action::segment_unmap;
            if (gives_back) {
                undoRelease(EventId(i));
            } else {
                undoObtain(EventId(i));
            }
        }
        for (const auto& entry : m_live.take({0, std::numeric_limits<Address>::max()})) {
            write(entry.range, StateId::start(), entry.value);
        }
        return sorted();
    }

    [[nodiscard]] std::int64_t violations() const
    {
        return m_violations;
    }

private:
    void seedFromFinalSegments();
    void undoRelease(EventId e);
    void undoObtain(EventId e);
    void addLostRelease(EventId e, Interval<Address> range, const Piece& like,
                        const std::vector<RangeMap<StateId>::Entry>& later);
    [[nodiscard]] Piece pieceOf(EventId e) const;
    void learnFromNeighbours(Interval<Address> range, Piece& piece);
    [[nodiscard]] std::optional<bool> isForSmallRequest(EventId e) const;
    void write(Interval<Address> range, StateId begin, const Piece& piece);
    SegmentSpans sorted();

    template <class Text>
    void violation(std::string_view code, const Text& text)
    {
        ++m_violations;
        m_notes.add(code, m_notes.find(code) == nullptr ? text() : std::string());
    }

    const trace::Device& m_device;
    const trace::Events& m_events;
    StateId m_last;
    trace::InputNotes& m_notes;
    std::int64_t m_violations = 0;
    RangeMap<Piece> m_live; ///< What is there just after the event being undone.
    RangeMap<StateId> m_next_begin; ///< Where something lies later: when that begins.
    SegmentSpans m_out;
};

void SegmentWalk::seedFromFinalSegments()
{
    for (const trace::Segment& s : m_device.segments) {
        const Interval<Address> range = rangeOf(s.address, s.total_size);
        const StateId end{m_last.value + 1};
        if (!m_live.take(range).empty()) {
            violation("overlapping-segments", [&] {
                return say(
                    "The final segment at 0x{:x} ({}) overlaps another; the later one counts.",
                    s.address, s.total_size);
            });
        }
        m_live.put(range,
                   {end, s.stream, s.pool, s.stack, s.is_small_pool, true, s.is_expandable, true});
    }
}

/// What the allocation that a mapping was for asked for; nothing where none follows soon.
std::optional<bool> SegmentWalk::isForSmallRequest(EventId e) const
{
    const std::size_t until = std::min(m_events.count(), e.index() + kReach);
    for (std::size_t i = e.index() + 1; i < until; ++i) {
        const bool asks = m_events.action[i] == Action::alloc || m_events.action[i] == Action::oom;
        if (asks && m_events.stream[i] == m_events.stream[e.index()]) {
            return m_events.size[i].value <= kSmallSize;
        }
    }
    return std::nullopt;
}

/// What an event tells about the range it gives back.
Piece SegmentWalk::pieceOf(EventId e) const
{
    const std::size_t i = e.index();
    Piece piece;
    piece.end = StateId::after(e);
    piece.stream = m_events.stream[i];
    piece.is_expandable =
        m_events.action[i] == Action::segment_unmap || m_events.action[i] == Action::segment_map;
    if (!m_events.pool.empty()) {
        piece.pool = m_events.pool[i];
        piece.is_pool_known = true;
    }
    if (!piece.is_expandable) {
        piece.is_small_pool = m_events.size[i].value <= kSmallBuffer;
        piece.is_small_known = true;
        return piece;
    }
    piece.is_small_pool = m_events.size[i].value % kLargeBuffer != 0;
    return piece;
}

/// Pages that touch pages of the same stream belong to the same segment: it maps them between its
/// own reserved addresses, and those of the next one begin far behind. So what is known of one is
/// known of the other.
void SegmentWalk::learnFromNeighbours(Interval<Address> range, Piece& piece)
{
    int steps = 0;
    const auto belongs = [&](const Piece& other) {
        return other.is_expandable && other.stream == piece.stream && ++steps < kMostNeighbours;
    };
    m_live.visitTouching(range, [&](const Piece& other) {
        return belongs(other) && (learn(piece, other), !isKnown(piece));
    });
    m_live.visitTouching(range, [&](Piece& other) {
        return belongs(other) && !isKnown(other) && (learn(other, piece), true);
    });
}

void SegmentWalk::undoRelease(EventId e)
{
    const Interval<Address> range = rangeOf(m_events.address[e.index()], m_events.size[e.index()]);
    Piece piece = pieceOf(e);
    const auto there = m_live.take(range);
    for (const auto& entry : there) {
        write(entry.range, StateId::after(e), entry.value);
    }
    if (!there.empty()) {
        violation("lost-segment-alloc", [&] {
            return say("Event {}: {} at 0x{:x} are unmapped, yet present later without a new "
                       "mapping; assumed mapped again at once.",
                       e.index(), m_events.size[e.index()], range.begin);
        });
    }
    if (piece.is_expandable) {
        learnFromNeighbours(range, piece);
    }
    m_live.put(range, piece);
}

void SegmentWalk::undoObtain(EventId e)
{
    const std::size_t i = e.index();
    const Interval<Address> range = rangeOf(m_events.address[i], m_events.size[i]);
    const auto later = m_next_begin.take(range);
    Piece own = pieceOf(e);
    const std::optional<bool> small =
        own.is_expandable ? isForSmallRequest(e) : std::optional<bool>();
    own.is_small_pool = small.value_or(own.is_small_pool);
    own.stack = m_events.stack[i];
    Address covered = range.begin;
    bool has_gap = false;
    const auto addGap = [&](Address until) {
        if (covered < until) {
            has_gap = true;
            addLostRelease(e, {covered, until}, own, later);
        }
    };
    for (auto& [part, piece] : m_live.take(range)) {
        addGap(part.begin);
        covered = part.end;
        piece.stack = own.stack.isNone() ? piece.stack : own.stack;
        if (!piece.is_small_known && small.has_value()) {
            piece.is_small_pool = *small;
        }
        write(part, StateId::after(e), piece);
    }
    addGap(range.end);
    if (has_gap) {
        violation("lost-segment-free", [&] {
            return say("Event {}: {} from the driver at 0x{:x} have no segment free and no final "
                       "segment; assumed to stay until their addresses are reused.",
                       i, m_events.size[i], range.begin);
        });
    }
    m_next_begin.put(range, StateId::after(e));
}

/// Nothing ends this range but what comes to lie there next, or the last event.
void SegmentWalk::addLostRelease(EventId e, Interval<Address> range, const Piece& like,
                                 const std::vector<RangeMap<StateId>::Entry>& later)
{
    Piece piece = like;
    Address at = range.begin;
    const auto writeUntil = [&](Address until, StateId end) {
        if (at < until) {
            piece.end = end;
            write({at, until}, StateId::after(e), piece);
            at = until;
        }
    };
    for (const auto& next : later) {
        writeUntil(std::min(next.range.begin, range.end), m_last);
        writeUntil(std::min(next.range.end, range.end), next.value);
    }
    writeUntil(range.end, m_last);
}

void SegmentWalk::write(Interval<Address> range, StateId begin, const Piece& piece)
{
    m_next_begin.put(range, begin);
    if (!(begin < piece.end)) {
        return;
    }
    m_out.address.push_back(range.begin);
    m_out.size.push_back({static_cast<std::int64_t>(range.end - range.begin)});
    m_out.begin.push_back(begin);
    m_out.end.push_back(piece.end);
    m_out.stream.push_back(piece.stream);
    m_out.pool.push_back(piece.pool);
    m_out.stack.push_back(piece.stack);
    m_out.traits.push_back(
        static_cast<std::uint8_t>((piece.is_small_pool ? SegmentSpans::kSmallPool : 0)
                                  | (piece.is_expandable ? SegmentSpans::kExpandable : 0)
                                  | (piece.is_pool_known ? SegmentSpans::kPoolKnown : 0)));
}

SegmentSpans SegmentWalk::sorted()
{
    std::vector<std::uint32_t> order(m_out.count());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(
        order, {}, [&](std::uint32_t i) { return std::tuple(m_out.begin[i], m_out.address[i]); });
    SegmentSpans spans;
    const auto arrange = [&](const auto& from, auto& to) {
        to.reserve(order.size());
        for (const std::uint32_t i : order) {
            to.push_back(from[i]);
        }
    };
    arrange(m_out.address, spans.address);
    arrange(m_out.size, spans.size);
    arrange(m_out.begin, spans.begin);
    arrange(m_out.end, spans.end);
    arrange(m_out.stream, spans.stream);
    arrange(m_out.pool, spans.pool);
    arrange(m_out.stack, spans.stack);
    arrange(m_out.traits, spans.traits);
    spans.index = LiveIndex(spans.lifetimes());
    return spans;
}

} // namespace

SegmentSpans buildSegmentSpans(const trace::Device& device, trace::InputNotes& notes,
                               std::int64_t& violations, const std::stop_token& stop)
{
    SegmentWalk walk(device, notes);
    SegmentSpans spans = walk.run(stop);
    violations += walk.violations();
    return spans;
}

} // namespace tidemark::replay
