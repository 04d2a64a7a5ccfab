// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/timeline_points.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_timeline_points {

using tidemark::report::timelineStates;
using tidemark::test::handMadeAnalysis;

namespace {

/// Ten thousand small allocations and frees, with one short tower of 1 GiB and, later, an OOM.
const diagnose::Analysis& longRun()
{
    static const diagnose::Analysis kRun = [] {
        std::string script;
        for (int i = 0; i < 2500; ++i) {
            script += "x +1K\nx -\n";
            if (i == 700) {
                script += "tower +1G\ntower -\n";
            }
            if (i == 1900) {
                script += "oom 2G free=1G\n";
            }
        }
        return handMadeAnalysis(script, {});
    }();
    return kRun;
}

bool holds(const std::vector<StateId>& states, StateId state)
{
    return std::ranges::find(states, state) != states.end();
}

} // namespace

class TstTimelinePoints : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aShortTraceIsShownWhole()
    {
        const diagnose::Analysis analysis = handMadeAnalysis("a +512\n a -\n", {});
        const auto states = timelineStates(analysis.curves->devices[0], 1000);
        QCOMPARE(states.size(), 4U);
        QCOMPARE(states.front(), StateId::start());
        QVERIFY(std::ranges::is_sorted(states));
    }

    void aLongTraceIsReducedToTheNumberAskedFor_data()
    {
        QTest::addColumn<int>("points");
        for (const int points : {1, 2, 10, 100, 1000, 5000}) {
            QTest::addRow("%d", points) << points;
        }
    }
    void aLongTraceIsReducedToTheNumberAskedFor()
    {
        QFETCH(int, points);
        const curves::DeviceCurves& curves = longRun().curves->devices[0];
        const auto states = timelineStates(curves, static_cast<std::size_t>(points));
        const replay::DeviceReplay& replay = curves.replay();
        QVERIFY(states.size() <= std::max<std::size_t>(static_cast<std::size_t>(points), 6));
        QVERIFY(std::ranges::adjacent_find(states, std::ranges::greater_equal{}) == states.end());
        QVERIFY(holds(states, StateId::start()));
        QVERIFY(holds(states, replay.lastState()));
        QVERIFY(holds(states, replay.peak));
        QCOMPARE(replay.activeAt(replay.peak).value, 1LL << 30);
        QVERIFY(holds(states, StateId::before(replay.ooms.at(0))));
        QVERIFY(holds(states, StateId::after(replay.ooms.at(0))));
        if (points >= 100) {
            QVERIFY(states.size() > static_cast<std::size_t>(points) * 9 / 10);
        }
    }

    void aTraceWithoutEventsHasOnePoint()
    {
        const diagnose::Analysis analysis = handMadeAnalysis("live w 1M\n", {});
        QCOMPARE(timelineStates(analysis.curves->devices[0], 1000),
                 std::vector<StateId>{StateId::start()});
    }
};

TIDEMARK_TEST(TstTimelinePoints)

} // namespace tidemark::tst_timeline_points

#include "tst_timeline_points.moc"
