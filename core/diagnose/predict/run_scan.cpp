// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/run_scan.h"

#include "core/base/column.h"
#include "core/diagnose/predict/change_rows.h"
#include "core/replay/changes.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

constexpr std::int64_t kBelowAll = std::numeric_limits<std::int64_t>::min();

Amount amountOf(const Lanes& lanes, std::size_t run)
{
    const std::size_t runs = lanes.size() / 3;
    return {static_cast<double>(lanes[run]), static_cast<double>(lanes[runs + run]),
            static_cast<double>(lanes[2 * runs + run])};
}

void addTo(Lanes& sum, const std::int64_t* row, std::int64_t count)
{
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += count * row[i];
    }
}

/// Where something asked for begins or ends, in order, with the first state and the number of all.
std::vector<StateId> stopsOf(const ScanRequest& request, std::uint32_t states)
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
    std::ranges::sort(stops);
    stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
    return stops;
}

/// What began and ended since the lanes were last brought up to date, by row: most of it has both,
/// so that nothing of it is ever added up.
class Pending {
public:
    explicit Pending(const ChangeRows& rows)
        : m_rows(rows)
    {
        m_of_row.reserve(rows.count());
        for (std::uint32_t row = 0; row < rows.count(); ++row) {
            m_of_row.push_back({0, rows.least(row), rows.most(row)});
        }
    }
    void add(std::uint32_t row, std::int64_t more)
    {
        OfRow& of = m_of_row[row];
        if (!of.is_touched) {
            of.is_touched = true;
            m_touched.push_back(row);
        }
        m_most -= of.mostOfAll();
        of.count += more;
        m_most += of.mostOfAll();
    }
    /// No lane grows by more than this.
    [[nodiscard]] std::int64_t most() const
    {
        return m_most;
    }
    void addTo(Lanes& sum)
    {
        for (const std::uint32_t row : m_touched) {
            OfRow& of = m_of_row[row];
            if (of.count != 0) {
                diagnose::addTo(sum, m_rows.row(row), of.count);
            }
            of.count = 0;
            of.is_touched = false;
        }
        m_touched.clear();
        m_most = 0;
    }

private:
    struct OfRow {
        std::int64_t count; ///< Begun less ended.
        std::int64_t least; ///< Of the row.
        std::int64_t most;
        bool is_touched = false;

        [[nodiscard]] std::int64_t mostOfAll() const
        {
            return count * (count > 0 ? most : least);
        }
    };

    const ChangeRows& m_rows;
    std::vector<OfRow> m_of_row;
    std::vector<std::uint32_t> m_touched;
    std::int64_t m_most = 0;
};

/// Walks from state to state, keeping what the changed runs have more than the recorded one. The
/// states are cut into pieces where something asked for begins or ends; between two changes
/// everything stays as it is, so one state speaks for all. Not looked at is a state after which all
/// runs grow, and one that cannot be the largest of any run: what was made since the last look is
/// too little for that, even if all of it were as large as in the run in which it is largest.
class Sweeper {
public:
    Sweeper(const Facts& facts, const SizeKinds& kinds, std::span<const ChangedRun> runs,
            const ScanRequest& request)
        : m_facts(facts)
        , m_kinds(kinds)
        , m_request(request)
        , m_states(static_cast<std::uint32_t>(facts.replay.stateCount()))
        , m_rows(kinds, runs, m_states)
        , m_pending(m_rows)
        , m_change(3 * runs.size(), 0)
        , m_state_change(3 * runs.size(), 0)
        , m_gradient_change(3 * runs.size(), 0)
        , m_survivors(3 * runs.size(), 0)
        , m_survivors_end(facts.boundaries.size(), Lanes(3 * runs.size(), 0))
        , m_above(3 * runs.size(), 0)
        , m_piece_at(runs.size())
        , m_results(runs.size())
    {
        m_of_kind.reserve(kinds.count());
        for (std::uint32_t k = 0; k < kinds.count(); ++k) {
            const std::uint32_t row = m_rows.ofKind(k);
            const std::int64_t least = row == ChangeRows::kNone ? 0 : m_rows.least(row);
            m_of_kind.push_back({row, kinds.examples[k].bytes + least > 0});
        }
        for (ScanResult& result : m_results) {
            result.points.resize(request.points.size());
            result.ranges.resize(request.ranges.size(), exactly(kBelowAll));
            result.largest = exactly(kBelowAll);
            if (request.keep_curve) {
                assignColumn(result.curve, m_states, std::int64_t{0});
            }
        }
    }

