// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/runs/step_numbers.h"
#include "tests/core/label/labelled_script.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_step_numbers {

using namespace tidemark::label;

namespace {

/// Times of scripts begin at 1 s and count 10 µs per event.
TimePoint timeBefore(int event)
{
    return TimePoint(std::chrono::microseconds(1'000'000 + 10 * event - 1));
}

void open(trace::Snapshot& snapshot, const std::string& name, int event)
{
    snapshot.annotations.push_back({snapshot.strings.intern(name), true, 0, timeBefore(event)});
}

void close(trace::Snapshot& snapshot, const std::string& name, int event)
{
    snapshot.annotations.push_back({snapshot.strings.intern(name), false, 0, timeBefore(event)});
}

/// Steps of four events each.
struct Steps {
    trace::Snapshot snapshot;
    DeviceLabels labels;

    explicit Steps(int count)
    {
        std::string script;
        for (int i = 0; i < 4 * count; ++i) {
            script += fmt::format("a{} +1\n", i);
        }
        snapshot = test::snapshotFromScript(script);
        for (int i = 0; i < count; ++i) {
            const auto first = static_cast<std::uint32_t>(4 * i);
            labels.steps.push_back({EventId(first), EventId(first + 3)});
        }
    }
    [[nodiscard]] std::vector<std::int64_t> numbers() const
    {
        return StepNumbers(snapshot, snapshot.devices[0], labels).stated();
    }
};

using Numbers = std::vector<std::int64_t>;

} // namespace

class TstStepNumbers : public QObject {
    Q_OBJECT

    /// Three steps, before the first two of which the module had counted `completed`.
    static Numbers numbersOfCapture(const std::vector<std::int64_t>& completed)
    {
        Steps steps(3);
        trace::Capture capture;
        capture.moments.kind = {trace::MomentKind::forward_begin, trace::MomentKind::forward_begin};
        capture.moments.name = {"training", "training"};
        capture.moments.step = completed;
        capture.moments.time_us = {0, 0};
        capture.moments.marker_bytes = {0, 0};
        capture.clocks = {{0, {100, 104}, {0, 0}}};
        trace::CaptureDevice device;
        device.index = 0;
        device.operations = 112;
        device.epoch = 0;
        capture.devices = {device};
        steps.snapshot.capture = capture;
        return steps.numbers();
    }

private Q_SLOTS:
    /// record(steps=(10, 12)) records the steps 10 to 12.
    void theCaptureModuleCountsTheStepsOutsideOfItsWindow()
    {
        QCOMPARE(numbersOfCapture({9, 10}), (Numbers{10, 11, 12}));
        QCOMPARE(numbersOfCapture({0, 1}), (Numbers{1, 2, 3}));
        QCOMPARE(numbersOfCapture({9, 9}), Numbers{}); // A count that does not go with the trace's.
    }

