// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/terminal_colours.h"
#include "core/report/terminal_timeline.h"
#include "core/report/text_tools.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtCore/QRegularExpression>
#include <QtCore/QStringList>
#include <QtTest/QTest>

namespace tidemark::tst_terminal_timeline {

using namespace tidemark::report;

namespace {

QString withoutColours(const std::string& text)
{
    static const QRegularExpression kSequence(QStringLiteral("\x1b\\[[0-9;]*m"));
    return QString::fromStdString(text).remove(kSequence);
}

QStringList linesOf(const std::string& text)
{
    return withoutColours(text).split(u'\n');
}

} // namespace

class TstTerminalTimeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lettersHaveTheAreaOfTheirBytes()
    {
        using enum label::Bucket;
        // 1 MiB of activations over the whole trace, 3 MiB of inputs over half of it.
        const diagnose::Analysis analysis =
            test::handMadeAnalysis("live a 1M\n b +3M\n b -\n a -r\n", {activation, input});
        Terminal terminal;
        terminal.columns = 12 + 40;
        terminal.rows = 8;
        const std::string text = terminalTimeline(analysis, 0, terminal);
        QVERIFY(text.find('\x1b') == std::string::npos);
        int activations = 0;
        int inputs = 0;
        for (const QString& line : linesOf(text)) {
            if (line.contains(u'┤') || line.contains(u'│')) {
                activations += static_cast<int>(line.count(u'A'));
                inputs += static_cast<int>(line.count(u'I'));
            }
        }
        QVERIFY(activations > 0);
        const double ratio = static_cast<double>(inputs) / activations;
        QVERIFY2(std::abs(ratio - 3.0 * 2 / 4) < 0.2, std::to_string(ratio).c_str());
    }

    void blocksReachTheSameHeightInEighths()
    {
        using enum label::Bucket;
        // The floor's band is three eighths of the one row that it lies in.
        const diagnose::Analysis analysis =
            test::handMadeAnalysis("live a 3M\n b +29M\n b -\n", {activation, input});
        Terminal terminal;
        terminal.rows = 4;
        terminal.depth = ColourDepth::full;
        const std::string text = terminalTimeline(analysis, 0, terminal);
        const QStringList lines = linesOf(text);
        const QString floor = lines.at(4);
        QVERIFY2(floor.contains(u'▃'), qPrintable(floor));
        QVERIFY(text.find(foreground("#DDAA33", ColourDepth::full)) != std::string::npos);
        QVERIFY(text.find(background("#66CCEE", ColourDepth::full)) != std::string::npos);
        QCOMPARE(lines.size(), withoutColours(text).count(u'\n') + 1);
    }

    void everyLineFitsAndEndsInPlainColours()
    {
        const diagnose::Analysis analysis = test::handMadeDeath();
        for (const ColourDepth depth :
             {ColourDepth::none, ColourDepth::sixteen, ColourDepth::palette, ColourDepth::full}) {
            for (const int columns : {40, 41, 80, 200}) {
                for (const bool has_unicode : {false, true}) {
                    const std::string text =
                        terminalTimeline(analysis, 0, {columns, 10, depth, has_unicode});
                    for (const QString& line : linesOf(text)) {
                        QVERIFY2(line.size() <= columns, qPrintable(line));
                    }
                    for (const QString& line : QString::fromStdString(text).split(u'\n')) {
                        const auto last = line.lastIndexOf(u'\x1b');
                        QVERIFY2(last < 0 || line.mid(last).startsWith(QStringLiteral("\x1b[0m")),
                                 qPrintable(line));
                    }
                    if (!has_unicode) {
                        for (const char c : text) {
                            QVERIFY(static_cast<unsigned char>(c) < 0x80);
                        }
                    }
                    QVERIFY(text.find("out of memory at event 5") != std::string::npos);
                }
            }
        }
    }

    void peakAndOomAreMarkedWhereTheyAre()
    {
        const Terminal terminal{12 + 64, 6, ColourDepth::none, true};
        // Four events; the peak is after the first.
        const diagnose::Analysis peak =
            test::handMadeAnalysis("live a 1M\n b +3M\n b -\n a -r\n", {});
        const QString marks = linesOf(terminalTimeline(peak, 0, terminal)).first();
        QCOMPARE(marks.indexOf(u'▼'), 12 + 64 / 4);
        QVERIFY(!marks.contains(u'✖'));
        // Eight events; the OOM is event 5, and at the peak: it is what counts.
        const QString death = linesOf(terminalTimeline(test::handMadeDeath(), 0, terminal)).first();
        QCOMPARE(death.indexOf(u'✖'), 12 + 64 * 5 / 8);
    }

    void anEmptyTraceIsDrawn()
    {
        const diagnose::Analysis analysis = test::handMadeAnalysis("", {});
        QVERIFY(!analysis.snapshot->devices.empty());
        QVERIFY(!terminalTimeline(analysis, 0, {}).empty());
    }

    void coloursComeAsNearAsTheTerminalCan()
    {
        QCOMPARE(foreground("#4477AA", ColourDepth::full), std::string("\x1b[38;2;68;119;170m"));
        QCOMPARE(background("#FF0000", ColourDepth::palette), std::string("\x1b[48;5;196m"));
        QCOMPARE(foreground("#00FF00", ColourDepth::sixteen), std::string("\x1b[92m"));
        QCOMPARE(foreground("#CC0000", ColourDepth::sixteen), std::string("\x1b[31m"));
        QVERIFY(foreground("#CC0000", ColourDepth::none).empty());
        QVERIFY(plain(ColourDepth::none).empty());
    }
};

TIDEMARK_TEST(TstTerminalTimeline)

} // namespace tidemark::tst_terminal_timeline

#include "tst_terminal_timeline.moc"
