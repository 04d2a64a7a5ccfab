// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/changed_run.h"

#include <algorithm>
#include <utility>

namespace tidemark::diagnose {
namespace {

class Differences {
public:
    Differences(const Facts& facts, const SizeKinds& kinds)
        : m_kinds(kinds)
        , m_boundaries(facts.boundaries)
        , m_end{static_cast<std::uint32_t>(facts.replay.stateCount())}
    {
    }

    /// Where the allocation lives beside its recorded life, and where it no longer does.
    void add(const Subject& s, const Life& life)
    {
        const std::uint32_t kind = m_kinds.of[s.allocation.index()];
        StateId at = s.begin;
        for (const Interval<StateId>& live : life.live) {
            const Interval<StateId> before{live.begin, std::min(s.begin, live.end)};
            add(before, kind, 1, false, live.end >= s.end && goesOn(before, s));
            add({at, std::min(live.begin, s.end)}, kind, -1, false);
            add({std::max(s.end, live.begin), live.end}, kind, 1, false);
            at = std::max(at, live.end);
        }
        add({at, s.end}, kind, -1, false);
        for (const Interval<StateId>& twice : life.possible_second_use) {
            add(twice, kind, 1, true);
        }
    }
    Lifetimes take()
    {
        std::ranges::sort(m_turns, {}, &LifetimeTurn::at);
        return std::move(m_turns);
    }

private:
    /// Whether a life that begins earlier by that much outlasts the step all of that is in.
    [[nodiscard]] bool goesOn(const Interval<StateId>& before, const Subject& s) const
    {
        const auto boundary = std::ranges::upper_bound(m_boundaries, before.begin);
        return before.end == s.begin && boundary != m_boundaries.end() && *boundary > s.begin
            && s.end > *boundary;
    }
    void add(Interval<StateId> where, std::uint32_t kind, std::int32_t count, bool perhaps,
             bool goes_on = false)
    {
        where.end = std::min(where.end, m_end);
        if (where.isEmpty()) {
            return;
        }
        // What a block made before has the same gap.
        for (std::size_t i = m_turns.size(); i > 1; i -= 2) {
            LifetimeTurn& begin = m_turns[i - 2];
            LifetimeTurn& end = m_turns[i - 1];
            if (begin.at != where.begin || end.at != where.end) {
                break;
            }
            if (begin.kind == kind && begin.perhaps == perhaps && begin.goes_on == goes_on) {
                begin.count += count;
                end.count -= count;
                return;
            }
        }
        m_turns.push_back({where.begin, where.end, kind, count, perhaps, goes_on});
        m_turns.push_back({where.end, {}, kind, -count, perhaps, goes_on});
    }

    const SizeKinds& m_kinds;
    const std::vector<StateId>& m_boundaries; ///< Of steps.
    StateId m_end; ///< After the last state.
    Lifetimes m_turns; ///< In pairs.
};

} // namespace

Lifetimes changedLifetimes(const Facts& facts, const SizeKinds& kinds,
                           std::span<const Law* const> laws)
{
    BucketSet buckets;
    for (const Law* const law : laws) {
        buckets |= law->buckets();
    }
    Differences differences(facts, kinds);
    Life life;
    for (const AllocationId a : facts.ids()) {
        const std::size_t bucket = label::indexOf(facts.bucket(a));
        if (!buckets[bucket]) {
            continue;
        }
        const Subject subject = subjectOf(facts, a, kinds.examples[kinds.of[a.index()]]);
        life.live.assign(1, {subject.begin, subject.end});
        life.possible_second_use.clear();
        for (const Law* const law : laws) {
            if (law->buckets()[bucket]) {
                law->cut(subject, life);
            }
        }
        differences.add(subject, life);
    }
    return differences.take();
}

} // namespace tidemark::diagnose