    void namesBearNumbers_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("number"); // −1: none.
        const auto row = [](const char* name, qint64 number) {
            QTest::newRow(name) << QString::fromLatin1(name) << number;
        };
        row("ProfilerStep#210", 210);
        row("ProfilerStep#0", 0);
        row("## train_step 12 ##", 12);
        row("Iteration: 7", 7);
        row("Optimizer.step#AdamW.step", -1);
        row("layer 7", -1);
        row("12", -1);
        row("step", -1);
        row("step 99999999999999999999", -1);
        row("##", -1);
    }
    void namesBearNumbers()
    {
        QFETCH(QString, name);
        QFETCH(qint64, number);
        const std::string words = name.toStdString();
        const auto found = numberedScope(words);
        QCOMPARE(found ? found->second : -1, number);
    }
    void stepsHaveTheNumbersOfTheirScopes()
    {
        Steps run(3);
        QVERIFY(run.numbers().empty());
        for (int i = 0; i < 3; ++i) {
            const std::string name = fmt::format("ProfilerStep#{}", 210 + i);
            open(run.snapshot, name, 4 * i);
            open(run.snapshot, "Optimizer.step#SGD.step", 4 * i + 2);
            close(run.snapshot, "Optimizer.step#SGD.step", 4 * i + 3);
            close(run.snapshot, name, 4 * i + 4);
        }
        QCOMPARE(run.numbers(), (Numbers{210, 211, 212}));
        const StepNumbers numbers(run.snapshot, run.snapshot.devices[0], run.labels);
        QCOMPARE(numbers.of(0), 0);
        QCOMPARE(numbers.of(1), 210);
        QCOMPARE(numbers.of(3), 212);
        QCOMPARE(numbers.of(4), 213); // One that the trace cuts off.
        QCOMPARE(StepNumbers().of(4), 4);
    }
    void stepsOutsideOfScopesCountOn()
    {
        Steps run(5); // The ring buffer lost the first scope, the program skipped number 8.
        close(run.snapshot, "step 5", 3);
        open(run.snapshot, "step 6", 4);
        close(run.snapshot, "step 6", 8);
        open(run.snapshot, "step 8", 12); // Number 7 is missing, and 8 reaches to the end.
        QCOMPARE(run.numbers(), (Numbers{5, 6, 7, 8, 9}));
        Steps skipped(3);
        open(skipped.snapshot, "step 6", 0);
        close(skipped.snapshot, "step 6", 4);
        open(skipped.snapshot, "step 8", 4);
        close(skipped.snapshot, "step 8", 8);
        QCOMPARE(skipped.numbers(), (Numbers{6, 8, 9}));
    }
    void aScopeWithoutAnEndStandsForItsFirstStep()
    {
        Steps run(4);
        open(run.snapshot, "step 5", 0);
        close(run.snapshot, "step 5", 4);
        open(run.snapshot, "step 9", 4);
        QCOMPARE(run.numbers(), (Numbers{5, 9, 10, 11}));
    }
    void aFileOfMoreDevicesThanThereAreIndicesForIsCounted()
    {
        Steps run(2);
        open(run.snapshot, "step 5", 0);
        close(run.snapshot, "step 5", 4);
        run.snapshot.devices.resize(129);
        QCOMPARE(run.numbers(), (Numbers{5, 6}));
        run.snapshot.devices.resize(130);
        QVERIFY(run.numbers().empty());
    }
    void namesThatDoNotTellStepsApartAreNoNumbers()
    {
        Steps parts(2); // A part of each step bears the same name.
        for (int i = 0; i < 2; ++i) {
            open(parts.snapshot, "step 1", 4 * i);
            close(parts.snapshot, "step 1", 4 * i + 3);
        }
        QVERIFY(parts.numbers().empty());
        Steps whole(2); // One scope around both.
        open(whole.snapshot, "iteration 3", 0);
        close(whole.snapshot, "iteration 3", 8);
        QVERIFY(whole.numbers().empty());
        Steps micro(2); // Two micro-batches a step.
        for (int i = 0; i < 4; ++i) {
            open(micro.snapshot, fmt::format("iter {}", i), 2 * i);
            close(micro.snapshot, fmt::format("iter {}", i), 2 * i + 2);
        }
        QVERIFY(micro.numbers().empty());
    }
    void stepsOfARunAreNumbered()
    {
        trace::Snapshot snapshot = test::snapshotFromScript(fmt::format(
            "{}w +10000 @load\n{}{}", test::kStacks, test::step(1, true), test::step(2, false)));
        const auto count = static_cast<int>(snapshot.devices[0].events.count());
        open(snapshot, "ProfilerStep#41", 0);
        close(snapshot, "ProfilerStep#41", count / 2 + 1);
        open(snapshot, "ProfilerStep#42", count / 2 + 1);
        NoProgress progress;
        const replay::Replay replay = replay::run(snapshot, progress, {}).value();
        const Labels labels = apply(snapshot, replay, progress, {}).value();
        QCOMPARE(labels.devices[0].steps.size(), std::size_t{2});
        QCOMPARE(labels.devices[0].numbers.stated(), (Numbers{41, 42}));
    }
};

TIDEMARK_TEST(TstStepNumbers)

} // namespace tidemark::tst_step_numbers

#include "tst_step_numbers.moc"
