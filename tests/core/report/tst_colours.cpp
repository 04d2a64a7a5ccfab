// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/colours.h"
#include "tests/support/test_main.h"

#include <QtCore/QRegularExpression>
#include <QtTest/QTest>

#include <set>

namespace tidemark::tst_colours {

using namespace tidemark::report;

class TstColours : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyBucketAndPhaseHasItsOwnColour()
    {
        static const QRegularExpression kColour(QStringLiteral("^#[0-9A-F]{6}$"));
        const auto isColour = [](std::string_view text) {
            return kColour.match(QString::fromUtf8(text.data(), static_cast<int>(text.size())))
                .hasMatch();
        };
        std::set<std::string_view> seen;
        for (std::size_t b = 0; b < label::kBucketCount; ++b) {
            QVERIFY(isColour(bucketColour(label::bucketAt(b))));
            seen.insert(bucketColour(label::bucketAt(b)));
        }
        QCOMPARE(seen.size(), label::kBucketCount);
        for (std::size_t p = 0; p < label::kPhaseCount; ++p) {
            QVERIFY(isColour(phaseColour(static_cast<label::Phase>(p))));
            seen.insert(phaseColour(static_cast<label::Phase>(p)));
        }
        QCOMPARE(seen.size(), label::kBucketCount + label::kPhaseCount);
        QVERIFY(!seen.contains(alarmColour()));
        QVERIFY(isColour(alarmColour()));
    }
};

TIDEMARK_TEST(TstColours)

} // namespace tidemark::tst_colours

#include "tst_colours.moc"
