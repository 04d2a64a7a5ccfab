// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/run_scan.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <random>

using namespace tidemark;
using namespace tidemark::diagnose;
using label::Bucket;

namespace {

struct Found : test::GatheredRun {
    using GatheredRun::GatheredRun;

    [[nodiscard]] std::uint32_t states() const
    {
        return static_cast<std::uint32_t>(facts.replay.stateCount());
    }
};

/// Some allocations grow or shrink, some move, and something is added.
ChangedRun randomRun(const Found& found, std::mt19937& random)
{
    const replay::Allocations& all = found.facts.allocations();
    const auto bytes = [&] {
        const auto low = static_cast<std::int64_t>(random() % 1000);
        return Totals{low, low + 10, low + 500};
    };
    ChangedRun run;
    run.is_changed = true;
    run.delta_of.assign(all.count(), ChangedRun::kUnchanged);
    for (std::size_t i = 0; i < all.count(); ++i) {
        if (random() % 3 == 0) {
            run.delta_of[i] = static_cast<std::uint32_t>(run.deltas.size());
            run.deltas.push_back(random() % 2 == 0 ? bytes() : Totals{} - bytes());
        }
    }
    for (int i = 0; i < 20; ++i) {
        const StateId begin{static_cast<std::uint32_t>(random() % (found.states() + 3))};
        const StateId end{static_cast<std::uint32_t>(random() % (found.states() + 3))};
        run.edits.push_back({begin, end, bytes(), random() % 2 == 0});
    }
    return run;
}

/// What lives in every state, as a stretch per allocation and edit.
struct Stretch {
    StateId begin;
    StateId end;
    Totals bytes;
    Totals change; ///< Of optimizer state.
};

std::vector<Stretch> stretchesOf(const Found& found, const ChangedRun& run)
{
    const replay::Allocations& all = found.facts.allocations();
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const bool changed = !run.delta_of.empty() && run.delta_of[i] != ChangedRun::kUnchanged;
        const Totals delta = changed ? run.deltas[run.delta_of[i]] : Totals{};
        const bool is_state = found.facts.bucket(AllocationId(i)) == Bucket::optimizer_state;
        stretches.push_back({all.begin[i], all.end[i],
                             delta + Totals::equal(all.requested[i].value),
                             is_state ? delta : Totals{}});
    }
    for (const ChangedRun::Edit& e : run.edits) {
        stretches.push_back({e.begin, e.end, e.bytes, e.is_state ? e.bytes : Totals{}});
    }
    return stretches;
}

/// State by state, from nothing but what the header says.
class Oracle {
public:
    Oracle(const Found& found, const ChangedRun& run)
        : m_boundaries(found.facts.boundaries)
        , m_stretches(stretchesOf(found, run))
    {
    }
    [[nodiscard]] Totals active(std::uint32_t s) const
    {
        Totals sum;
        for (const Stretch& x : m_stretches) {
            sum += x.begin.value <= s && s < x.end.value ? x.bytes : Totals{};
        }
        return sum;
    }
    [[nodiscard]] Totals stateChange(std::uint32_t s) const
    {
        Totals sum;
        for (const Stretch& x : m_stretches) {
            sum += x.begin.value <= s && s < x.end.value ? x.change : Totals{};
        }
        return sum;
    }
    /// Of what lives in `s`, that which lives beyond a boundary after `s`.
    [[nodiscard]] Totals survivors(std::uint32_t s) const
    {
        Totals sum;
        for (const Stretch& x : m_stretches) {
            const bool outlasts = std::ranges::any_of(
                m_boundaries, [&](StateId b) { return b.value > s && x.begin < b && b < x.end; });
            sum += x.begin.value <= s && outlasts ? x.bytes : Totals{};
        }
        return sum;
    }

private:
    const std::vector<StateId>& m_boundaries;
    std::vector<Stretch> m_stretches;
};

void raise(Totals& largest, const Totals& value)
{
    largest = {std::max(largest.low, value.low), std::max(largest.mid, value.mid),
               std::max(largest.high, value.high)};
}

void compare(const Found& found, const ChangedRun& run, const ScanRequest& request)
{
    const ScanResult result = scan(found.facts, run, request);
    const Oracle oracle(found, run);
    Totals largest = oracle.active(0);
    StateId largest_at;
    std::vector<std::optional<Totals>> ranges(request.ranges.size());
    Totals above;
    for (std::uint32_t s = 0; s < found.states(); ++s) {
        const Totals active = oracle.active(s);
        largest_at = active.mid > largest.mid ? StateId{s} : largest_at;
        raise(largest, active);
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            if (request.ranges[i].contains({s})) {
                ranges[i] = ranges[i].value_or(active);
                raise(*ranges[i], active);
            }
        }
        if (request.steps.contains({s})) {
            raise(above, active - oracle.survivors(s));
        }
        QVERIFY(!request.keep_curve || result.curve[s] == active.mid);
    }
    QVERIFY(result.largest == largest);
    QCOMPARE(result.largest_mid_at.value, largest_at.value);
    QVERIFY(result.above_survivors == above);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        QVERIFY(result.ranges[i] == ranges[i].value_or(Totals{}));
    }
    for (std::size_t i = 0; i < request.points.size(); ++i) {
        const std::uint32_t s = std::min(request.points[i].value, found.states() - 1);
        QVERIFY(result.points[i].active == oracle.active(s));
        QVERIFY(result.points[i].state_change == oracle.stateChange(s));
    }
}

} // namespace

class TstRunScan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFigureIsThatOfASumOverStates()
    {
        const std::array<Found, 4> runs{Found(test::fineRun()), Found(test::diesOfLeak()),
                                        Found(test::diesInLongestBatch()),
                                        Found(test::diesWithKeptGradients())};
        std::mt19937 random(11);
        for (const Found& found : runs) {
            for (int round = 0; round < 12; ++round) {
                const ChangedRun run = randomRun(found, random);
                const auto state = [&] {
                    return StateId{static_cast<std::uint32_t>(random() % (found.states() + 5))};
                };
                ScanRequest request;
                request.points = {state(), state(), state(), StateId::start()};
                request.ranges = {{state(), state()}, {state(), state()}, {{3}, {3}}};
                request.keep_curve = round % 2 == 0;
                const auto& steps = found.facts.boundaries;
                if (round % 3 != 0 && steps.size() > 1) {
                    request.steps = {steps.front(), steps[1 + random() % (steps.size() - 1)]};
                }
                compare(found, run, request);
            }
        }
    }
    void anUnchangedRunIsTheRecordedOne()
    {
        const Found found(test::diesOfLeak());
        ScanRequest request;
        request.keep_curve = true;
        const ScanResult result = scan(found.facts, {}, request);
        QVERIFY(result.curve == found.facts.replay.active);
        QCOMPARE(result.largest_mid_at.value, found.facts.replay.peak.value);
        compare(found, {}, {{}, {}, {found.facts.boundaries[0], found.facts.boundaries[2]}});
    }
    void aRunWithoutEventsHasOneState()
    {
        test::HandRun empty(64 * test::kM);
        const Found found(empty.finish());
        QCOMPARE(found.states(), 1U);
        ChangedRun run;
        run.edits.push_back({{0}, {5}, {1, 2, 3}, true});
        compare(found, run, {{{0}, {9}}, {{{0}, {1}}}, {}, true});
    }
};

TIDEMARK_TEST(TstRunScan)
#include "tst_run_scan.moc"
