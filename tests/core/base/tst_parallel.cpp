// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/parallel.h"
#include "core/base/progress.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <stdexcept>
#include <string>

namespace tidemark::tst_parallel {

class TstParallel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyItemIsDoneOnce()
    {
        for (const std::size_t count : {0UL, 1UL, 2UL, 1000UL}) {
            std::vector<int> times(count, 0);
            forEachInParallel(count, [&](std::size_t i) { ++times[i]; });
            QVERIFY(std::ranges::all_of(times, [](int n) { return n == 1; }));
        }
    }
    void whatIsThrownArrives()
    {
        try {
            forEachInParallel(100000, [&](std::size_t i) {
                if (i == 3) {
                    throw std::runtime_error("three");
                }
            });
            QFAIL("nothing was thrown");
        } catch (const std::runtime_error& error) {
            QCOMPARE(std::string(error.what()), std::string("three"));
        }
    }
    void partsOfAStageShareItsProgress()
    {
        class Last final : public ProgressSink {
        public:
            void report(std::string_view name, double fraction) override
            {
                stage = name;
                value = fraction;
            }
            std::string stage;
            double value = -1;
        } sink;
        std::stop_source source;
        const std::stop_token stop = source.get_token();
        const StagePart part{sink, stop, "counting", 1, 4};
        QVERIFY(part.goesOn(0, 10));
        QCOMPARE(sink.value, 0.25);
        QVERIFY(part.goesOn(5, 10));
        QCOMPARE(sink.value, 0.375);
        QCOMPARE(sink.stage, std::string("counting"));
        source.request_stop();
        QVERIFY(!part.goesOn(0, 0));
        QCOMPARE(sink.value, 0.5);
    }
};

TIDEMARK_TEST(TstParallel)

} // namespace tidemark::tst_parallel

#include "tst_parallel.moc"
