// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "core/report/colours.h"
#include "core/report/svg_lanes.h"
#include "tests/core/report/drawn_svg.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace tidemark::tst_svg_lanes {

using namespace tidemark::report;
using tidemark::test::Drawn;

namespace {

Drawn lanes(const diagnose::Analysis& a, const diagnose::Analysis& b)
{
    compare::DifferenceOptions options = compare::mainDevices(a, b);
    options.lists_moments = true;
    return test::read(lanesSvg(a, b, compare::findDifference(a, b, options)));
}

/// Of A, of B and of the difference, whichever has the band.
std::vector<double> areasOf(const Drawn& drawn, label::Bucket bucket)
{
    std::vector<double> areas;
    for (const auto& [fill, area] : drawn.areas) {
        if (fill == QString::fromUtf8(bucketColour(bucket).data())) {
            areas.push_back(area);
        }
    }
    return areas;
}

} // namespace

class TstSvgLanes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bothRunsShareAScaleAndTheDifferenceIsBelow()
    {
        const diagnose::Analysis a =
            test::handMadeAnalysis("a +4M\n b +512\n", {label::Bucket::input});
        const diagnose::Analysis b =
            test::handMadeAnalysis("a +1M\n b +512\n", {label::Bucket::input});
        const Drawn drawn = lanes(a, b);
        QCOMPARE(drawn.error, QString());
        const std::vector<double> areas = areasOf(drawn, label::Bucket::input);
        QCOMPARE(areas.size(), 3UL);
        QVERIFY(std::abs(areas[0] / areas[1] - 4.0) < 0.02);
        QVERIFY(areas[2] > 0);
        QVERIFY(drawn.words.contains(QStringLiteral("peak 4.00 MiB")));
        QVERIFY(drawn.words.contains(QStringLiteral("peak 1.00 MiB")));
        QVERIFY(drawn.words.contains(QStringLiteral("−2 MiB")));
        QVERIFY(!drawn.words.contains(QStringLiteral("+2 MiB")));
    }

    /// As the window names the second and the fourth of its runs.
    void theRunsHaveTheirOwnLetters()
    {
        const diagnose::Analysis run = test::handMadeDeath();
        compare::DifferenceOptions options = compare::mainDevices(run, run);
        options.lists_moments = true;
        const std::string svg =
            lanesSvg(run, run, compare::findDifference(run, run, options), {"B", "D"});
        QVERIFY(svg.find(">B</text>") != std::string::npos);
        QVERIFY(svg.find(">D</text>") != std::string::npos);
        QVERIFY(svg.find(">A</text>") == std::string::npos);
    }

    void aRunBesideItselfHasNoDifference()
    {
        const diagnose::Analysis a = test::handMadeDeath();
        const Drawn drawn = lanes(a, test::handMadeDeath());
        QCOMPARE(drawn.error, QString());
        QCOMPARE(areasOf(drawn, label::Bucket::activation).size(), 2UL);
        QVERIFY(drawn.words.contains(QStringLiteral("out of memory")));
        const std::optional<Bytes> capacity = a.diagnosis->devices[0].capacity;
        QVERIFY(capacity.has_value());
        QCOMPARE(drawn.words.count(QString::fromStdString("capacity " + formatBytes(*capacity))),
                 2);
    }
};

TIDEMARK_TEST(TstSvgLanes)

} // namespace tidemark::tst_svg_lanes

#include "tst_svg_lanes.moc"
