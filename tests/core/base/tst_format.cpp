// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/base/short_text.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_format {

class TstFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bytesTakeTheUnitInWhichTheyAreAtLeastOne_data()
    {
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << qint64(0) << "0 B";
        QTest::newRow("bytes") << qint64(1023) << "1023 B";
        QTest::newRow("kib") << qint64(1024) << "1.00 KiB";
        QTest::newRow("three digits") << qint64(358) * (1 << 20) + 12345 << "358 MiB";
        QTest::newRow("one decimal") << qint64(25233093427) << "23.5 GiB";
        QTest::newRow("two decimals") << qint64(6710886400) << "6.25 GiB";
        QTest::newRow("up to the next digit") << (qint64(9999) << 20) / 1000 << "10.0 MiB";
        QTest::newRow("no tib, as torch") << (qint64(1536) << 30) << "1536 GiB";
        QTest::newRow("grouped from five digits") << (qint64(12345) << 30) << "12,345 GiB";
        QTest::newRow("negative") << -(qint64(3) << 29) << "−1.50 GiB";
        QTest::newRow("below a gib") << (qint64(1023) << 20) << "1023 MiB";
        QTest::newRow("just below a gib") << (qint64(1) << 30) - 1 << "1.00 GiB";
        QTest::newRow("never 1024 by rounding") << (qint64(10236) << 20) / 10 << "1.00 GiB";
    }
    void bytesTakeTheUnitInWhichTheyAreAtLeastOne()
    {
        QFETCH(qint64, bytes);
        QTEST(QString::fromStdString(formatBytes({bytes})), "text");
    }
    void exactBytesAreGrouped()
    {
        QCOMPARE(formatExactBytes({1073741824}), std::string("1,073,741,824 B"));
        QCOMPARE(formatCount(-1234567), std::string("−1,234,567"));
        QCOMPARE(formatCount(9999), std::string("9999"));
        QCOMPARE(formatCount(10000), std::string("10,000"));
    }
    void differencesHaveASign()
    {
        QCOMPARE(formatDifference({358LL << 20}), std::string("+358 MiB"));
        QCOMPARE(formatDifference({-(358LL << 20)}), std::string("−358 MiB"));
        QCOMPARE(formatDifference({}), std::string("0 B"));
    }
    void figuresThatAreComparedHaveOneUnitAndAsManyDecimals()
    {
        const Bytes need{102LL << 30};
        const Bytes card{(785LL << 30) / 10};
        const OneUnit unit{need, card};
        QCOMPARE(unit.bare(need), std::string("102.0"));
        QCOMPARE(unit(card), std::string("78.5 GiB"));
        const Bytes small{97LL << 20};
        const OneUnit of_small{small, {389LL << 20}};
        QCOMPARE(of_small(small), std::string("97.0 MiB"));
        QCOMPARE(of_small({389LL << 20}), std::string("389.0 MiB"));
        const OneUnit of_both{{358LL << 20}, {24LL << 30}};
        QCOMPARE(of_both({358LL << 20}), std::string("0.35 GiB"));
        QCOMPARE(of_both({24LL << 30}), std::string("24.00 GiB"));
        // What would have one digit there says more in its own.
        const OneUnit far_apart{{20LL << 20}, {47LL << 29}};
        QCOMPARE(far_apart({20LL << 20}), std::string("20.0 MiB"));
        QCOMPARE(far_apart.bare({20LL << 20}), std::string("20.0 MiB"));
        QCOMPARE(far_apart({47LL << 29}), std::string("23.5 GiB"));
        QCOMPARE((OneUnit{{5}, {900}}.bare({5})), std::string("5"));
    }
    void aColumnHasOneUnitAndNeverZeroForSomething()
    {
        const OneUnit unit(Bytes{3LL << 30});
        QCOMPARE(unit.number({3LL << 30}), std::string("3.00"));
        QCOMPARE(unit.cell({20LL << 20}), std::string("0.02 GiB"));
        QCOMPARE(unit.number({1024}), std::string("< 0.01"));
        QCOMPARE(unit.signedNumber({1024}), std::string("< +0.01"));
        QCOMPARE(unit.signedNumber({-1024}), std::string("> −0.01"));
        QCOMPARE(unit.signedNumber({3LL << 29}), std::string("+1.50"));
        QCOMPARE(unit.signedNumber({-(3LL << 29)}), std::string("−1.50"));
        QCOMPARE(unit.signedCell({}), std::string("0"));
        QCOMPARE(unit.rounded({3LL << 29}), std::int64_t{150});
        const OneUnit of_hundreds(Bytes{141LL << 30});
        QCOMPARE(of_hundreds.number({3LL << 29}), std::string("1.5"));
        QCOMPARE(of_hundreds.number({1LL << 20}), std::string("< 0.1"));
    }
    void anIntervalHasTheDigitsThatItsWidthDeserves()
    {
        const auto gib = [](double value) {
            return Bytes{static_cast<std::int64_t>(value * 1073741824.0)};
        };
        QCOMPARE(formatInterval(gib(6.304), gib(6.01), gib(7.49)),
                 std::string("6.3 GiB (6.0–7.5)"));
        QCOMPARE(formatInterval(gib(23.47), gib(23.4), gib(23.61)),
                 std::string("23.47 GiB (23.40–23.61)"));
        QCOMPARE(formatInterval(gib(98.3), gib(90), gib(104)), std::string("98 GiB (90–104)"));
        QCOMPARE(formatInterval(gib(6.3), gib(6.3), gib(6.3)), std::string("6.30 GiB"));
        QCOMPARE(formatInterval(gib(2.33), gib(3.83)), std::string("2.3–3.8 GiB"));
        QCOMPARE(formatInterval(gib(2.5), gib(2.5)), std::string("2.50 GiB"));
        QCOMPARE(formatInterval(gib(0.4), {}, gib(1.2)), std::string("0.4 GiB (0–1.2)"));
    }
    void ratiosAreFactorsFromTwoOn()
    {
        QCOMPARE(formatRatio(2), std::string("×2"));
        QCOMPARE(formatRatio(2.52), std::string("×2.52"));
        QCOMPARE(formatRatio(46), std::string("×46"));
        QCOMPARE(formatRatio(1.54), std::string("+54 %"));
        QCOMPARE(formatRatio(0.88), std::string("−12 %"));
        QCOMPARE(formatRatio(1.042), std::string("+4.2 %"));
        QCOMPARE(formatRatio(1), std::string("0 %"));
        QCOMPARE(formatRatio(1.00001), std::string("0 %"));
        QCOMPARE(formatRatio(0.0001), std::string("−99.9 %"));
    }
    void durationsTakeAReadableUnit()
    {
        QCOMPARE(formatDuration(Duration(950)), std::string("950 µs"));
        QCOMPARE(formatDuration(Duration(12345)), std::string("12.3 ms"));
        QCOMPARE(formatDuration(Duration(1500000)), std::string("1.50 s"));
        QCOMPARE(formatDuration(Duration(125000000)), std::string("2 min 05 s"));
        QCOMPARE(formatDuration(Duration(7'500'000'000)), std::string("2 h 05 min"));
        QCOMPARE(formatDuration(Duration(std::int64_t{1} << 53)), std::string("104,249 days"));
    }
    void tinySharesAreNotShownAsNothing()
    {
        QCOMPARE(formatPercent(0.78), std::string("78 %"));
        QCOMPARE(formatPercent(0.001), std::string("< 1 %"));
        QCOMPARE(formatPercent(0.0), std::string("0 %"));
    }
    void longPathsAreShortenedInTheMiddleAndKeepTheirFile()
    {
        QCOMPARE(shortenPath("/a/b.py", 40), std::string("/a/b.py"));
        const std::string s =
            shortenPath("/home/someone/projects/very/long/way/to/train/model.py", 30);
        QVERIFY(s.ends_with("/train/model.py"));
        QVERIFY(s.starts_with("/home/…"));
        QCOMPARE(baseName("C:\\x\\y.py"), std::string_view("y.py"));
    }
    void theStartHasAName()
    {
        QCOMPARE(formatEventNumber(-1), std::string("start"));
    }

    void namesAreShownShort()
    {
        QCOMPARE(shownName("Größe.forward 模型"), std::string("Größe.forward 模型"));
        QCOMPARE(shownName("a\n\r\nb\u2028c"), std::string("a↵b↵c"));
        std::string marked = "e";
        for (int i = 0; i < 2000; ++i) {
            marked += "\u0301";
        }
        QCOMPARE(shownName(marked + "x"), std::string("e\u0301\u0301\u0301\u0301x"));
        std::string umlauts;
        for (int i = 0; i < 301; ++i) {
            umlauts += "ä";
        }
        QCOMPARE(shownName(umlauts), umlauts.substr(0, 600) + "…");
        QCOMPARE(shownName(umlauts.substr(0, 600)), umlauts.substr(0, 600));
        // What is no UTF-8 is cut as well, and no byte of it lost or read beyond the end.
        QCOMPARE(shownName("\xF0\x9F"), std::string("\xF0\x9F"));
        QCOMPARE(shownName(std::string(2000, '\x80')).size(), std::size_t{4 * 300 + 3});
    }
};

TIDEMARK_TEST(TstFormat)

} // namespace tidemark::tst_format

#include "tst_format.moc"
