// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/view_state.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <cmath>

namespace tidemark::tst_view_state {

using namespace tidemark::ui;
using tidemark::test::analysisOf;
using tidemark::test::smallRun;

namespace {

/// A saw of `events` events.
std::string longRun(int events)
{
    std::string script = "stack f = forward /home/me/model.py:1\n";
    for (int i = 0; i < events / 3; ++i) {
        const std::string name = "a" + std::to_string(i);
        script += name + " +" + std::to_string(1 + i % 7) + "M @f\n" + name + " -\n";
    }
    return script;
}

bool contains(const Interval<double>& outer, const Interval<double>& inner)
{
    return inner.begin >= outer.begin - 1e-6 && inner.end <= outer.end + 1e-6;
}

} // namespace

class TstViewState : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void itBeginsWithTheWholeTraceAtTheTellingMoment()
    {
        ViewState state;
        QVERIFY(!state.hasDevice());
        const auto analysis = analysisOf(smallRun());
        state.show(analysis, 0);
        QVERIFY(state.range() == state.extent());
        const auto& replay = analysis.replay->devices[0];
        QCOMPARE(state.cursor().value, StateId::before(replay.ooms.back()).value);
        QVERIFY(state.diagnosis() == nullptr);
        auto calm = analysisOf(longRun(300));
        calm.file = "/runs/calm.pickle";
        state.show(calm, 0);
        QCOMPARE(state.cursor().value, calm.replay->devices[0].peak.value);
    }

    void whatIsShownAlreadyIsNoNews()
    {
        ViewState state;
        diagnose::Analysis analysis = analysisOf(smallRun());
        state.show(analysis, 0);
        const QSignalSpy device(&state, &ViewState::deviceChanged);
        const QSignalSpy labels(&state, &ViewState::labelsChanged);
        const QSignalSpy parts(&state, &ViewState::analysisChanged);
        state.show(analysis, 0);
        QCOMPARE(parts.count(), 0);
        ++analysis.generation;
        state.show(analysis, 0);
        QCOMPARE(parts.count(), 1);
        analysis.labels = std::make_shared<const label::Labels>(*analysis.labels);
        state.show(analysis, 0);
        QCOMPARE(parts.count(), 2);
        QCOMPARE(labels.count(), 1);
        QCOMPARE(device.count(), 0);
    }

    void curvesLiveUntilEveryViewHasHeardOfTheNextDevice()
    {
        ViewState state;
        state.show(analysisOf(smallRun()), 0);
        std::weak_ptr former = state.analysis().curves;
        int heard = 0;
        connect(&state, &ViewState::deviceChanged, this,
                [&] { heard += former.expired() ? 0 : 1; });
        state.show(analysisOf(longRun(30)), 0);
        QCOMPARE(heard, 1);
        QVERIFY(former.expired()); // Not longer, though.
        former = state.analysis().curves;
        state.clear();
        QCOMPARE(heard, 2);
        QVERIFY(former.expired());
    }

    void zoomKeepsTheCoordinateWhereItIs()
    {
        ViewState state;
        state.show(analysisOf(longRun(3000)), 0);
        const double at = 1234;
        state.zoomAround(at, 0.25);
        for (int i = 0; i < 5; ++i) {
            const Interval<double> before = state.range();
            const double share = (at - before.begin) / (before.end - before.begin);
            state.zoomAround(at, 0.7);
            const Interval<double> after = state.range();
            QVERIFY(contains(before, after));
            QVERIFY(std::abs((at - after.begin) / (after.end - after.begin) - share) < 1e-6);
        }
    }

    void zoomAndPanStayInsideTheTrace()
    {
        ViewState state;
        state.show(analysisOf(longRun(3000)), 0);
        state.zoomAround(0, 1e-9);
        QVERIFY(state.range().end - state.range().begin >= 2 - 1e-9);
        QVERIFY(contains(state.extent(), state.range()));
        state.setRange({100, 300});
        state.pan(-1e6);
        QCOMPARE(state.range().begin, state.extent().begin);
        QVERIFY(std::abs(state.range().end - state.range().begin - 200) < 1e-6);
        state.pan(1e9);
        QVERIFY(std::abs(state.range().end - state.extent().end) < 1e-6);
        state.zoomAround(50, 1e9);
        QVERIFY(state.range() == state.extent());
        state.setRange({700, 700});
        QVERIFY(!state.range().isEmpty());
    }

