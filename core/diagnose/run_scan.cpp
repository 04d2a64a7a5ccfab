// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/run_scan.h"

#include "core/base/column.h"
#include "core/replay/changes.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

constexpr Totals kLeast = Totals::equal(std::numeric_limits<std::int64_t>::min());

void raise(Totals& largest, const Totals& value)
{
    largest.low = std::max(largest.low, value.low);
    largest.mid = std::max(largest.mid, value.mid);
    largest.high = std::max(largest.high, value.high);
}

/// Walks from state to state, keeping what the changed run has more than the recorded one. The
/// states are cut into pieces where something asked for begins or ends; between two changes
/// everything stays as it is, so one state speaks for all.
class Scanner {
public:
    Scanner(const Facts& facts, const ChangedRun& run, const ScanRequest& request)
        : m_facts(facts)
        , m_run(run)
        , m_request(request)
        , m_states(static_cast<std::uint32_t>(facts.replay.stateCount()))
        , m_survivors_end(facts.boundaries.size())
    {
        collectTurns();
        m_result.points.resize(request.points.size());
        m_result.ranges.resize(request.ranges.size(), kLeast);
        m_result.largest = kLeast;
        if (request.keep_curve) {
            assignColumn(m_result.curve, m_states, std::int64_t{0});
        }
    }

    ScanResult run()
    {
        const std::vector<StateId> stops = stopsOf(m_facts, m_request, m_states);
        for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
            enter(stops[i]);
            if (i == 0) {
                startOfTrace();
            }
            replay::forEachChange(m_facts.replay, {stops[i], stops[i + 1]},
                                  [&](StateId s, AllocationId a, bool begins) {
                                      goTo(s);
                                      change(a, begins);
                                  });
            goTo(stops[i + 1]);
            leave();
        }
        for (Totals& range : m_result.ranges) {
            range = range == kLeast ? Totals{} : range;
        }
        return std::move(m_result);
    }

