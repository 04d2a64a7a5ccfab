// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/delta.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_delta {

using namespace tidemark::projection;

namespace {

constexpr std::uint32_t kAll = (1U << label::kBucketCount) - 1;

DeltaColumn columnOf(std::int64_t first, std::int64_t second, std::int64_t third)
{
    DeltaColumn column;
    column.in_both = true;
    column.buckets[0] = first;
    column.buckets[1] = second;
    column.buckets[2] = third;
    return column;
}

} // namespace

class TstDelta : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsMoreStacksUpAndWhatIsLessDown()
    {
        const DeltaColumn column = columnOf(5, -3, 2);
        QCOMPARE(column.reach(0, true, kAll), 5);
        QCOMPARE(column.reach(1, true, kAll), 5);
        QCOMPARE(column.reach(2, true, kAll), 7);
        QCOMPARE(column.reach(0, false, kAll), 0);
        QCOMPARE(column.reach(2, false, kAll), -3);
        QCOMPARE(column.net(kAll), 4);
        const DeltaHeights both = heights({column, columnOf(-9, 0, 1)}, kAll);
        QCOMPARE(both.above, 7);
        QCOMPARE(both.below, 9);
    }

    void hiddenBandsTakeNoRoom()
    {
        const DeltaColumn column = columnOf(5, -3, 2);
        const std::uint32_t visible = kAll & ~1U;
        QCOMPARE(column.reach(2, true, visible), 2);
        QCOMPARE(heights({column}, visible).above, 2);
    }

    void bothSidesCanBeSeen()
    {
        const DeltaSides only_above = sidesFor({1000, 0});
        QVERIFY(only_above.above > 1000);
        QVERIFY(only_above.below > only_above.above / 10);
        const DeltaSides nothing = sidesFor({});
        QVERIFY(nothing.above > 0 && nothing.below > 0);
    }
};

TIDEMARK_TEST(TstDelta)

} // namespace tidemark::tst_delta

#include "tst_delta.moc"
