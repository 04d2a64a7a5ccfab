// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/step_growth.h"
#include "core/curves/trend.h"
#include "tests/core/curves/random_steps.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <map>

namespace tidemark::tst_step_growth {

using curves::GrowthVerdict;
using curves::StackGrowth;
using curves::StepGrowth;

namespace {

/// Steps of one input event each and a given script per step; the names of allocations get the
/// step's number where `%` stands.
struct Run {
    trace::Snapshot snapshot;
    replay::Replay replay;
    label::DeviceLabels labels;

    explicit Run(const std::vector<std::string>& steps)
        : snapshot(test::snapshotFromScript(join(steps)))
    {
        NoProgress progress;
        replay = replay::run(snapshot, progress, {}).value();
        labels.bucket.assign(replay.devices[0].allocations.count(), label::Bucket::output);
        std::uint32_t first = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const auto lines =
                std::ranges::count(steps[i], '\n') + std::ranges::count(steps[i], '-');
            const std::uint32_t end = first + static_cast<std::uint32_t>(lines);
            labels.steps.push_back({EventId(first), EventId(end - 1)});
            labels.phases.push_back({EventId(first), EventId(end), label::Phase::optimizer,
                                     static_cast<std::uint32_t>(i + 1)});
            first = end;
        }
    }
    static std::string join(const std::vector<std::string>& steps)
    {
        std::string all = "stack leak = keep /me/train.py:5\nstack other = f /me/train.py:9\n";
        for (const std::string& step : steps) {
            all += step;
        }
        return all;
    }
    [[nodiscard]] StepGrowth growth() const
    {
        const replay::DeviceReplay& device = replay.devices[0];
        return curves::growthPerStep(device, labels, device.lastState());
    }
};

std::int64_t liveOf(const replay::DeviceReplay& replay, StackId stack, StateId state)
{
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < replay.allocations.count(); ++i) {
        if (replay.allocations.stack[i] == stack
            && replay.allocations.isLive(AllocationId(i), state)) {
            bytes += replay.allocations.requested[i].value;
        }
    }
    return bytes;
}

} // namespace

class TstStepGrowth : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySeriesIsWhatLivesAtTheEndsOfSteps();
    void whatRisesEveryStepIsALeak();
    void aCacheThatIsFullHasStopped();
    void stateThatIsMadeLateHasStopped();
    void whatComesAndGoesIsUnclear();
    void theWordsSayWhatTheRowsSay();
    void belowThreeStepsNothingIsSaid();
    void aStepThatRanOutDoesNotCount();
    void theTeardownDoesNotCount();
    void whatTheLastStepStillHoldsDidNotRise();
};

void TstStepGrowth::everySeriesIsWhatLivesAtTheEndsOfSteps()
{
    std::size_t all_changed = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        const test::RandomSteps run(seed, 160, 3 + seed % 10);
        const replay::DeviceReplay& device = run.device();
        const StateId until{device.lastState().value - seed % 50};
        const StepGrowth growth = curves::growthPerStep(device, run.labels, until);
        std::size_t changed = 0;
        for (std::size_t s = 0; s <= run.snapshot.stacks.stackCount(); ++s) {
            const StackId stack =
                s == run.snapshot.stacks.stackCount() ? StackId::none() : StackId(s);
            std::vector<std::int64_t> series;
            std::vector<std::uint32_t> at;
            for (const StateId end : growth.ends) {
                QVERIFY(end <= until);
                at.push_back(static_cast<std::uint32_t>(at.size()));
                series.push_back(liveOf(device, stack, end));
            }
            const auto found = std::ranges::find(growth.stacks, stack, &StackGrowth::stack);
            const bool is_flat =
                std::ranges::all_of(series, [&](auto b) { return b == series[0]; });
            if (series.size() < 3 || is_flat) {
                QVERIFY(found == growth.stacks.end());
                continue;
            }
            ++changed;
            QVERIFY(found != growth.stacks.end());
            QCOMPARE(found->first_bytes, series.front());
            QCOMPARE(found->last_bytes, series.back());
            QCOMPARE(found->steps, static_cast<std::uint32_t>(series.size()));
            QCOMPARE(found->p, curves::trendSignificance(series));
            QCOMPARE(found->bytes_per_step, curves::medianSlope(at, series));
        }
        QCOMPARE(growth.stacks.size(), changed);
        all_changed += changed;
    }
    QVERIFY(all_changed > 60);
}

void TstStepGrowth::whatRisesEveryStepIsALeak()
{
    std::vector<std::string> steps;
    for (int i = 0; i < 6; ++i) {
        steps.push_back(fmt::format("k{0} +1000 @leak\nt{0} +50000 @other\nt{0} -\n", i));
    }
    const StepGrowth growth = Run(steps).growth();
    QCOMPARE(growth.ends.size(), std::size_t{6});
    QCOMPARE(growth.stacks.size(), std::size_t{1});
    const StackGrowth& leak = growth.stacks[0];
    QVERIFY(leak.verdict == GrowthVerdict::rising);
    QCOMPARE(leak.bytes_per_step, 1000.0);
    QCOMPARE(leak.rises, 5U);
    QCOMPARE(leak.falls, 0U);
    QVERIFY(std::abs(leak.p - 1.0 / 720) < 1e-12);
    QVERIFY(leak.bucket == label::Bucket::output);
}

