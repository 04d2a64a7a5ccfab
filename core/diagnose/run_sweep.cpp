// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/run_sweep.h"

#include "core/diagnose/change_rows.h"
#include "core/replay/changes.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

using label::Bucket;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

Totals totalsOf(const Lanes& lanes, std::size_t run)
{
    const std::size_t runs = lanes.size() / 3;
    return {lanes[run], lanes[runs + run], lanes[2 * runs + run]};
}

void addTo(Lanes& sum, const std::int64_t* row)
{
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += row[i];
    }
}

void takeFrom(Lanes& sum, const std::int64_t* row)
{
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] -= row[i];
    }
}

/// What began and ended since the lanes were last brought up to date, by row: most of it has both,
/// so that nothing of it is ever added up.
class Pending {
public:
    explicit Pending(const ChangeRows& rows)
        : m_rows(rows)
        , m_counts(rows.count(), 0)
        , m_is_touched(rows.count(), false)
    {
    }
    void count(std::uint32_t row, bool begins)
    {
        std::int64_t& count = m_counts[row];
        if (!m_is_touched[row]) {
            m_is_touched[row] = true;
            m_touched.push_back(row);
        }
        m_most -= mostOf(row, count);
        count += begins ? 1 : -1;
        m_most += mostOf(row, count);
    }
    /// No lane grows by more than this.
    [[nodiscard]] std::int64_t most() const
    {
        return m_most;
    }
    void addTo(Lanes& sum)
    {
        for (const std::uint32_t row : m_touched) {
            const std::int64_t count = std::exchange(m_counts[row], 0);
            m_is_touched[row] = false;
            const std::int64_t* const bytes = m_rows.row(row);
            for (std::size_t i = 0; i < sum.size() && count != 0; ++i) {
                sum[i] += count * bytes[i];
            }
        }
        m_touched.clear();
        m_most = 0;
    }

private:
    [[nodiscard]] std::int64_t mostOf(std::uint32_t row, std::int64_t count) const
    {
        return count * (count > 0 ? m_rows.most(row) : m_rows.least(row));
    }

    const ChangeRows& m_rows;
    std::vector<std::int64_t> m_counts; ///< Begun less ended, per row.
    std::vector<bool> m_is_touched;
    std::vector<std::uint32_t> m_touched;
    std::int64_t m_most = 0;
};

/// As the scanner of one run: the trace is cut into pieces where something asked for begins or
/// ends. Not looked at is a state after which all runs grow, and one that cannot be the largest of
/// any run: what was made since the last look is too little for that, even if all of it were as
/// large as in the run in which it is largest.
class Sweeper {
public:
    Sweeper(const Facts& facts, std::span<const ChangedRun> runs, const ScanRequest& request,
            const SizeKinds* kinds)
        : m_facts(facts)
        , m_runs(runs)
        , m_request(request)
        , m_states(static_cast<std::uint32_t>(facts.replay.stateCount()))
        , m_rows(facts, runs, kinds)
        , m_pending(m_rows)
        , m_change(3 * runs.size(), 0)
        , m_state_change(3 * runs.size(), 0)
        , m_survivors(3 * runs.size(), 0)
        , m_survivors_end(facts.boundaries.size(), Lanes(3 * runs.size(), 0))
        , m_above(3 * runs.size(), 0)
        , m_piece_at(runs.size())
        , m_results(runs.size())
    {
        collectTurns();
        for (ScanResult& result : m_results) {
            result.points.resize(request.points.size());
            result.ranges.resize(request.ranges.size(), Totals::equal(kLeast));
            result.largest = Totals::equal(kLeast);
        }
    }

    std::vector<ScanResult> run()
    {
        const std::vector<StateId> stops = stopsOf(m_facts, m_request, m_states);
        for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
            enter(stops[i]);
            if (i == 0) {
                for (std::size_t k = 0; k < replay::countAtStart(m_facts.allocations()); ++k) {
                    change(AllocationId(k), true);
                }
            }
            replay::forEachChange(m_facts.replay, {stops[i], stops[i + 1]},
                                  [&](StateId s, AllocationId a, bool begins) {
                                      goTo(s, begins && onlyGrows(a));
                                      change(a, begins);
                                  });
            goTo(stops[i + 1], false);
            leave();
        }
        for (std::size_t r = 0; r < m_results.size(); ++r) {
            for (Totals& range : m_results[r].ranges) {
                range = range == Totals::equal(kLeast) ? Totals{} : range;
            }
            m_results[r].above_survivors = totalsOf(m_above, r);
        }
        return std::move(m_results);
    }

