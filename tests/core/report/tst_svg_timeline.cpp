// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/colours.h"
#include "core/report/svg_timeline.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtCore/QRegularExpression>
#include <QtCore/QXmlStreamReader>
#include <QtTest/QTest>

#include <map>

using namespace tidemark;
using namespace tidemark::report;

namespace {

struct Drawn {
    std::map<QString, double> area; ///< Of the bands, by their colour, in square pixels.
    QString words;
    QString error;
};

double areaOf(const QString& path)
{
    static const QRegularExpression kRectangle(QStringLiteral("h(?<w>[\\d.]+)v(?<h>[\\d.]+)h-"));
    double area = 0;
    auto found = kRectangle.globalMatch(path);
    while (found.hasNext()) {
        const auto match = found.next();
        area += match.captured(QStringLiteral("w")).toDouble()
            * match.captured(QStringLiteral("h")).toDouble();
    }
    return area;
}

Drawn read(const std::string& svg)
{
    Drawn drawn;
    QXmlStreamReader reader(QString::fromStdString(svg));
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == QStringLiteral("path")) {
            const auto attributes = reader.attributes();
            drawn.area[attributes.value(QStringLiteral("fill")).toString()] +=
                areaOf(attributes.value(QStringLiteral("d")).toString());
        } else if (reader.isCharacters()) {
            drawn.words += reader.text();
        }
    }
    drawn.error = reader.errorString();
    return drawn;
}

double areaOf(const Drawn& drawn, label::Bucket bucket)
{
    const auto it = drawn.area.find(QString::fromUtf8(bucketColour(bucket).data()));
    return it == drawn.area.end() ? 0 : it->second;
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
        QVERIFY(
            drawn.words.contains(QStringLiteral("out of memory: 8.00 MiB asked, 3.00 MiB free")));
        QVERIFY(drawn.words.contains(QStringLiteral("Forward")));
        QVERIFY(!drawn.words.contains(QStringLiteral("Optimizer state")));
        const std::string sentence = timelineSentence(test::handMadeDeath(), 0);
        QVERIFY(sentence.find("2.50 MiB at the peak (event 4, forward of step 1)")
                != std::string::npos);
    }

    void twoDrawingsShareAScale()
    {
        const diagnose::Analysis analysis =
            test::handMadeAnalysis("a +4M\n b +512\n", {label::Bucket::input});
        const Bytes top = timelineTop(analysis, 0);
        const double own = areaOf(read(timelineSvg(analysis, 0, "t")), label::Bucket::input);
        const double shared =
            areaOf(read(timelineSvg(analysis, 0, "t", {2 * top.value})), label::Bucket::input);
        QVERIFY(std::abs(own / shared - 2.0) < 0.01);
    }

    void anEmptyDeviceCanBeDrawn()
    {
        const Drawn drawn = read(timelineSvg(test::handMadeAnalysis("device 0\n", {}), 0, "t"));
        QCOMPARE(drawn.error, QString());
        QVERIFY(drawn.words.contains(QStringLiteral("peak 0 B")));
    }

    void namesInTheDrawingBearItsId()
    {
        const std::string svg = timelineSvg(test::handMadeDeath(), 0, "left");
        QVERIFY(svg.find("id=\"left-cached\"") != std::string::npos);
        QVERIFY(svg.find("url(#left-cached)") != std::string::npos);
    }
};

TIDEMARK_TEST(TstSvgTimeline)
#include "tst_svg_timeline.moc"
