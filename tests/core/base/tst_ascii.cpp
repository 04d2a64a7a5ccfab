// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_ascii {

class TstAscii : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyByteIsOneOfThree();
    void otherBytesStay();
    void blanksAroundGo();
};

void TstAscii::everyByteIsOneOfThree()
{
    int digits = 0;
    int letters = 0;
    for (int byte = 0; byte < 256; ++byte) {
        const char c = static_cast<char>(byte);
        QVERIFY(!isDigit(c) || !isLetter(c));
        QCOMPARE(lowered(c) != c, byte >= 'A' && byte <= 'Z');
        digits += isDigit(c) ? 1 : 0;
        letters += isLetter(c) ? 1 : 0;
    }
    QCOMPARE(digits, 10);
    QCOMPARE(letters, 52);
}

void TstAscii::otherBytesStay()
{
    QCOMPARE(lowered("Größe ÄÖ [A_9]"), std::string("größe ÄÖ [a_9]"));
    QCOMPARE(loweredAlphanumeric("AdamW-8bit, fusé"), std::string("adamw8bitfus"));
}

void TstAscii::blanksAroundGo()
{
    QCOMPARE(trimmed(" \t a b\r\n"), std::string_view("a b"));
    QVERIFY(trimmed(" \r\n\t").empty());
    QVERIFY(trimmed({}).empty());
    QCOMPARE(trimmed("x"), std::string_view("x"));
}

TIDEMARK_TEST(TstAscii)

} // namespace tidemark::tst_ascii

#include "tst_ascii.moc"
