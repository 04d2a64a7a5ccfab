// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/colours.h"
#include "core/report/svg_timeline.h"
#include "tests/core/report/drawn_svg.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtCore/QRegularExpression>
#include <QtTest/QTest>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tidemark::tst_svg_timeline {

using namespace tidemark::report;
using tidemark::test::Drawn;
using tidemark::test::read;

namespace {

/// What is seen of a band: each reaches to the floor, and the next is painted over it.
double areaOf(const Drawn& drawn, label::Bucket bucket)
{
    const auto fill = QString::fromUtf8(bucketColour(bucket).data());
    const auto it = std::ranges::find(drawn.areas, fill, &std::pair<QString, double>::first);
    if (it == drawn.areas.end()) {
        return 0;
    }
    const auto next = std::next(it);
    const bool is_band = next != drawn.areas.end() && next->first.startsWith(QLatin1Char('#'));
    return it->second - (is_band ? next->second : 0);
}

/// A text that is drawn, by a narrow estimate of its letters.
struct Box {
    QString text;
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
};

std::vector<Box> wordsIn(const std::string& svg)
{
    static const QRegularExpression kText(
        QStringLiteral("<text x=\"(?<x>[\\d.]+)\" y=\"(?<y>[\\d.]+)\" "
                       "text-anchor=\"(?<a>\\w+)\"[^>]*>(?<t>[^<]*)<"));
    std::vector<Box> boxes;
    auto found = kText.globalMatch(QString::fromStdString(svg));
    while (found.hasNext()) {
        const auto match = found.next();
        const QString text = match.captured(QStringLiteral("t"));
        const double width = 6 * static_cast<double>(text.size());
        const double x = match.captured(QStringLiteral("x")).toDouble();
        const double y = match.captured(QStringLiteral("y")).toDouble();
        const QString anchor = match.captured(QStringLiteral("a"));
        const double left = anchor == QStringLiteral("start") ? x
            : anchor == QStringLiteral("end")                 ? x - width
                                                              : x - width / 2;
        boxes.push_back({text, left, left + width, y - 9, y + 2});
    }
    return boxes;
}

/// A line of the peak or of an OOM event.
struct Upright {
    double x = 0;
    double top = 0;
    double bottom = 0;
};

std::vector<Upright> uprightsIn(const std::string& svg)
{
    static const QRegularExpression kLine(
        QStringLiteral("<path d=\"M(?<x>[\\d.]+) (?<a>[\\d.]+)V(?<b>[\\d.]+)\""));
    std::vector<Upright> lines;
    auto found = kLine.globalMatch(QString::fromStdString(svg));
    while (found.hasNext()) {
        const auto match = found.next();
        lines.push_back({match.captured(QStringLiteral("x")).toDouble(),
                         match.captured(QStringLiteral("a")).toDouble(),
                         match.captured(QStringLiteral("b")).toDouble()});
    }
    return lines;
}

} // namespace

class TstSvgTimeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void bandsHaveTheAreaOfTheirBytes()
    {
        using enum label::Bucket;
        // One state per band: 1 MiB of activations over the whole trace, 3 MiB of inputs over half.
        const diagnose::Analysis analysis =
            test::handMadeAnalysis("live a 1M\n b +3M\n b -\n a -r\n", {activation, input});
        const Drawn drawn = read(timelineSvg(analysis, 0, "t"));
        QCOMPARE(drawn.error, QString());
        const double ratio = areaOf(drawn, input) / areaOf(drawn, activation);
        // b lives in states 1 and 2 of the five that four events span.
        QVERIFY2(std::abs(ratio - 3.0 * 2 / 4) < 0.02, std::to_string(ratio).c_str());
        QCOMPARE(areaOf(drawn, parameter), 0.0);
    }

    void peakAndOomAreNamed()
    {
        const Drawn drawn = read(timelineSvg(test::handMadeDeath(), 0, "t"));
        QVERIFY(drawn.words.contains(QStringLiteral("peak 2.50 MiB")));
        QVERIFY(drawn.words.contains(
            QStringLiteral("out of memory: 8.00 MiB requested, 3.00 MiB free")));
        QVERIFY(drawn.words.contains(QStringLiteral("Forward")));
        QVERIFY(!drawn.words.contains(QStringLiteral("Optimizer state")));
        const std::string sentence = timelineSentence(test::handMadeDeath(), 0);
        QVERIFY(sentence.find("2.50 MiB at the peak (event 4, forward of step 1)")
                != std::string::npos);
    }

    void noLineGoesThroughAWord_data()
    {
        QTest::addColumn<QString>("script");
        // The capacity's label is at the left, the peak in it; at both ends; the peak below the
        // OOM.
        const QString blocks = QStringLiteral("%1 oom 8M free=1M\n");
        QTest::newRow("peak at the left")
            << blocks.arg(QStringLiteral("a +4M\n a -\n a -r\n b +1M\n b -\n b -r\n c +1M\n"));
        QTest::newRow("peak at the end")
            << blocks.arg(QStringLiteral("a +1M\n b +1M\n c +1M\n d +1M\n"));
        QTest::newRow("an OOM at both ends")
            << QStringLiteral("a +4M\n oom 8M free=1M\n a -\n a -r\n b +1M\n b -\n b -r\n c +1M\n")
                + blocks.arg(QString());
    }
    void noLineGoesThroughAWord()
    {
        QFETCH(QString, script);
        const std::string svg = timelineSvg(
            test::handMadeAnalysis(script.toStdString(), {label::Bucket::activation}), 0, "t");
        const std::vector<Box> words = wordsIn(svg);
        QVERIFY(std::ranges::any_of(
            words, [](const Box& box) { return box.text.startsWith(QStringLiteral("capacity")); }));
        for (const Box& word : words) {
            for (const Upright& line : uprightsIn(svg)) {
                const bool is_through = line.x > word.left && line.x < word.right
                    && line.top < word.bottom && line.bottom > word.top;
                QVERIFY2(!is_through, qPrintable(word.text));
            }
        }
    }

    void aDeviceIsNamedWhereThereAreSeveral()
    {
        const auto both = test::handMadeAnalysis("device 0\n a +4M\ndevice 1\n b +2M\n",
                                                 {label::Bucket::input, label::Bucket::input});
        QVERIFY(read(timelineSvg(both, 1, "t")).words.contains(QStringLiteral("GPU 1")));
        QVERIFY(!read(timelineSvg(test::handMadeDeath(), 0, "t"))
                     .words.contains(QStringLiteral("GPU 0")));
    }

    void anEmptyDeviceCanBeDrawn()
    {
        const Drawn drawn = read(timelineSvg(test::handMadeAnalysis("device 0\n", {}), 0, "t"));
        QCOMPARE(drawn.error, QString());
        QVERIFY(drawn.words.contains(QStringLiteral("peak 0")));
    }

    void namesInTheDrawingBearItsId()
    {
        const std::string svg = timelineSvg(test::handMadeDeath(), 0, "left");
        QVERIFY(svg.find("id=\"left-cached\"") != std::string::npos);
        QVERIFY(svg.find("url(#left-cached)") != std::string::npos);
    }
};

TIDEMARK_TEST(TstSvgTimeline)

} // namespace tidemark::tst_svg_timeline

#include "tst_svg_timeline.moc"
