// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/predict/run_scan.h"
#include "tests/core/diagnose/scenarios.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <array>
#include <random>

namespace tidemark::tst_run_scan {

using namespace tidemark::diagnose;
using label::Bucket;

namespace {

struct Found : test::GatheredRun {
    using GatheredRun::GatheredRun;

    [[nodiscard]] std::uint32_t states() const
    {
        return static_cast<std::uint32_t>(facts.replay.stateCount());
    }
    const SizeKinds kinds = sizeKinds(facts);
};

void sortByState(Lifetimes& lifetimes)
{
    std::ranges::sort(lifetimes, {}, &LifetimeTurn::at);
}

/// Some kinds grow or shrink, some of their allocations come or go, and something is added.
ChangedRun randomRun(const Found& found, std::mt19937& random)
{
    const auto bytes = [&] {
        const auto low = static_cast<double>(random() % 1000);
        return Amount{low, low + 10, low + 500};
    };
    ChangedRun run;
    run.is_changed = true;
    for (const Subject& kind : found.kinds.examples) {
        const Amount recorded = exactly(kind.bytes);
        run.sizes.push_back(random() % 3 == 0       ? bytes().plus(recorded.mid)
                                : random() % 3 == 0 ? Amount{}
                                                    : recorded);
    }
    if (random() % 4 == 0) {
        run.sizes.clear();
    }
    const auto stretch = [&](std::uint32_t beyond) {
        const auto a = static_cast<std::uint32_t>(random() % (found.states() + beyond));
        const auto b = static_cast<std::uint32_t>(random() % (found.states() + beyond));
        return Interval<StateId>{{std::min(a, b)}, {std::max(a, b)}};
    };
    Lifetimes lifetimes;
    Additions additions;
    for (int i = 0; i < 20; ++i) {
        const Interval<StateId> some = stretch(1);
        const auto kind = static_cast<std::uint32_t>(random() % found.kinds.count());
        const std::int32_t count = random() % 2 == 0 ? 1 : -2;
        const bool perhaps = random() % 3 == 0;
        const bool goes_on = random() % 5 == 0;
        if (!some.isEmpty()) {
            lifetimes.push_back({some.begin, some.end, kind, count, perhaps, goes_on});
            lifetimes.push_back({some.end, {}, kind, -count, perhaps, goes_on});
        }
        const Interval<StateId> other = stretch(3);
        additions.push_back({other.begin, other.end, bytes()});
    }
    sortByState(lifetimes);
    run.lifetimes = std::make_shared<const Lifetimes>(std::move(lifetimes));
    run.additions = {std::make_shared<const Additions>(std::move(additions))};
    return run;
}

/// What lives in every state, as a stretch per allocation and edit.
struct Stretch {
    StateId begin;
    StateId end;
    Amount bytes;
    Amount change; ///< Of optimizer state.
    bool goes_on = false; ///< In a recorded life that outlasts the step.
};

std::vector<Stretch> stretchesOf(const Found& found, const ChangedRun& run)
{
    const replay::Allocations& all = found.facts.allocations();
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const Amount recorded = exactly(all.requested[i].value);
        const Amount after = run.sizes.empty() ? recorded : run.sizes[found.kinds.of[i]];
        const bool is_state = found.facts.bucket(AllocationId(i)) == Bucket::optimizer_state;
        stretches.push_back(
            {all.begin[i], all.end[i], after, is_state ? after.plus(-recorded.mid) : Amount{}});
    }
    for (const LifetimeTurn& turn : run.lifetimes ? *run.lifetimes : Lifetimes()) {
        Amount bytes;
        if (turn.until > turn.at) {
            bytes = run.sizeOf(found.kinds, turn.kind).times(exactly(turn.count));
        }
        bytes.low = turn.perhaps ? 0 : bytes.low;
        const bool is_state = found.kinds.examples[turn.kind].bucket == Bucket::optimizer_state;
        stretches.push_back(
            {turn.at, turn.until, bytes, is_state ? bytes : Amount{}, turn.goes_on});
    }
    for (const auto& additions : run.additions) {
        for (const Span& a : *additions) {
            stretches.push_back({a.begin, a.end, a.bytes, {}});
        }
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
    [[nodiscard]] Amount active(std::uint32_t s) const
    {
        Amount sum;
        for (const Stretch& x : m_stretches) {
            sum += x.begin.value <= s && s < x.end.value ? x.bytes : Amount{};
        }
        return sum;
    }
    [[nodiscard]] Amount stateChange(std::uint32_t s) const
    {
        Amount sum;
        for (const Stretch& x : m_stretches) {
            sum += x.begin.value <= s && s < x.end.value ? x.change : Amount{};
        }
        return sum;
    }
    /// Of what lives in `s`, that which lives beyond a boundary after `s`.
    [[nodiscard]] Amount survivors(std::uint32_t s) const
    {
        Amount sum;
        for (const Stretch& x : m_stretches) {
            const bool outlasts = std::ranges::any_of(
                m_boundaries, [&](StateId b) { return b.value > s && x.begin < b && b < x.end; });
            const bool is_there = x.begin.value <= s && (!x.goes_on || s < x.end.value);
            sum += is_there && (outlasts || x.goes_on) ? x.bytes : Amount{};
        }
        return sum;
    }

private:
    const std::vector<StateId>& m_boundaries;
    std::vector<Stretch> m_stretches;
};

void raise(Amount& largest, const Amount& value)
{
    largest = {std::max(largest.low, value.low), std::max(largest.mid, value.mid),
               std::max(largest.high, value.high)};
}

void compare(const Found& found, const ChangedRun& run, const ScanRequest& request,
             const ScanResult& result)
{
    const Oracle oracle(found, run);
    Amount largest = oracle.active(0);
    StateId largest_at;
    std::vector<std::optional<Amount>> ranges(request.ranges.size());
    Amount above;
    for (std::uint32_t s = 0; s < found.states(); ++s) {
        const Amount active = oracle.active(s);
        largest_at = active.mid > largest.mid ? StateId{s} : largest_at;
        raise(largest, active);
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            if (request.ranges[i].contains({s})) {
                ranges[i] = ranges[i].value_or(active);
                raise(*ranges[i], active);
            }
        }
        if (request.steps.contains({s})) {
            Amount beyond = oracle.survivors(s).times(exactly(-1));
            raise(above, beyond += active);
        }
        QVERIFY(!request.keep_curve || static_cast<double>(result.curve[s]) == active.mid);
    }
    QVERIFY(result.largest == largest);
    QCOMPARE(result.largest_mid_at.value, largest_at.value);
    QVERIFY(result.above_survivors == above);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        QVERIFY(result.ranges[i] == ranges[i].value_or(Amount{}));
    }
    for (std::size_t i = 0; i < request.points.size(); ++i) {
        const std::uint32_t s = std::min(request.points[i].value, found.states() - 1);
        QVERIFY(result.points[i].active == oracle.active(s));
        QVERIFY(result.points[i].state_change == oracle.stateChange(s));
    }
}

