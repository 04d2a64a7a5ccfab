// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/live_index.h"
#include "tests/support/random_lifetimes.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <random>

using namespace tidemark;
using replay::LiveIndex;
using test::Lifetimes;
using test::randomLifetimes;

class TstLiveIndex : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStateHasTheSameLiveItemsAsACount_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<unsigned>("long_lived");
        QTest::addColumn<unsigned>("together");
        QTest::newRow("none") << 0 << 0U << 0U;
        QTest::newRow("one") << 1 << 0U << 0U;
        QTest::newRow("short lives") << 20'000 << 0U << 300U;
        QTest::newRow("some stay") << 20'000 << 50U << 300U;
        QTest::newRow("all stay") << 9'000 << 1000U << 300U;
        QTest::newRow("all at once") << 9'000 << 500U << 1000U;
    }
    void everyStateHasTheSameLiveItemsAsACount()
    {
        QFETCH(int, count);
        QFETCH(unsigned, long_lived);
        QFETCH(unsigned, together);
        const Lifetimes items =
            randomLifetimes(7, static_cast<std::size_t>(count), long_lived, together);
        const LiveIndex index(items.lifetimes());
        const std::uint32_t last = items.begin.empty() ? 5 : items.begin.back().value + 250;
        std::vector<std::uint32_t> live;
        std::mt19937 random(3);
        for (std::uint32_t s = 0; s <= last; s += 1U + static_cast<std::uint32_t>(random() % 400)) {
            const std::vector<std::uint32_t> expected = items.liveAt({s});
            index.liveAt(items.lifetimes(), {s}, live);
            QVERIFY2(live == expected, fmt::format("state {}", s).c_str());
        }
    }
};

TIDEMARK_TEST(TstLiveIndex)
#include "tst_live_index.moc"
