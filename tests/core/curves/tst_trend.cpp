// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/curves/trend.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tidemark::tst_trend {

namespace {

using Series = std::vector<std::int64_t>;

/// The slow way: all orders of the values, equal ones told apart.
double slowSignificance(const Series& values)
{
    const std::int64_t s = curves::kendallS(values);
    std::vector<std::size_t> order(values.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    double all = 0;
    double as_large = 0;
    do {
        Series shuffled;
        for (const std::size_t i : order) {
            shuffled.push_back(values[i]);
        }
        all += 1;
        as_large += curves::kendallS(shuffled) >= s ? 1 : 0;
    } while (std::next_permutation(order.begin(), order.end()));
    return as_large / all;
}

bool isClose(double a, double b, double tolerance)
{
    return std::abs(a - b) <= tolerance;
}

} // namespace

class TstTrend : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void significanceCountsTheOrdersThatRiseAsMuch()
    {
        std::mt19937 random(7);
        for (int k = 0; k < 120; ++k) {
            Series values;
            const std::size_t n = 2 + random() % 6;
            for (std::size_t i = 0; i < n; ++i) {
                values.push_back(static_cast<std::int64_t>(random() % (k % 2 == 0 ? 3 : 1000)));
            }
            const bool is_flat =
                std::ranges::all_of(values, [&](auto v) { return v == values[0]; });
            const double slow = is_flat ? 1 : slowSignificance(values);
            QVERIFY(isClose(curves::trendSignificance(values), slow, 1e-12));
        }
    }
    void aRiseInEveryStepOfFourIsSignificant()
    {
        QVERIFY(isClose(curves::trendSignificance(Series{1, 2, 3}), 1.0 / 6, 1e-12));
        QVERIFY(isClose(curves::trendSignificance(Series{1, 2, 3, 4}), 1.0 / 24, 1e-12));
        QVERIFY(isClose(curves::trendSignificance(Series{4, 3, 2, 1}), 1, 1e-12));
        QCOMPARE(curves::trendSignificance(Series{5, 5, 5}), 1.0);
        QCOMPARE(curves::trendSignificance(Series{5}), 1.0);
    }
    void theNormalApproximationContinuesTheExactValues()
    {
        // The same mixture of rises, falls and ties, once just below the bound and once above it.
        const auto series = [](std::size_t n) {
            Series values;
            for (std::size_t i = 0; i < n; ++i) {
                values.push_back(static_cast<std::int64_t>((i * 7) % 5 + i / 6));
            }
            return values;
        };
        const double exact = curves::trendSignificance(series(18));
        const double close = curves::trendSignificance(series(19));
        QVERIFY(isClose(exact, close, 0.05));
        Series rising;
        for (int i = 0; i < 40; ++i) {
            rising.push_back(i);
        }
        QVERIFY(curves::trendSignificance(rising) < 1e-9);
    }
    void theMedianSlopeIgnoresOutliers()
    {
        const std::vector<std::uint32_t> at{0, 1, 2, 3, 4, 6};
        QCOMPARE(curves::medianSlope(at, Series{0, 10, 20, 30, 40, 60}), 10.0);
        QCOMPARE(curves::medianSlope(at, Series{0, 10, 20, 900, 40, 60}), 10.0);
        QCOMPARE(curves::medianSlope(std::vector<std::uint32_t>{0, 2}, Series{4, 8}), 2.0);
        QCOMPARE(curves::medianSlope(std::vector<std::uint32_t>{0}, Series{4}), 0.0);
        QCOMPARE(curves::medianSlope(std::vector<std::uint32_t>{0, 1, 2, 3}, Series{0, 0, 1, 1}),
                 (1.0 / 3 + 0.5) / 2);
    }
};

TIDEMARK_TEST(TstTrend)

} // namespace tidemark::tst_trend

#include "tst_trend.moc"
