// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/inner_backwards.h"

#include <algorithm>
#include <optional>

namespace tidemark::label {
namespace {

using trace::Action;

class InnerFinder {
public:
    InnerFinder(const trace::Events& events, const replay::DeviceReplay& replay,
                const StackKinds& kinds, const StackIntervals& cut)
        : m_events(events)
        , m_all(replay.allocations)
        , m_replay(replay)
        , m_kinds(kinds)
        , m_intervals(cut.intervals)
        , m_next_optimizer(m_intervals.size(), m_intervals.size())
    {
        for (std::size_t i = m_intervals.size(); i-- > 1;) {
            m_next_optimizer[i - 1] =
                m_intervals[i].kind == StackKind::optimizer ? i : m_next_optimizer[i];
        }
    }

    [[nodiscard]] bool isInner(std::size_t index) const
    {
        const StackInterval& s = m_intervals[index];
        if (s.kind != StackKind::backward || index + 1 >= m_intervals.size() || !isAsked(s)) {
            return false;
        }
        const std::size_t limit = m_next_optimizer[index];
        const StateId over = StateId::before(EventId(m_intervals[index + 1].first_alloc));
        std::int64_t used = 0; // by a later backward
        std::int64_t kept = 0; // past the optimizer's step
        std::int64_t still_there = 0; // at the end of the trace
        for (std::size_t e = s.first_alloc; e <= s.last_alloc; ++e) {
            const AllocationId a = madeAt(e);
            if (a.isNone() || !m_all.isLive(a, over)) {
                continue;
            }
            const std::int64_t bytes = m_all.requested[a.index()].value;
            if (isUsedBetween(a, index + 1, limit)) {
                used += bytes;
            } else if (limit < m_intervals.size()) {
                kept += livesOn(a, limit) ? bytes : 0;
            } else {
                still_there += livesToTheEnd(a) ? bytes : 0;
            }
        }
        // What the program itself lets go of before tells nothing.
        return used + still_there > kept && staysGraph(index, over);
    }

private:
    [[nodiscard]] AllocationId madeAt(std::size_t event) const
    {
        return m_events.action[event] == Action::alloc ? m_replay.event_allocation[event]
                                                       : AllocationId::none();
    }
    /// Whether autograd.grad began it.
    [[nodiscard]] bool isAsked(const StackInterval& s) const
    {
        return m_kinds.traits(m_events.stack[s.first_alloc]).has(Trait::functional_grad);
    }
    [[nodiscard]] bool livesToTheEnd(AllocationId a) const
    {
        return m_all.end[a.index()] > StateId::after(EventId(m_intervals.back().last_alloc));
    }
    [[nodiscard]] bool livesOn(AllocationId a, std::size_t interval) const
    {
        return m_all.isLive(a, StateId::before(EventId(m_intervals[interval].first_alloc)));
    }
    /// Whether it goes away while a backward among these intervals still allocates.
    [[nodiscard]] bool isUsedBetween(AllocationId a, std::size_t from, std::size_t to) const
    {
        const StateId end = m_all.end[a.index()];
        const auto first = m_intervals.begin() + static_cast<std::ptrdiff_t>(from);
        const auto last = m_intervals.begin() + static_cast<std::ptrdiff_t>(to);
        const auto after = std::partition_point(first, last, [&](const StackInterval& s) {
            return StateId::before(EventId(s.last_alloc)) < end;
        });
        return after != last && after->kind == StackKind::backward
            && StateId::before(EventId(after->first_alloc)) < end;
    }
    /// Whether most of what was made before it in its step is there after it as it was when it
    /// began.
    [[nodiscard]] bool staysGraph(std::size_t index, StateId over) const
    {
        const StateId begin = StateId::before(EventId(m_intervals[index].first_alloc));
        std::int64_t before = 0;
        std::int64_t after = 0;
        for (std::size_t i = index; i-- > 0;) {
            const StackInterval& s = m_intervals[i];
            if (s.kind == StackKind::optimizer || s.kind == StackKind::backward
                || s.kind == StackKind::load) {
                break;
            }
            for (std::size_t e = s.first_alloc; e <= s.last_alloc; ++e) {
                const AllocationId a = madeAt(e);
                if (!a.isNone() && m_all.isLive(a, begin)) {
                    before += m_all.requested[a.index()].value;
                    after += m_all.isLive(a, over) ? m_all.requested[a.index()].value : 0;
                }
            }
        }
        return 2 * after > before;
    }

    const trace::Events& m_events;
    const replay::Allocations& m_all;
    const replay::DeviceReplay& m_replay;
    const StackKinds& m_kinds;
    const std::vector<StackInterval>& m_intervals;
    std::vector<std::size_t>
        m_next_optimizer; ///< Per interval: the next one's index, or their number.
};

} // namespace

std::vector<bool> findInnerBackwards(const trace::Events& events,
                                     const replay::DeviceReplay& replay, const StackKinds& kinds,
                                     const StackIntervals& cut)
{
    const InnerFinder finder(events, replay, kinds, cut);
    std::vector<bool> inner(cut.intervals.size());
    for (std::size_t i = 0; i < inner.size(); ++i) {
        inner[i] = finder.isInner(i);
    }
    return inner;
}

} // namespace tidemark::label