    std::vector<ScanResult> run()
    {
        const std::vector<StateId> stops = stopsOf(m_request, m_states);
        for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
            enter(stops[i]);
            if (i == 0) {
                for (std::size_t k = 0; k < replay::countAtStart(m_facts.allocations()); ++k) {
                    change(AllocationId(k), true);
                }
            }
            goThrough({stops[i], stops[i + 1]});
            leave();
        }
        for (std::size_t r = 0; r < m_results.size(); ++r) {
            for (Amount& range : m_results[r].ranges) {
                range = range == exactly(kBelowAll) ? Amount{} : range;
            }
            m_results[r].above_survivors = amountOf(m_above, r);
        }
        return std::move(m_results);
    }

private:
    /// A piece, with the boundaries within it.
    void goThrough(const Interval<StateId>& piece)
    {
        StateId from = piece.begin;
        for (; wantsSurvivors() && m_next_boundary < m_facts.boundaries.size(); ++m_next_boundary) {
            const StateId boundary = m_facts.boundaries[m_next_boundary];
            if (boundary >= piece.end) {
                break;
            }
            visit({from, boundary});
            goTo(boundary, false);
            addTo(m_survivors, m_survivors_end[m_next_boundary].data(), -1);
            m_headroom = kBelowAll; // there is more above them now
            from = boundary;
        }
        visit({from, piece.end});
        goTo(piece.end, false);
    }

    void visit(const Interval<StateId>& states)
    {
        const auto change_one = [&](StateId s, AllocationId a, bool begins) {
            goTo(s, begins && onlyGrows(a));
            change(a, begins);
        };
        if (m_kinds.steps.empty()) {
            replay::forEachChange(m_facts.replay, states, change_one);
            return;
        }
        const auto& loose = m_facts.replay.loose_ends;
        auto next = std::ranges::lower_bound(loose, states.begin, {}, &replay::LooseEnd::state);
        for (std::uint32_t s = std::max(1U, states.begin.value); s < states.end.value; ++s) {
            const SizeKinds::Step step = m_kinds.steps[s];
            if (next != loose.end() && next->state.value == s) {
                replay::forEachChange(m_facts.replay, {{s}, {s + 1}}, change_one);
                while (next != loose.end() && next->state.value == s) {
                    ++next;
                }
            } else if (!step.isNone()) {
                const OfKind& kind = m_of_kind[step.kind()];
                goTo({s}, step.begins() && kind.grows);
                if (step.outlasts() && wantsSurvivors()) {
                    change(m_facts.replay.event_allocation[s - 1], true);
                } else if (kind.row != ChangeRows::kNone) {
                    turn(kind.row, step.begins() ? 1 : -1);
                }
            }
        }
    }

    [[nodiscard]] bool wantsSurvivors() const
    {
        return !m_request.steps.isEmpty();
    }

    struct OfKind {
        std::uint32_t row = ChangeRows::kNone; ///< Of what no run changes the size of: none.
        bool grows = false; ///< Every run has more when one begins.
    };

    [[nodiscard]] std::uint32_t rowOf(AllocationId a) const
    {
        return m_kinds.of.empty() ? ChangeRows::kNone : m_of_kind[m_kinds.of[a.index()]].row;
    }
    [[nodiscard]] bool onlyGrows(AllocationId a) const
    {
        return m_kinds.of.empty() ? m_facts.bytes(a) > 0 : m_of_kind[m_kinds.of[a.index()]].grows;
    }

    void enter(StateId stop)
    {
        m_piece = stop;
        m_piece_largest.assign(m_change.size(), kBelowAll);
    }

    void leave()
    {
        for (std::size_t r = 0; r < m_results.size(); ++r) {
            const Amount largest = amountOf(m_piece_largest, r);
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

    static void raise(Amount& largest, const Amount& value)
    {
        largest = {std::max(largest.low, value.low), std::max(largest.mid, value.mid),
                   std::max(largest.high, value.high)};
    }

    /// Stands at `s`; `grows`: what comes next makes every run larger.
    void goTo(StateId s, bool grows)
    {
        const std::vector<ChangeRows::Turn>& turns = m_rows.turns();
        for (; m_turn < turns.size() && turns[m_turn].at < s; ++m_turn) {
            lookUntil(turns[m_turn].at, false);
            apply(turns[m_turn]);
        }
        const bool turns_here = m_turn < turns.size() && turns[m_turn].at == s;
        lookUntil(s, grows && !turns_here);
    }

    void lookUntil(StateId s, bool may_skip)
    {
        if (s <= m_at) {
            return;
        }
        const std::int64_t active = m_facts.replay.active[m_at.index()];
        const bool may_be_largest =
            !may_skip && active - m_active_then + m_pending.most() > m_headroom;
        if (may_be_largest || m_at == m_piece || m_request.keep_curve) {
            look(active);
        }
        if (m_request.keep_curve) {
            keepCurves(active, s);
        }
        m_at = s;
    }

    void look(std::int64_t active)
    {
        m_pending.addTo(m_change);
        const std::size_t runs = m_results.size();
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

    void keepCurves(std::int64_t active, StateId until)
    {
        for (std::size_t r = 0; r < m_results.size(); ++r) {
            std::vector<std::int64_t>& curve = m_results[r].curve;
            std::fill(curve.begin() + m_at.value, curve.begin() + until.value,
                      m_change[m_results.size() + r] + active);
        }
    }

    void lookAtPoints(std::int64_t active)
    {
        for (std::size_t i = 0; i < m_request.points.size(); ++i) {
            if (std::min(m_request.points[i].value, m_states - 1) != m_at.value) {
                continue;
            }
            for (std::size_t r = 0; r < m_results.size(); ++r) {
                m_results[r].points[i] = {amountOf(m_change, r).plus(static_cast<double>(active)),
                                          amountOf(m_state_change, r),
                                          amountOf(m_gradient_change, r)};
            }
        }
    }

    void change(AllocationId a, bool begins)
    {
        const std::uint32_t row = rowOf(a);
        if (row != ChangeRows::kNone) {
            turn(row, begins ? 1 : -1);
        }
        Lanes* const until = begins && wantsSurvivors() ? outlasting(m_facts.end(a)) : nullptr;
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

    void apply(const ChangeRows::Turn& t)
    {
        turn(t.row, t.count);
        if (t.goes_on && wantsSurvivors()) {
            addTo(m_survivors, m_rows.row(t.row), t.count);
            m_headroom = kBelowAll; // where it turns back there is more above them
            return;
        }
        const bool begins = t.until > t.at;
        Lanes* const until = begins && wantsSurvivors() ? outlasting(t.until) : nullptr;
        if (until != nullptr) {
            addTo(m_survivors, m_rows.row(t.row), t.count);
            addTo(*until, m_rows.row(t.row), t.count);
        }
    }

    void turn(std::uint32_t row, std::int64_t count)
    {
        m_pending.add(row, count);
        if (m_rows.bucket(row) == label::Bucket::optimizer_state) {
            addTo(m_state_change, m_rows.row(row), count);
        } else if (m_rows.bucket(row) == label::Bucket::gradient) {
            addTo(m_gradient_change, m_rows.row(row), count);
        }
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
    const SizeKinds& m_kinds;
    const ScanRequest& m_request;
    std::uint32_t m_states;
    ChangeRows m_rows;
    std::size_t m_turn = 0; ///< The next one of the rows' turns.
    StateId m_at; ///< All states before it have been looked at.
    std::vector<OfKind> m_of_kind;
    Pending m_pending;
    Lanes m_change; ///< Beside the recorded bytes, in the present state but for what is pending.
    std::int64_t m_active_then = 0; ///< Recorded bytes when the lanes were last looked at.
    std::int64_t m_headroom = 0; ///< No lane was nearer than that to its largest.
    Lanes m_state_change;
    Lanes m_gradient_change;
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

std::vector<ScanResult> scanAll(const Facts& facts, const SizeKinds& kinds,
                                std::span<const ChangedRun> runs, const ScanRequest& request)
{
    return Sweeper(facts, kinds, runs, request).run();
}

ScanResult scan(const Facts& facts, const SizeKinds& kinds, const ChangedRun& run,
                const ScanRequest& request)
{
    return std::move(scanAll(facts, kinds, {&run, 1}, request).front());
}

} // namespace tidemark::diagnose