private:
    /// An edit begins or ends.
    struct Turn {
        StateId at;
        bool begins = false;
        const ChangedRun::Edit* edit = nullptr;
    };

    void collectTurns()
    {
        const StateId end{m_states};
        for (const ChangedRun::Edit& edit : m_run.edits) {
            if (edit.begin < end && edit.begin < edit.end) {
                m_turns.push_back({edit.begin, true, &edit});
                m_turns.push_back({std::min(edit.end, end), false, &edit});
            }
        }
        std::ranges::sort(m_turns, {}, &Turn::at);
    }

    [[nodiscard]] StateId clamped(StateId s) const
    {
        return {std::min(s.value, m_states - 1)};
    }
    [[nodiscard]] bool wantsSurvivors() const
    {
        return !m_request.steps.isEmpty();
    }

    void startOfTrace()
    {
        for (std::size_t i = 0; i < replay::countAtStart(m_facts.allocations()); ++i) {
            change(AllocationId(i), true);
        }
    }

    void enter(StateId stop)
    {
        m_piece = stop;
        m_piece_largest = kLeast;
        const auto& boundaries = m_facts.boundaries;
        if (wantsSurvivors() && m_next_boundary < boundaries.size()
            && boundaries[m_next_boundary] == stop) {
            m_survivors -= m_survivors_end[m_next_boundary++];
        }
    }

    void leave()
    {
        for (std::size_t i = 0; i < m_request.ranges.size(); ++i) {
            if (m_request.ranges[i].contains(m_piece)) {
                raise(m_result.ranges[i], m_piece_largest);
            }
        }
        if (m_piece_largest.mid > m_result.largest.mid) {
            m_result.largest_mid_at = m_piece_largest_mid_at;
        }
        raise(m_result.largest, m_piece_largest);
    }

    /// Looks at all states before `s`, and stands at it.
    void goTo(StateId s)
    {
        for (; m_turn < m_turns.size() && m_turns[m_turn].at < s; ++m_turn) {
            lookUntil(m_turns[m_turn].at);
            apply(m_turns[m_turn]);
        }
        lookUntil(s);
    }

    void lookUntil(StateId s)
    {
        if (s <= m_at) {
            return;
        }
        const Totals active = m_change + Totals::equal(m_facts.replay.active[m_at.index()]);
        if (active.mid > m_piece_largest.mid) {
            m_piece_largest_mid_at = m_at;
        }
        raise(m_piece_largest, active);
        if (m_at == m_piece) {
            lookAtPoints(active);
        }
        if (m_request.steps.contains(m_at)) {
            raise(m_result.above_survivors, active - m_survivors);
        }
        if (m_request.keep_curve) {
            std::fill(m_result.curve.begin() + m_at.value, m_result.curve.begin() + s.value,
                      active.mid);
        }
        m_at = s;
    }

    void lookAtPoints(const Totals& active)
    {
        for (std::size_t i = 0; i < m_request.points.size(); ++i) {
            if (clamped(m_request.points[i]) == m_at) {
                m_result.points[i] = {active, m_state_change};
            }
        }
    }

    /// An allocation begins or ends in the present state.
    void change(AllocationId a, bool begins)
    {
        const std::uint32_t index =
            m_run.delta_of.empty() ? ChangedRun::kUnchanged : m_run.delta_of[a.index()];
        Totals delta;
        if (index != ChangedRun::kUnchanged) {
            delta = m_run.deltas[index];
            const bool is_state = m_facts.bucket(a) == Bucket::optimizer_state;
            turn(m_change, delta, begins);
            turn(m_state_change, is_state ? delta : Totals{}, begins);
        }
        if (begins && wantsSurvivors()) {
            addSurvivor(m_facts.allocations().end[a.index()],
                        delta + Totals::equal(m_facts.bytes(a)));
        }
    }

    void apply(const Turn& t)
    {
        turn(m_change, t.edit->bytes, t.begins);
        turn(m_state_change, t.edit->is_state ? t.edit->bytes : Totals{}, t.begins);
        if (t.begins && wantsSurvivors()) {
            addSurvivor(t.edit->end, t.edit->bytes);
        }
    }

    static void turn(Totals& sum, const Totals& bytes, bool begins)
    {
        if (begins) {
            sum += bytes;
        } else {
            sum -= bytes;
        }
    }

    /// What outlasts a step counts until the last boundary that it outlasts.
    void addSurvivor(StateId end, const Totals& bytes)
    {
        const auto& boundaries = m_facts.boundaries;
        if (m_next_boundary >= boundaries.size() || end <= boundaries[m_next_boundary]) {
            return;
        }
        const auto outlasted = std::ranges::lower_bound(
            boundaries.begin() + static_cast<std::ptrdiff_t>(m_next_boundary), boundaries.end(),
            end);
        m_survivors += bytes;
        m_survivors_end[static_cast<std::size_t>(outlasted - boundaries.begin()) - 1] += bytes;
    }

    const Facts& m_facts;
    const ChangedRun& m_run;
    const ScanRequest& m_request;
    std::uint32_t m_states;
    std::vector<Turn> m_turns;
    std::size_t m_turn = 0;
    StateId m_at; ///< All states before it have been looked at.
    Totals m_change; ///< In the present state, beside the recorded bytes.
    Totals m_state_change;
    Totals m_survivors;
    std::size_t m_next_boundary = 0; ///< The first one after the present state.
    std::vector<Totals> m_survivors_end; ///< Per boundary: what counts until there.
    StateId m_piece; ///< First state of the present piece.
    Totals m_piece_largest;
    StateId m_piece_largest_mid_at;
    ScanResult m_result;
};

} // namespace

std::vector<StateId> stopsOf(const Facts& facts, const ScanRequest& request, std::uint32_t states)
{
    const StateId end{states};
    std::vector<StateId> stops{StateId::start(), end};
    for (const StateId s : request.points) {
        stops.push_back({std::min(s.value, states - 1)});
    }
    for (const Interval<StateId>& range : request.ranges) {
        stops.push_back(std::min(range.begin, end));
        stops.push_back(std::min(range.end, end));
    }
    if (!request.steps.isEmpty()) {
        stops.insert(stops.end(), facts.boundaries.begin(), facts.boundaries.end());
    }
    std::ranges::sort(stops);
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    return stops;
}

ScanResult scan(const Facts& facts, const ChangedRun& run, const ScanRequest& request)
{
    return Scanner(facts, run, request).run();
}

} // namespace tidemark::diagnose
