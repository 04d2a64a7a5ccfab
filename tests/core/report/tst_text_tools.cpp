// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/text_tools.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

namespace tidemark::tst_text_tools {

using namespace tidemark::report;

namespace {

QString shown(std::string_view text)
{
    return QString::fromStdString(visibleText(text));
}

} // namespace

class TstTextTools : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plainAndForeignLettersStay()
    {
        for (const char* text :
             {"model.py:41 forward", "Größe µs …", "模型", "\xF0\x9F\x8C\x8A", ""}) {
            QCOMPARE(shown(text), QString::fromUtf8(text));
        }
    }

    void aTerminalCannotBeCommanded()
    {
        const QChar hidden(0xFFFD);
        QCOMPARE(shown("\x1b[31mred"), hidden + QStringLiteral("[31mred"));
        QCOMPARE(shown("a\x07z"), QStringLiteral("a") + hidden + QStringLiteral("z"));
        QCOMPARE(shown("\x7f"), QString(hidden));
        QCOMPARE(shown("\xC2\x9B"), QString(hidden)); // CSI as one C1 character
        QCOMPARE(shown("\xE2\x80\xAE"), QString(hidden)); // right-to-left override
        for (const char* invisible : {"\u200B", "\u200C", "\u200D", "\u2060", "\uFEFF"}) {
            QCOMPARE(shown(invisible), QString(hidden));
        }
        QCOMPARE(shown(std::string_view("a\0b", 3)),
                 QStringLiteral("a") + hidden + QStringLiteral("b"));
    }

    void jsonSaysTheSameInEscapes()
    {
        QCOMPARE(escapeJsonControls("[\"a\u200Bb\u2060c\uFEFFd\uFF01\"]"),
                 std::string("[\"a\\u200bb\\u2060c\\ufeffd\uFF01\"]"));
        QCOMPARE(escapeJsonControls("[\"plain, Größe, 模型\"]"),
                 std::string("[\"plain, Größe, 模型\"]"));
        QCOMPARE(
            escapeJsonControls("[\"\x7F|\xC2\x9B|\xC2\xA0|\xD8\x9C|\xE2\x80\xAE|\xE2\x82\xAC\"]"),
            std::string(R"(["\u007f|\u009b|)") + "\xC2\xA0" + R"(|\u061c|\u202e|)"
                + "\xE2\x82\xAC\"]");
    }

    void linesAreJoined()
    {
        QCOMPARE(shown("one\ntwo\tthree"), QStringLiteral("one two three"));
    }

    void invalidBytesAreReplacedOneByOne()
    {
        const QString hidden(QChar(0xFFFD));
        QCOMPARE(shown("\xFF"), hidden);
        QCOMPARE(shown("\xC3"), hidden); // cut
        QCOMPARE(shown("\xC0\xAF"), hidden + hidden); // overlong
        QCOMPARE(shown("\xED\xA0\x80"), hidden + hidden + hidden); // surrogate
        QCOMPARE(shown("\xF4\x90\x80\x80"), hidden + hidden + hidden + hidden); // beyond U+10FFFF
        QCOMPARE(shown("\xE6\xA8z"), hidden + hidden + QStringLiteral("z"));
    }

    void textsAreWrappedAtSpaces()
    {
        QCOMPARE(wrapText("one two three", 7), (std::vector<std::string>{"one two", "three"}));
        QCOMPARE(wrapText("incomprehensible word", 5),
                 (std::vector<std::string>{"incomprehensible", "word"}));
        QCOMPARE(wrapText("of 1.24 GiB, all", 8),
                 (std::vector<std::string>{"of", "1.24 GiB,", "all"}));
        QCOMPARE(wrapText("71 % of 4 blocks", 7),
                 (std::vector<std::string>{"71 % of", "4", "blocks"}));
        QCOMPARE(wrapText("a  b", 80), std::vector<std::string>{"a b"});
        QCOMPARE(wrapText("", 10), std::vector<std::string>{""});
        QCOMPARE(wrapText("ääää ö", 6), std::vector<std::string>{"ääää ö"});
    }

    void markdownSeesNoMarkUp()
    {
        QCOMPARE(escapeMarkdown("![a](b) <c> &lt; &#60; d & e &"),
                 std::string("!\\[a\\](b) \\<c\\> \\&lt; \\&\\#60; d & e &"));
    }

    void markUpIsEscaped()
    {
        QCOMPARE(escapeHtml("<b a=\"1\" c='2'>&"),
                 std::string("&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;"));
    }
};

TIDEMARK_TEST(TstTextTools)

} // namespace tidemark::tst_text_tools

#include "tst_text_tools.moc"
