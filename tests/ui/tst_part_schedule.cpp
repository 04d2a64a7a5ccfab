// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "ui/models/part_schedule.h"

#include <QtTest/QTest>

namespace tidemark::tst_part_schedule {

using namespace tidemark::ui;
using namespace std::chrono_literals;

class TstPartSchedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatHasComeIsReadWheneverTwiceAsMuchIsThere()
    {
        const PartSchedule::Clock::time_point start{};
        PartSchedule schedule;
        schedule.start(start);
        QVERIFY(!schedule.isDue(0.5, false, start + 900ms)); // Soon it may be there wholly.
        schedule.start(start);
        QVERIFY(!schedule.isDue(0.06, false, start + 2s));
        QVERIFY(schedule.isDue(0.063, false, start + 2s));
        QVERIFY(!schedule.isDue(0.2, true, start + 3s)); // It is being read.
        QVERIFY(!schedule.isDue(0.12, false, start + 3s)); // Reading took one second,
        QVERIFY(!schedule.isDue(0.2, false, start + 6s)); // so four pass before the next one.
        QVERIFY(schedule.isDue(0.2, false, start + 8s));
        QVERIFY(!schedule.isDue(0.39, false, start + 8100ms));
        QVERIFY(!schedule.isDue(0.39, false, start + 60s)); // Not twice as much.
        QVERIFY(schedule.isDue(0.41, false, start + 61s));
        QVERIFY(!schedule.isDue(1.0, false, start + 120s)); // Then it is no part.
    }
    void theNextFileBeginsAnew()
    {
        const PartSchedule::Clock::time_point start{};
        PartSchedule schedule;
        schedule.start(start);
        QVERIFY(schedule.isDue(0.9, false, start + 2s));
        schedule.start(start + 3s);
        QVERIFY(!schedule.isDue(0.1, false, start + 3500ms));
        QVERIFY(schedule.isDue(0.1, false, start + 4s));
    }
};

TIDEMARK_TEST(TstPartSchedule)

} // namespace tidemark::tst_part_schedule

#include "tst_part_schedule.moc"