void compare(const Found& found, const ChangedRun& run, const ScanRequest& request)
{
    compare(found, run, request, scan(found.facts, found.kinds, run, request));
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
                std::vector<ChangedRun> changed;
                for (int i = 0; i <= round % 5; ++i) {
                    changed.push_back(randomRun(found, random));
                }
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
                const auto results = scanAll(found.facts, found.kinds, changed, request);
                QCOMPARE(results.size(), changed.size());
                for (std::size_t i = 0; i < changed.size(); ++i) {
                    compare(found, changed[i], request, results[i]);
                }
            }
        }
    }
    void whatRunsShareIsAddedToEach()
    {
        const Found found(test::diesInLongestBatch());
        std::mt19937 random(3);
        ChangedRun first = randomRun(found, random);
        ChangedRun second = randomRun(found, random);
        second.lifetimes = first.lifetimes;
        second.additions.push_back(first.additions.front());
        second.additions.push_back(first.additions.front());
        const std::array<ChangedRun, 3> runs{first, second, ChangedRun()};
        const ScanRequest request{{{2}, {90}}, {{{5}, {70}}}, {}, true};
        const auto results = scanAll(found.facts, found.kinds, runs, request);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            compare(found, runs[i], request, results[i]);
        }
    }
    void anUnchangedRunIsTheRecordedOne()
    {
        const Found found(test::diesOfLeak());
        ScanRequest request;
        request.keep_curve = true;
        const ScanResult result = scan(found.facts, {}, {}, request);
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
        run.additions = {std::make_shared<const Additions>(Additions{{{0}, {5}, {1, 2, 3}}})};
        compare(found, run, {{{0}, {9}}, {{{0}, {1}}}, {}, true});
    }
};

TIDEMARK_TEST(TstRunScan)

} // namespace tidemark::tst_run_scan

#include "tst_run_scan.moc"
