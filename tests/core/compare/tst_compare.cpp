// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/compare/compare.h"
#include "tests/support/labelled.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"

#include <QtTest/QTest>

namespace tidemark::tst_compare {

namespace {

diagnose::Analysis analysisOf(std::string_view script)
{
    return test::labelledAnalysis(test::snapshotFromScript(script));
}

compare::Comparison peaksOf(const diagnose::Analysis& a, const diagnose::Analysis& b)
{
    return compare::comparePeaks({a, 0, a.program(0), "A"}, {b, 0, b.program(0), "C"});
}

constexpr std::string_view kLoad =
    "stack load = _apply /x/site-packages/torch/nn/modules/module.py:2; main /me/train.py:9\n"
    "stack cublas = at::cuda::getNewWorkspace() ??:0\n";

} // namespace

class TstCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bucketsAreComparedAtEachRunsOwnPeak()
    {
        const auto a = analysisOf(std::string(kLoad) + "w +100M @load\n k +8M @cublas\n");
        const auto b = analysisOf(std::string(kLoad) + "w +60M @load\n k +8M @cublas\n");
        const compare::Comparison c = peaksOf(a, b);
        QCOMPARE(c.peak_a.value, std::int64_t(108) << 20);
        QCOMPARE(c.peak_b.value, std::int64_t(68) << 20);
        QCOMPARE(c.delta().value, -(std::int64_t(40) << 20));
        QCOMPARE(c.buckets.size(), 2UL);
        QCOMPARE(c.buckets[0].delta().value, -(std::int64_t(40) << 20));
        QCOMPARE(c.buckets[1].delta().value, 0);
        QVERIFY(c.warnings.empty());
    }
    void tracesThatMayHideAnEarlierPeakAreWarnedAboutByTheirLetters()
    {
        const auto a = analysisOf("live w 100M\n x +1M\n");
        const auto b = analysisOf("live w 100M\n");
        const compare::Comparison c = peaksOf(a, b);
        QCOMPARE(c.warnings.size(), 2UL);
        QVERIFY(c.warnings[0].find("A started with 100 MiB in use") != std::string::npos);
        QVERIFY(c.warnings[1].find("C has no trace") != std::string::npos);
    }
};

TIDEMARK_TEST(TstCompare)

} // namespace tidemark::tst_compare

#include "tst_compare.moc"
