// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "ui/report/text_block.h"

#include <QtTest/QTest>

namespace tidemark::tst_text_block {

using namespace tidemark::ui::report;

class TstTextBlock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textFromAFileLosesWhatCouldDeceive()
    {
        QCOMPARE(shown("model\x1b[31m.py"), QStringLiteral("model [31m.py"));
        QCOMPARE(shown("a\nb\tc"), QStringLiteral("a b c"));
        QCOMPARE(shown("photo\u202Egnp.exe"), QStringLiteral("photognp.exe"));
        QCOMPARE(shown("bad \xff byte"), QStringLiteral("bad \uFFFD byte"));
        QCOMPARE(shown("a\r\nb", true), QStringLiteral("a\u2028b"));
    }

    void wrapsAtWordsAndBreaksWordsThatAreLongerThanALine()
    {
        const TextBlock words(QStringLiteral("one two three four five six seven"), kBody, 60);
        QVERIFY(words.lineCount() > 1);
        QVERIFY(words.naturalWidth() <= 60.01);
        const TextBlock letters(QString(400, u'x'), kBody, 100);
        QVERIFY(letters.lineCount() > 3);
        QVERIFY(letters.naturalWidth() <= 100.01);
    }

    void aFigureKeepsItsUnitInTheSameLine()
    {
        // At every width: the lines are the same as those of a text in which the two are one word.
        const QString words = QStringLiteral("the outputs hold 100 % of 12.5 GiB at that moment");
        QString bound = words;
        bound.replace(QStringLiteral("100 %"), QStringLiteral("100\u00A0%"));
        bound.replace(QStringLiteral("12.5 GiB"), QStringLiteral("12.5\u00A0GiB"));
        TextStyle mono = kBody;
        mono.mono = true;
        bool code_breaks_there = false;
        for (double width = 60; width < 260; width += 3) {
            QCOMPARE(TextBlock(words, kBody, width).naturalWidth(),
                     TextBlock(bound, kBody, width).naturalWidth());
            code_breaks_there = code_breaks_there
                || TextBlock(words, mono, width).naturalWidth()
                    != TextBlock(bound, mono, width).naturalWidth();
        }
        QVERIFY(code_breaks_there);
    }

    void linesThatFitNeverTakeMoreThanTheirHeight()
    {
        const TextBlock block(QString(2000, u'y'), kBody, 80);
        QCOMPARE(block.linesThatFit(0, block.height()), block.lineCount());
        QCOMPARE(block.linesThatFit(3, block.heightOf(3, 7)), 4);
        QCOMPARE(block.linesThatFit(0, block.heightOf(0, 1) / 2), 0);
        QCOMPARE(block.linesThatFit(block.lineCount(), 100), 0);
    }

    void anEmptyBlockHasNoHeight()
    {
        QCOMPARE(TextBlock().height(), 0.0);
        QCOMPARE(TextBlock({}, 100).lineCount(), 0);
    }

    void elidedTextFits()
    {
        const QString path = QStringLiteral("/home/somebody/a/rather/long/way/to/train/model.py");
        for (const double width : {40.0, 90.0, 150.0}) {
            const QString middle = elidedMiddle(path, kSmall, width);
            QVERIFY(textWidth(middle, kSmall) <= width + 0.01);
            QVERIFY(middle.contains(QChar(0x2026)));
        }
        QVERIFY(elidedEnd(path, kSmall, 90).startsWith(QStringLiteral("/home")));
        QCOMPARE(elidedMiddle(path, kSmall, 1000), path);
    }
};

TIDEMARK_TEST(TstTextBlock)

} // namespace tidemark::tst_text_block

#include "tst_text_block.moc"
