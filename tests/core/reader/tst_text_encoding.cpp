// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/log_text.h"
#include "core/reader/text_encoding.h"
#include "tests/support/test_main.h"

#include <QtCore/QStringEncoder>
#include <QtTest/QTest>

#include <random>

namespace tidemark::tst_text_encoding {

using namespace tidemark::reader;

namespace {

std::string encoded(const QString& text, QStringConverter::Encoding encoding, bool has_mark)
{
    QStringEncoder encoder(
        encoding, has_mark ? QStringConverter::Flag::WriteBom : QStringConverter::Flag::Default);
    const QByteArray bytes = encoder.encode(text);
    return bytes.toStdString();
}

} // namespace

class TstTextEncoding : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void utf16BecomesUtf8()
    {
        const QString text = QStringLiteral("CUDA out of memory – 2 × “GiB” 😀\n");
        for (const auto encoding : {QStringConverter::Utf16LE, QStringConverter::Utf16BE}) {
            for (const bool has_mark : {true, false}) {
                QCOMPARE(asUtf8(encoded(text.repeated(3), encoding, has_mark)),
                         text.repeated(3).toStdString());
            }
        }
        QCOMPARE(logText(encoded(text, QStringConverter::Utf16LE, true)).value(),
                 text.toStdString());
    }

    void otherTextStaysAsItIs()
    {
        for (const std::string& text :
             {std::string(), std::string("a"), std::string("CUDA out of memory\n"),
              std::string("gr\xfc\xdf\x65 in Latin-1, which is no UTF-8"),
              std::string("\x1b[31mred\x1b[0m\ttab\r\n")}) {
            QCOMPARE(asUtf8(text), text);
            QVERIFY(!isBinary(text));
        }
    }

    void aLoneSurrogateIsReplaced()
    {
        QCOMPARE(asUtf8(std::string("\xff\xfe\x00\xd8"
                                    "A\0",
                                    6)),
                 std::string("\xef\xbf\xbd"
                             "A"));
        // Half a unit at the end is left out.
        QCOMPARE(asUtf8(std::string("\xff\xfe"
                                    "A\0B",
                                    5)),
                 std::string("A"));
    }

    void randomBytesAreNoText()
    {
        std::mt19937 random(5);
        std::string bytes(4000, '\0');
        for (char& c : bytes) {
            c = static_cast<char>(random());
        }
        QVERIFY(isBinary(bytes));
        const Result<std::string> text = logText(bytes);
        QVERIFY(!text.has_value());
        QCOMPARE(text.error().code, ErrorCode::badArgument);
        QVERIFY(!isBinary(std::string(1000, 'x') + '\0'));
    }

    void aLogWithAHoleIsRead_data()
    {
        QTest::addColumn<int>("before");
        QTest::addColumn<int>("after");
        QTest::newRow("copytruncate") << 70'000 << 0;
        QTest::newRow("a few") << 300 << 0;
        QTest::newRow("power loss") << 0 << 4096;
        QTest::newRow("both") << 4097 << 4095;
    }
    void aLogWithAHoleIsRead()
    {
        QFETCH(int, before);
        QFETCH(int, after);
        const std::string log = "step 3\nCUDA out of memory. Tried to allocate 2.00 GiB.\n";
        const auto hole = [](int bytes) {
            return std::string(static_cast<std::size_t>(bytes), '\0');
        };
        QVERIFY(!beginsAsNoLog(hole(before) + log + hole(after)));
        const Result<std::string> text = logText(hole(before) + log + hole(after));
        QVERIFY(text.has_value());
        QCOMPARE(text.value(), log);
        QVERIFY(!logText(hole(before) + hole(after)).has_value());
    }
};

TIDEMARK_TEST(TstTextEncoding)

} // namespace tidemark::tst_text_encoding

#include "tst_text_encoding.moc"
