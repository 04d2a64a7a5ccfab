// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/bands.h"
#include "tests/core/query/queried_run.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <string>

namespace tidemark::tst_bands {

using namespace tidemark::query;
using tidemark::test::QueriedRun;

namespace {

std::string namesOf(const Bands& bands)
{
    std::string names;
    for (const std::string& name : bands.names) {
        names.append(names.empty() ? "" : ", ").append(name);
    }
    return names;
}

/// The number of the band of each allocation: "0 0 1".
std::string numbersOf(const Bands& bands)
{
    std::string numbers;
    for (const label::Bucket band : bands.of) {
        numbers.append(numbers.empty() ? "" : " ").append(std::to_string(label::indexOf(band)));
    }
    return numbers;
}

Bands bandsOf(const QueriedRun& run, BandBy by)
{
    return bands(*run.table, by).value();
}

} // namespace

class TstBands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyWayHasAnIdAndAName()
    {
        for (std::size_t i = 0; i < kBandByCount; ++i) {
            const auto by = static_cast<BandBy>(i);
            QCOMPARE(bandByFromId(bandById(by)), std::optional(by));
            QVERIFY(!bandByName(by).empty());
        }
        QVERIFY(!bandByFromId("colour"));
    }
    void everyAllocationHasABandWithAName()
    {
        const QueriedRun run;
        for (std::size_t i = 0; i < kBandByCount; ++i) {
            const Bands found = bandsOf(run, static_cast<BandBy>(i));
            QCOMPARE(found.of.size(), run.table->count());
            QVERIFY(!found.names.empty() && found.names.size() <= label::kBucketCount);
            for (const label::Bucket band : found.of) {
                QVERIFY(label::indexOf(band) < found.names.size());
                QVERIFY(!found.names[label::indexOf(band)].empty());
            }
        }
    }
    void sizesAndLifetimesLieFromLargeToSmall()
    {
        const QueriedRun run; // 16M, 4M, 1M, 512K, 64 B, 2M
        const Bands sizes = bandsOf(run, BandBy::size);
        QCOMPARE(namesOf(sizes),
                 std::string("10 MiB to 100 MiB, 1 MiB to 10 MiB, 64 KiB to 1 MiB, below 64 KiB"));
        QCOMPARE(numbersOf(sizes), std::string("0 1 1 2 3 1"));
        const Bands lifetimes = bandsOf(run, BandBy::lifetime);
        QCOMPARE(namesOf(lifetimes), std::string("Until the end, below 1 ms"));
        QCOMPARE(numbersOf(lifetimes), std::string("0 1 0 1 0 1"));
    }
    void whatFillsMostLiesLowest()
    {
        const QueriedRun run;
        const Bands lines = bandsOf(run, BandBy::stack);
        QCOMPARE(namesOf(lines),
                 std::string("Model.py:52 forward, Model.py:41 forward, "
                             "No stack recorded"));
        QCOMPARE(numbersOf(lines), std::string("0 1 0 2 0 1"));
        QVERIFY(!lines.other);
        QCOMPARE(namesOf(bandsOf(run, BandBy::pool)), std::string("Large blocks, Small blocks"));
        QCOMPARE(numbersOf(bandsOf(run, BandBy::pool)), std::string("0 0 1 1 1 0"));
        QCOMPARE(namesOf(bandsOf(run, BandBy::stream)), std::string("Stream 0"));
    }
    void whatHasNoRoomIsOther()
    {
        std::string stacks;
        for (int i = 1; i <= 14; ++i) {
            const std::string n = std::to_string(i);
            stacks += "stack s" + n + " = f" + n + " /me/more.py:" + n + "\nlive x" + n + " "
                + std::to_string(20 + i) + "M @s" + n + "\n";
        }
        const QueriedRun run(stacks);
        const Bands lines = bandsOf(run, BandBy::stack);
        QCOMPARE(lines.names.size(), label::kBucketCount);
        QCOMPARE(lines.names.front(), std::string("more.py:14 f14"));
        QCOMPARE(lines.other, std::optional(label::kBucketCount - 1));
        QCOMPARE(lines.names.back(), std::string("Other (7)")); // Of 14 + 3 lines.
    }
    void itStops()
    {
        const QueriedRun run;
        std::stop_source stop;
        stop.request_stop();
        const auto stopped = bands(*run.table, BandBy::stack, stop.get_token());
        QVERIFY(!stopped.has_value() && stopped.error().code == ErrorCode::cancelled);
    }
};

TIDEMARK_TEST(TstBands)

} // namespace tidemark::tst_bands

#include "tst_bands.moc"