private:
    struct Turn {
        StateId at;
        bool begins = false;
        std::uint32_t run = 0;
        const ChangedRun::Edit* edit = nullptr;
    };

    void collectTurns()
    {
        const StateId end{m_states};
        for (std::size_t r = 0; r < m_runs.size(); ++r) {
            for (const ChangedRun::Edit& edit : m_runs[r].edits) {
                if (edit.begin < end && edit.begin < edit.end) {
                    const auto run = static_cast<std::uint32_t>(r);
                    m_turns.push_back({edit.begin, true, run, &edit});
                    m_turns.push_back({std::min(edit.end, end), false, run, &edit});
                }
            }
        }
        std::ranges::sort(m_turns, {}, &Turn::at);
    }

    [[nodiscard]] bool wantsSurvivors() const
    {
        return !m_request.steps.isEmpty();
    }

    /// Whether every run has more when the allocation begins.
    [[nodiscard]] bool onlyGrows(AllocationId a) const
    {
        const std::uint32_t row = m_rows.of(a);
        return m_facts.bytes(a) + (row == ChangeRows::kNone ? 0 : m_rows.least(row)) > 0;
    }

    void enter(StateId stop)
    {
        m_piece = stop;
        m_piece_largest.assign(m_change.size(), kLeast);
        const auto& boundaries = m_facts.boundaries;
        if (wantsSurvivors() && m_next_boundary < boundaries.size()
            && boundaries[m_next_boundary] == stop) {
            takeFrom(m_survivors, m_survivors_end[m_next_boundary++].data());
        }
    }

    void leave()
    {
        for (std::size_t r = 0; r < m_results.size(); ++r) {
            const Totals largest = totalsOf(m_piece_largest, r);
            ScanResult& result = m_results[r];
            for (std::size_t i = 0; i < m_request.ranges.size(); ++i) {
                if (m_request.ranges[i].contains(m_piece)) {
                    raise(result.ranges[i], largest);
                }
            }
            if (largest.mid > result.largest.mid) {
                result.largest_mid_at = m_piece_at[r];
            }
            raise(result.largest, largest);
        }
    }

    static void raise(Totals& largest, const Totals& value)
    {
        largest = {std::max(largest.low, value.low), std::max(largest.mid, value.mid),
                   std::max(largest.high, value.high)};
    }

    /// Stands at `s`; `grows`: what comes next makes every run larger.
    void goTo(StateId s, bool grows)
    {
        for (; m_turn < m_turns.size() && m_turns[m_turn].at < s; ++m_turn) {
            lookUntil(m_turns[m_turn].at, false);
            apply(m_turns[m_turn]);
        }
        const bool turns_here = m_turn < m_turns.size() && m_turns[m_turn].at == s;
        lookUntil(s, grows && !turns_here);
    }

    void lookUntil(StateId s, bool may_skip)
    {
        if (s <= m_at) {
            return;
        }
        const std::int64_t active = m_facts.replay.active[m_at.index()];
        const bool may_be_largest =
            !may_skip && active - m_active_then + m_pending.most() + m_edited > m_headroom;
        if (may_be_largest || m_at == m_piece) {
            look(active);
        }
        m_at = s;
    }

    void look(std::int64_t active)
    {
        m_pending.addTo(m_change);
        const std::size_t runs = m_runs.size();
        for (std::size_t r = 0; r < runs; ++r) {
            if (m_change[runs + r] + active > m_piece_largest[runs + r]) {
                m_piece_at[r] = m_at;
            }
        }
        m_headroom = std::numeric_limits<std::int64_t>::max();
        raiseAll(m_piece_largest, [&](std::size_t i) { return m_change[i] + active; });
        if (m_request.steps.contains(m_at)) {
            raiseAll(m_above, [&](std::size_t i) { return m_change[i] + active - m_survivors[i]; });
        }
        m_active_then = active;
        m_edited = 0;
        if (m_at == m_piece) {
            lookAtPoints(active);
        }
    }

    /// Also how much every lane may grow before any is raised again.
    template <class Value>
    void raiseAll(Lanes& largest, const Value& value)
    {
        for (std::size_t i = 0; i < largest.size(); ++i) {
            const std::int64_t now = value(i);
            largest[i] = std::max(largest[i], now);
            m_headroom = std::min(m_headroom, largest[i] - now);
        }
    }

    void lookAtPoints(std::int64_t active)
    {
        for (std::size_t i = 0; i < m_request.points.size(); ++i) {
            if (std::min(m_request.points[i].value, m_states - 1) != m_at.value) {
                continue;
            }
            for (std::size_t r = 0; r < m_runs.size(); ++r) {
                m_results[r].points[i] = {totalsOf(m_change, r) + Totals::equal(active),
                                          totalsOf(m_state_change, r)};
            }
        }
    }

    void change(AllocationId a, bool begins)
    {
        const std::uint32_t row = m_rows.of(a);
        if (row != ChangeRows::kNone) {
            m_pending.count(row, begins);
            if (m_facts.bucket(a) == Bucket::optimizer_state) {
                turn(m_state_change, m_rows.row(row), begins);
            }
        }
        Lanes* const until =
            begins && wantsSurvivors() ? outlasting(m_facts.allocations().end[a.index()]) : nullptr;
        if (until != nullptr) {
            const std::int64_t bytes = m_facts.bytes(a);
            for (std::size_t i = 0; i < m_survivors.size(); ++i) {
                const std::int64_t sum =
                    bytes + (row == ChangeRows::kNone ? 0 : m_rows.row(row)[i]);
                m_survivors[i] += sum;
                (*until)[i] += sum;
            }
        }
    }

    void apply(const Turn& t)
    {
        add(m_change, t.run, t.edit->bytes, t.begins);
        const Totals& bytes = t.edit->bytes;
        const std::int64_t grows = t.begins ? std::max({bytes.low, bytes.mid, bytes.high})
                                            : -std::min({bytes.low, bytes.mid, bytes.high});
        m_edited += std::max<std::int64_t>(0, grows);
        if (t.edit->is_state) {
            add(m_state_change, t.run, t.edit->bytes, t.begins);
        }
        Lanes* const until = t.begins && wantsSurvivors() ? outlasting(t.edit->end) : nullptr;
        if (until != nullptr) {
            add(m_survivors, t.run, t.edit->bytes, true);
            add(*until, t.run, t.edit->bytes, true);
        }
    }

    static void turn(Lanes& sum, const std::int64_t* row, bool begins)
    {
        if (begins) {
            addTo(sum, row);
        } else {
            takeFrom(sum, row);
        }
    }

    static void add(Lanes& sum, std::size_t run, const Totals& bytes, bool begins)
    {
        const std::size_t runs = sum.size() / 3;
        const std::int64_t sign = begins ? 1 : -1;
        sum[run] += sign * bytes.low;
        sum[runs + run] += sign * bytes.mid;
        sum[2 * runs + run] += sign * bytes.high;
    }

    /// What is to be taken away at the last boundary that something outlasts; null if it outlasts
    /// none.
    [[nodiscard]] Lanes* outlasting(StateId end)
    {
        const auto& boundaries = m_facts.boundaries;
        if (m_next_boundary >= boundaries.size() || end <= boundaries[m_next_boundary]) {
            return nullptr;
        }
        const auto outlasted = std::ranges::lower_bound(
            boundaries.begin() + static_cast<std::ptrdiff_t>(m_next_boundary), boundaries.end(),
            end);
        return &m_survivors_end[static_cast<std::size_t>(outlasted - boundaries.begin()) - 1];
    }

    const Facts& m_facts;
    std::span<const ChangedRun> m_runs;
    const ScanRequest& m_request;
    std::uint32_t m_states;
    ChangeRows m_rows;
    std::vector<Turn> m_turns;
    std::size_t m_turn = 0;
    StateId m_at; ///< All states before it have been looked at.
    Pending m_pending;
    Lanes m_change; ///< Beside the recorded bytes, in the present state but for what is pending.
    std::int64_t m_active_then = 0; ///< Recorded bytes when the lanes were last looked at.
    std::int64_t m_edited = 0; ///< The most that edits have added to a lane since.
    std::int64_t m_headroom = 0; ///< No lane was nearer than that to its largest.
    Lanes m_state_change;
    Lanes m_survivors;
    std::size_t m_next_boundary = 0; ///< The first one after the present state.
    std::vector<Lanes> m_survivors_end; ///< Per boundary: what counts until there.
    Lanes m_above; ///< The largest beyond the survivors.
    StateId m_piece; ///< First state of the present piece.
    Lanes m_piece_largest;
    std::vector<StateId> m_piece_at; ///< Per run: where its estimate is largest.
    std::vector<ScanResult> m_results;
};

} // namespace

std::vector<ScanResult> scanAll(const Facts& facts, std::span<const ChangedRun> runs,
                                const ScanRequest& request, const SizeKinds* kinds)
{
    return Sweeper(facts, runs, request, kinds).run();
}

} // namespace tidemark::diagnose