    void aNewerAnalysisKeepsThePlace()
    {
        ViewState state;
        auto analysis = analysisOf(longRun(900));
        state.show(analysis, 0);
        state.setRange({100, 300});
        state.setCursor({150});
        QSignalSpy device(&state, &ViewState::deviceChanged);
        QSignalSpy parts(&state, &ViewState::analysisChanged);
        ++analysis.generation;
        state.show(analysis, 0);
        QCOMPARE(device.count(), 0);
        QCOMPARE(parts.count(), 1);
        QCOMPARE(state.cursor().value, 150U);
        QVERIFY(state.range() == (Interval<double>{100, 300}));
    }

    void thePlaceIsRememberedPerFile()
    {
        ViewState state;
        auto a = analysisOf(longRun(900));
        auto b = analysisOf(smallRun());
        b.file = "/runs/other.pickle";
        state.show(a, 0);
        state.setRange({100, 300});
        state.setCursor({150});
        state.show(b, 0);
        QVERIFY(state.range() == state.extent());
        state.show(a, 0);
        QVERIFY(state.range() == (Interval<double>{100, 300}));
        QCOMPARE(state.cursor().value, 150U);
        state.clear();
        QVERIFY(!state.hasDevice());
    }

    void theAxisChangesWithoutLosingThePlace()
    {
        ViewState state;
        state.show(analysisOf(longRun(900)), 0);
        QVERIFY(state.canShowTime());
        state.setRange({100, 300});
        state.setAxis(projection::Axis::time);
        QCOMPARE(state.axis(), projection::Axis::time);
        QCOMPARE(state.axisMap().toState(state.range().begin).value, 100U);
        QCOMPARE(state.axisMap().toState(state.range().end).value, 300U);
        state.setAxis(projection::Axis::event);
        QVERIFY(std::abs(state.range().begin - 100) < 1.01);
        QVERIFY(std::abs(state.range().end - 300) < 1.01);
        state.fit();
        state.setAxis(projection::Axis::time);
        QVERIFY(state.range() == state.extent());
    }

    void withoutTimesThereIsNoTimeAxis()
    {
        ViewState state;
        state.show(analysisOf("no-times\na +1M\na -\n"), 0);
        QVERIFY(!state.canShowTime());
        state.setAxis(projection::Axis::time);
        QCOMPARE(state.axis(), projection::Axis::event);
    }

    void theLastStateIsInsideTheLastColumn()
    {
        // The largest total is the very last state, which has no width of its own.
        const auto analysis = analysisOf("a +1M\nb +2M\nc +4M\nd +8M\n");
        ViewState state;
        state.show(analysis, 0);
        for (const int width : {80, 800, 1600}) {
            const auto projection =
                projection::projectTimeline(state.curves(), state.axisMap(), state.extent(), width);
            QCOMPARE(projection::heights(projection).total,
                     state.replay().activeAt(state.replay().peak).value);
        }
    }

    void theCursorStepsAndStaysInView()
    {
        ViewState state;
        state.show(analysisOf(longRun(900)), 0);
        state.setRange({100, 200});
        state.setCursor({199});
        state.stepCursor(50);
        QCOMPARE(state.cursor().value, 249U);
        QVERIFY(state.range().begin <= 249 && 249 <= state.range().end);
        state.stepCursor(-100000);
        QCOMPARE(state.cursor().value, 0U);
        state.stepCursor(1000000);
        QCOMPARE(state.cursor().value, state.replay().lastState().value);
        state.setCursor({4000000});
        QCOMPARE(state.cursor().value, state.replay().lastState().value);
    }

    void whatIsHoveredIsShownUntilTheMouseLeaves()
    {
        ViewState state;
        state.show(analysisOf(longRun(900)), 0);
        state.setCursor({10});
        QSignalSpy changed(&state, &ViewState::cursorChanged);
        state.setHover(StateId{20});
        state.setHover(StateId{20});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(state.shownState().value, 20U);
        state.setHover(std::nullopt);
        QCOMPARE(state.shownState().value, 10U);
    }

    void bandsAreSwitchedOneByOne()
    {
        ViewState state;
        QSignalSpy changed(&state, &ViewState::bucketsChanged);
        const std::uint32_t all = state.visibleBuckets();
        state.setBucketVisible(label::Bucket::activation, false);
        QCOMPARE(state.visibleBuckets(), all & ~(1U << label::indexOf(label::Bucket::activation)));
        state.setBucketVisible(label::Bucket::activation, false);
        QCOMPARE(changed.count(), 1);
        state.showAllBuckets();
        QCOMPARE(state.visibleBuckets(), all);
    }
};

TIDEMARK_TEST(TstViewState)

} // namespace tidemark::tst_view_state

#include "tst_view_state.moc"
