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
        QTest::newRow("mib") << qint64(358) * (1 << 20) << "358.00 MiB";
        QTest::newRow("gib") << qint64(10861642624) << "10.12 GiB";
        QTest::newRow("no tib, as torch") << (qint64(1536) << 30) << "1536.00 GiB";
        QTest::newRow("negative") << -(qint64(3) << 29) << "-1.50 GiB";
        QTest::newRow("just below a gib") << (qint64(1) << 30) - 1 << "1.00 GiB";
    }
    void bytesTakeTheUnitInWhichTheyAreAtLeastOne()
    {
        QFETCH(qint64, bytes);
        QTEST(QString::fromStdString(formatBytes({bytes})), "text");
    }
    void exactBytesAreGrouped()
    {
        QCOMPARE(formatExactBytes({1073741824}), std::string("1,073,741,824 B"));
        QCOMPARE(formatCount(-1234567), std::string("-1,234,567"));
        QCOMPARE(formatCount(999), std::string("999"));
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
