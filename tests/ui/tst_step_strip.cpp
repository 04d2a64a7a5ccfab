// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/views/timeline/step_strip.h"

#include <QtTest/QTest>

namespace tidemark::tst_step_strip {

using namespace tidemark::ui;

namespace {

constexpr double kCharacter = 7; ///< Pixels.

double widthOf(const QString& words)
{
    return kCharacter * static_cast<double>(words.size());
}

/// Steps of one length side by side in a strip of 1,300 pixels.
std::vector<StepPlace> places(int first, int count)
{
    std::vector<StepPlace> all;
    const double width = 1300.0 / count;
    for (int i = 0; i < count; ++i) {
        all.push_back({first + i, i * width, (i + 1) * width});
    }
    return all;
}

QString joined(const std::vector<StepLabel>& labels)
{
    QStringList words;
    for (const StepLabel& label : labels) {
        words << label.words;
    }
    return words.join(u' ');
}

QString labelled(int first, int count)
{
    return joined(stepLabels(places(first, count), {0, 1300}, widthOf));
}

} // namespace

class TstStepStrip : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void everyStepHasItsNumberWhereThereIsRoom()
    {
        QCOMPARE(labelled(210, 3), QStringLiteral("step 210 step 211 step 212"));
        QVERIFY(labelled(1, 40).startsWith(QStringLiteral("1 2 3 4")));
        QVERIFY(labelled(1, 40).endsWith(QStringLiteral("39 40")));
    }
    void withManyStepsRoundNumbersRemain()
    {
        QVERIFY(labelled(100, 130).startsWith(QStringLiteral("step 100 step 110 step 120")));
        QVERIFY(labelled(1, 1000).startsWith(QStringLiteral("step 100 step 200 step 300")));
        QCOMPARE(labelled(99'001, 100'000),
                 QStringLiteral("step 100000 step 110000 step 120000 step 130000 step 140000 "
                                "step 150000 step 160000 step 170000 step 180000 step 190000"));
    }
    void noNumberStandsAloneAtTheEdge()
    {
        for (int count = 101; count < 400; ++count) {
            for (const QString& words : labelled(100, count).split(QStringLiteral(" step "))) {
                QVERIFY2(!words.contains(u' ') || words.startsWith(QStringLiteral("step ")),
                         qPrintable(labelled(100, count)));
            }
        }
    }
    void someNumberAlwaysRemains()
    {
        for (int count = 1; count < 3000; count = count * 5 / 4 + 1) {
            for (const int first : {0, 1, 211, 98'765}) {
                const auto labels = stepLabels(places(first, count), {0, 1300}, widthOf);
                QVERIFY(!labels.empty());
                double free_from = 0;
                for (const StepLabel& label : labels) {
                    QVERIFY(label.left >= free_from);
                    free_from = label.left + widthOf(label.words);
                    QVERIFY(free_from <= 1300);
                }
            }
        }
    }
    void aStepThatBeganBeforeIsNamedAtTheEdge()
    {
        const std::vector<StepPlace> one{{7, -900, 2000}};
        const auto labels = stepLabels(one, {0, 1300}, widthOf);
        QCOMPARE(joined(labels), QStringLiteral("step 7"));
        QVERIFY(labels.front().left >= 0);
        QVERIFY(stepLabels({}, {0, 1300}, widthOf).empty());
    }
};

TIDEMARK_TEST(TstStepStrip)

} // namespace tidemark::tst_step_strip

#include "tst_step_strip.moc"
