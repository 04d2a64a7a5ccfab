// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/projection/living.h"
#include "tests/support/random_lifetimes.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_living {

using projection::LivingWalk;
using test::Lifetimes;
using test::LifetimeShape;

namespace {

replay::DeviceReplay replayOf(const Lifetimes& items)
{
    replay::DeviceReplay replay;
    replay.allocations.begin = items.begin;
    replay.allocations.end = items.end;
    replay.live_index = replay::LiveIndex(items.lifetimes());
    return replay;
}

std::vector<std::uint32_t> idsOf(const LivingWalk& walk)
{
    std::vector<std::uint32_t> ids;
    for (const projection::Living& living : walk.live()) {
        ids.push_back(living.allocation());
    }
    return ids;
}

} // namespace

class TstLiving : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aWalkHoldsWhatLivesInEachState_data()
    {
        QTest::addColumn<LifetimeShape>("shape");
        for (const LifetimeShape& shape : test::kLifetimeShapes) {
            QTest::newRow(shape.name) << shape;
        }
    }
    void aWalkHoldsWhatLivesInEachState()
    {
        QFETCH(LifetimeShape, shape);
        const Lifetimes items = test::randomLifetimes(shape);
        const replay::DeviceReplay replay = replayOf(items);
        LivingWalk walk(replay);
        const std::uint32_t last = test::lastState(items);
        std::mt19937 random(3);
        for (std::uint32_t s = 0; s <= last; s += 1U + static_cast<std::uint32_t>(random() % 400)) {
            const std::vector<std::uint32_t> old = idsOf(walk);
            const std::size_t kept = walk.goTo({s});
            const std::vector<std::uint32_t> now = idsOf(walk);
            QVERIFY2(now == items.liveAt({s}), fmt::format("state {}", s).c_str());
            QVERIFY(kept <= old.size() && kept <= now.size());
            QVERIFY(std::equal(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(kept),
                               now.begin()));
        }
    }
    void jumpsAreTheSameAsManySteps()
    {
        const Lifetimes items = test::randomLifetimes(11, 30'000, 20, 100);
        const replay::DeviceReplay replay = replayOf(items);
        const std::uint32_t last = items.begin.back().value;
        for (std::uint32_t from = 0; from < last; from += last / 7) {
            for (std::uint32_t to = 0; to <= last; to += last / 5) { // Backwards, too.
                LivingWalk walk(replay);
                walk.goTo({from});
                walk.goTo({to});
                QVERIFY2(idsOf(walk) == items.liveAt({to}),
                         fmt::format("{} to {}", from, to).c_str());
            }
        }
    }
    void nothingLivesOutsideOfTheTrace()
    {
        const Lifetimes items = test::randomLifetimes(5, 100, 500, 100);
        const replay::DeviceReplay replay = replayOf(items);
        LivingWalk walk(replay);
        walk.goTo({50});
        QVERIFY(!walk.live().empty());
        QCOMPARE(walk.leave(), 0UL);
        QVERIFY(walk.live().empty());
        walk.goTo({60});
        QVERIFY(idsOf(walk) == items.liveAt({60}));
    }
};

TIDEMARK_TEST(TstLiving)

} // namespace tidemark::tst_living

#include "tst_living.moc"
