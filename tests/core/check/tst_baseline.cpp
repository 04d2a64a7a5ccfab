// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/check/baseline.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <cmath>

namespace tidemark::tst_baseline {

using check::Budget;
using check::DeviceMeasures;
using check::Measure;

constexpr std::int64_t kGiB = 1LL << 30;
constexpr std::int64_t kMiB = 1LL << 20;

std::vector<DeviceMeasures> run(std::int64_t peak, std::int64_t ooms = 0)
{
    DeviceMeasures measures;
    measures.peak = peak;
    measures.reserved = peak + 64 * kMiB;
    measures.ooms = ooms;
    return {measures};
}

std::int64_t peakLimit(const std::vector<std::vector<DeviceMeasures>>& runs,
                       std::optional<double> tolerance = std::nullopt)
{
    for (const Budget& budget : check::learnBudgets(runs, tolerance)) {
        if (budget.measure == Measure::peak) {
            return budget.limit;
        }
    }
    return -1;
}

class TstBaseline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void one_baseline_leaves_two_percent()
    {
        QCOMPARE(peakLimit({run(10 * kGiB)}), std::int64_t{10'952'166'605}); // × 1.02, rounded
        QCOMPARE(peakLimit({run(10 * kMiB)}), 12 * kMiB);
    }

    void what_never_moves_gets_one_small_segment()
    {
        const std::vector runs(5, run(10 * kGiB));
        QCOMPARE(peakLimit(runs), 10 * kGiB + 2 * kMiB);
    }

    void flicker_gets_room_and_growth_does_not()
    {
        const std::vector runs{run(10000 * kMiB), run(10300 * kMiB), run(10100 * kMiB),
                               run(10200 * kMiB), run(10050 * kMiB)};
        const std::int64_t limit = peakLimit(runs);
        QVERIFY(limit > 10350 * kMiB); // Another flicker.
        QVERIFY(limit < 10800 * kMiB); // A growth of 5 %.
    }

    void the_upper_bound_is_that_of_students_t()
    {
        // mean 2, s 1, t(0.99, 2) = 6.965
        const std::vector<std::int64_t> values{1, 2, 3};
        QVERIFY(std::abs(check::upperBound(values) - (2 + 6.965 * std::sqrt(4.0 / 3))) < 1e-9);
    }

    void a_given_tolerance_counts_from_the_largest()
    {
        QCOMPARE(peakLimit({run(10 * kGiB), run(20 * kGiB)}, 0.5), 30 * kGiB);
    }

    void an_oom_breaks_where_no_baseline_had_one()
    {
        const auto has_oom_limit = [](const std::vector<Budget>& budgets) {
            return std::ranges::any_of(budgets,
                                       [](const Budget& b) { return b.measure == Measure::ooms; });
        };
        QVERIFY(has_oom_limit(check::learnBudgets(std::vector{run(kGiB), run(kGiB)}, {})));
        QVERIFY(!has_oom_limit(check::learnBudgets(std::vector{run(kGiB), run(kGiB, 1)}, {})));
    }

    void the_typical_one_is_in_the_middle()
    {
        QCOMPARE(check::typicalBaseline(std::vector{run(9), run(1), run(5)}), std::size_t{2});
    }
};

} // namespace tidemark::tst_baseline

using tidemark::tst_baseline::TstBaseline;
TIDEMARK_TEST(TstBaseline)
#include "tst_baseline.moc"
