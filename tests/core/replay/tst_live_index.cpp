// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/live_index.h"
#include "tests/support/random_lifetimes.h"
#include "tests/support/test_main.h"

#include <fmt/format.h>

#include <QtTest/QTest>

#include <random>

namespace tidemark::tst_live_index {

using replay::LiveIndex;
using test::Lifetimes;
using test::LifetimeShape;

class TstLiveIndex : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStateHasTheSameLiveItemsAsACount_data()
    {
        QTest::addColumn<LifetimeShape>("shape");
        for (const LifetimeShape& shape : test::kLifetimeShapes) {
            QTest::newRow(shape.name) << shape;
        }
    }
    void everyStateHasTheSameLiveItemsAsACount()
    {
        QFETCH(LifetimeShape, shape);
        const Lifetimes items = test::randomLifetimes(shape);
        const LiveIndex index(items.lifetimes());
        std::vector<std::uint32_t> live;
        const std::uint32_t last = test::lastState(items);
        std::mt19937 random(3);
        for (std::uint32_t s = 0; s <= last; s += 1U + static_cast<std::uint32_t>(random() % 400)) {
            const std::vector<std::uint32_t> expected = items.liveAt({s});
            index.liveAt(items.lifetimes(), {s}, live);
            QVERIFY2(live == expected, fmt::format("state {}", s).c_str());
        }
    }
};

TIDEMARK_TEST(TstLiveIndex)

} // namespace tidemark::tst_live_index

#include "tst_live_index.moc"
