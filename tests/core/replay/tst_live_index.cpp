// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/live_index.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <algorithm>
#include <random>

using namespace tidemark;
using replay::LiveIndex;

namespace {

struct Items {
    std::vector<StateId> begin;
    std::vector<StateId> end;

    [[nodiscard]] LiveIndex::Lifetimes lifetimes() const
    {
        return {begin, end};
    }
    [[nodiscard]] std::vector<std::uint32_t> liveAt(StateId state) const
    {
        std::vector<std::uint32_t> live;
        for (std::uint32_t i = 0; i < begin.size(); ++i) {
            if (lifetimes().isLive(i, state)) {
                live.push_back(i);
            }
        }
        return live;
    }
};

/// `long_lived` per thousand live to the end, the others for a while; some begin together.
Items randomItems(unsigned seed, std::size_t count, unsigned long_lived, unsigned together)
{
    std::mt19937 random(seed);
    Items items;
    std::uint32_t state = 0;
    for (std::size_t i = 0; i < count; ++i) {
        state += random() % 1000 < together ? 0U : 1U + static_cast<std::uint32_t>(random() % 3);
        items.begin.push_back({state});
        items.end.push_back({state + 1 + static_cast<std::uint32_t>(random() % 200)});
    }
    for (StateId& end : items.end) {
        end = random() % 1000 < long_lived ? StateId{state + 1} : end;
    }
    return items;
}

} // namespace

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
        const Items items = randomItems(7, static_cast<std::size_t>(count), long_lived, together);
        const LiveIndex index(items.lifetimes());
        const std::uint32_t last = items.begin.empty() ? 5 : items.begin.back().value + 250;
        std::vector<std::uint32_t> live;
        std::vector<std::uint32_t> walked = items.liveAt({0});
        std::mt19937 random(3);
        StateId before{0};
        for (std::uint32_t s = 0; s <= last; s += 1U + static_cast<std::uint32_t>(random() % 400)) {
            const std::vector<std::uint32_t> expected = items.liveAt({s});
            index.liveAt(items.lifetimes(), {s}, live);
            QVERIFY2(live == expected, fmt::format("state {}", s).c_str());
            const std::vector<std::uint32_t> old = walked;
            const std::size_t kept = index.advance(items.lifetimes(), before, {s}, walked);
            QVERIFY2(walked == expected, fmt::format("from {} to {}", before.value, s).c_str());
            QVERIFY(kept <= old.size() && kept <= walked.size());
            QVERIFY(std::equal(old.begin(), old.begin() + static_cast<std::ptrdiff_t>(kept),
                               walked.begin()));
            before = {s};
        }
    }
    void aLongJumpIsTheSameAsManyShortOnes()
    {
        const Items items = randomItems(11, 30'000, 20, 100);
        const LiveIndex index(items.lifetimes());
        const std::uint32_t last = items.begin.back().value;
        for (std::uint32_t from = 0; from < last; from += last / 7) {
            for (std::uint32_t to = from; to <= last; to += last / 5) {
                std::vector<std::uint32_t> live = items.liveAt({from});
                index.advance(items.lifetimes(), {from}, {to}, live);
                QVERIFY2(live == items.liveAt({to}), fmt::format("{} to {}", from, to).c_str());
            }
        }
    }
};

TIDEMARK_TEST(TstLiveIndex)
#include "tst_live_index.moc"