void TstStepGrowth::aCacheThatIsFullHasStopped()
{
    std::vector<std::string> steps;
    for (int i = 0; i < 9; ++i) {
        steps.push_back(i < 4 ? fmt::format("k{} +1000 @leak\n", i)
                              : fmt::format("t{0} +7 @other\nt{0} -\n", i));
    }
    const StepGrowth growth = Run(steps).growth();
    QCOMPARE(growth.stacks.size(), std::size_t{1});
    QVERIFY(growth.stacks[0].verdict == GrowthVerdict::stopped);
}

void TstStepGrowth::stateThatIsMadeLateHasStopped()
{
    std::vector<std::string> steps{"a +7 @other\n"};
    steps.emplace_back("m +90000 @leak\n");
    for (int i = 0; i < 4; ++i) {
        steps.push_back(fmt::format("t{0} +7 @other\nt{0} -\n", i));
    }
    const StepGrowth growth = Run(steps).growth();
    QCOMPARE(growth.stacks.size(), std::size_t{1});
    QVERIFY(growth.stacks[0].verdict == GrowthVerdict::stopped);
    QCOMPARE(growth.stacks[0].rises, 1U);
}

void TstStepGrowth::whatComesAndGoesIsUnclear()
{
    std::vector<std::string> steps{"k0 +1000 @leak\n"};
    for (int i = 1; i < 8; ++i) {
        steps.push_back(fmt::format("k{} +{} @leak\nk{} -\n", i, 1000 + i * 37 % 11, i - 1));
    }
    const StepGrowth growth = Run(steps).growth();
    QCOMPARE(growth.stacks.size(), std::size_t{1});
    QVERIFY(growth.stacks[0].verdict != GrowthVerdict::rising);
    QVERIFY(growth.stacks[0].falls > 0);
}

void TstStepGrowth::theWordsSayWhatTheRowsSay()
{
    const auto wordsOf = [](int steps, const char* script) {
        std::vector<std::string> all;
        for (int i = 0; i < steps; ++i) {
            all.push_back(fmt::format(fmt::runtime(script), i));
        }
        const StepGrowth growth = Run(all).growth();
        const bool any = std::ranges::any_of(growth.stacks, curves::onlyRose);
        return std::pair{any, curves::growthWords(growth)};
    };
    // Too few to be significant, and it rose at each end all the same.
    QCOMPARE(wordsOf(3, "k{0} +1000 @leak\n"),
             (std::pair{true,
                        std::string("1.95 KiB more are live after 3 complete steps than "
                                    "after the first; with so few it may be a leak or "
                                    "warm-up.")}));
    QCOMPARE(wordsOf(3, "t{0} +7 @other\nt{0} -\n"),
             (std::pair{false, std::string("No growth over 3 complete steps.")}));
    QCOMPARE(wordsOf(6, "k{0} +1000 @leak\n").second,
             std::string("Live bytes at the ends of 6 complete steps."));
    QVERIFY(wordsOf(2, "k{0} +1000 @leak\n").second.find("recording has 2") != std::string::npos);
}

void TstStepGrowth::belowThreeStepsNothingIsSaid()
{
    const StepGrowth growth = Run({"a +100 @leak\n", "b +100 @leak\n"}).growth();
    QVERIFY(growth.stacks.empty());
}

void TstStepGrowth::aStepThatRanOutDoesNotCount()
{
    std::vector<std::string> steps;
    for (int i = 0; i < 4; ++i) {
        steps.push_back(fmt::format("k{} +1000 @leak\n", i));
    }
    steps.emplace_back("k5 +1000 @leak\noom 1M free=512K\n");
    const StepGrowth growth = Run(steps).growth();
    QCOMPARE(growth.ends.size(), std::size_t{4});
    QCOMPARE(growth.stacks.at(0).last_bytes, std::int64_t{4000});
}

void TstStepGrowth::theTeardownDoesNotCount()
{
    std::vector<std::string> steps;
    for (int i = 0; i < 5; ++i) {
        steps.push_back(fmt::format("k{0} +1000 @leak\nt{0} +50000 @other\nt{0} -\n", i));
    }
    for (int i = 0; i < 5; ++i) {
        steps.back() += fmt::format("k{} -\n", i); // the program ends
    }
    const StepGrowth growth = Run(steps).growth();
    QCOMPARE(growth.ends.size(), std::size_t{5});
    QCOMPARE(growth.stacks.size(), std::size_t{1});
    QCOMPARE(growth.stacks[0].last_bytes, std::int64_t{5000});
    QVERIFY(growth.stacks[0].verdict == GrowthVerdict::rising);
}

void TstStepGrowth::whatTheLastStepStillHoldsDidNotRise()
{
    // Gradients go where the next step begins, and after the last one none does.
    Run run({"g0 +9000 @other\ng0 -\n", "g1 +9000 @other\ng1 -\n", "g2 +9000 @other\n"});
    QCOMPARE(run.growth().stacks.size(), std::size_t{1});
    QVERIFY(curves::onlyRose(run.growth().stacks[0])); // as an output
    run.labels.bucket.assign(run.labels.bucket.size(), label::Bucket::gradient);
    QVERIFY(!curves::onlyRose(run.growth().stacks[0]));
    // What rises at each end does rise.
    Run leak({"k0 +9000 @leak\n", "k1 +9000 @leak\n", "k2 +9000 @leak\n"});
    leak.labels.bucket.assign(leak.labels.bucket.size(), label::Bucket::activation);
    QVERIFY(curves::onlyRose(leak.growth().stacks[0]));
}

TIDEMARK_TEST(TstStepGrowth)

} // namespace tidemark::tst_step_growth

#include "tst_step_growth.moc"
