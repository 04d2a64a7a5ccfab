// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/report_file.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QtCore/QDir>
#include <QtCore/QTemporaryDir>
#include <QtCore/QXmlStreamReader>
#include <QtTest/QTest>

#include <memory>
#include <sstream>

namespace tidemark::tst_report_file {

using namespace tidemark::report;
using tidemark::test::handMadeDeath;

namespace {

QString written(ReportFormat format, const diagnose::Analysis* other = nullptr)
{
    std::ostringstream out;
    const auto result = writeReport(out, format, handMadeDeath(), other);
    return result.has_value() ? QString::fromStdString(out.str())
                              : QString::fromStdString(result.error().message);
}

} // namespace

class TstReportFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEndingDecidesTheFormat()
    {
        QVERIFY(reportFormatOf("a.html").value() == ReportFormat::html);
        QVERIFY(reportFormatOf("a.HTM").value() == ReportFormat::html);
        QVERIFY(reportFormatOf("b/c.json").value() == ReportFormat::json);
        QVERIFY(reportFormatOf("a.md").value() == ReportFormat::markdown);
        QVERIFY(reportFormatOf("a.csv").value() == ReportFormat::csv);
        QVERIFY(!reportFormatOf("html").has_value());
        QVERIFY(reportFormatOf("a.pdf").error().message.find("tidemark --report")
                != std::string::npos);
    }

    void whatAPersonMarkedStandsInEveryReport()
    {
        const diagnose::Analysis analysis = handMadeDeath();
        const std::size_t device = analysis.mainDevice();
        // As where other GPUs are left out. The analysis is this test's alone.
        std::const_pointer_cast<trace::Snapshot>(analysis.snapshot)->devices[device].index = 5;
        const ReportOptions options{
            .bookmarks = {.own = {{device, StateId{2}, "<b>here</b> it \x1b[31mgrows"},
                                  {device, StateId{4'000'000}, "behind the end"}},
                          .other = {}}};
        const auto report = [&](ReportFormat format) {
            std::ostringstream out;
            const auto result = writeReport(out, format, analysis, nullptr, options);
            return result.has_value() ? QString::fromStdString(out.str()) : QString();
        };
        const QString html = report(ReportFormat::html);
        QVERIFY(html.contains(QStringLiteral("Bookmarks")));
        QVERIFY(html.contains(QStringLiteral("&lt;b&gt;here&lt;/b&gt;")));
        QVERIFY(!html.contains(QStringLiteral("<b>here")));
        QVERIFY(!html.contains(QStringLiteral("behind the end")));
        const QString markdown = report(ReportFormat::markdown);
        QVERIFY(markdown.contains(QStringLiteral("Bookmarks")));
        QVERIFY(!markdown.contains(QStringLiteral("<b>here")));
        QVERIFY(!markdown.contains(QChar(0x1b)));
        const auto json = nlohmann::json::parse(report(ReportFormat::json).toStdString());
        const auto& marks = json.at("report").at("bookmarks");
        QCOMPARE(marks.size(), 1UL);
        QCOMPARE(marks[0].at("device").get<int>(), 5);
        QVERIFY(html.contains(QStringLiteral("<td>GPU 5</td>")));
        QCOMPARE(marks[0].at("event").get<int>(), 1);
        QCOMPARE(marks[0].at("note").get<std::string>(), options.bookmarks.own[0].note);
        QCOMPARE(marks[0].at("active_bytes").get<std::int64_t>(),
                 analysis.replay->devices[device].activeAt(StateId{2}).value);
        // Without any nothing is said of them.
        QVERIFY(!written(ReportFormat::html).contains(QStringLiteral("Bookmarks")));
        QVERIFY(!nlohmann::json::parse(written(ReportFormat::json).toStdString())
                     .at("report")
                     .contains("bookmarks"));
    }

    void aPageIsWellFormedAndLeadsNowhere()
    {
        const QString html = written(ReportFormat::html);
        QXmlStreamReader reader(html);
        while (!reader.atEnd()) {
            reader.readNext();
            if (reader.isStartElement()) {
                QVERIFY(!reader.attributes().hasAttribute(QStringLiteral("style")));
                QVERIFY(!reader.attributes().hasAttribute(QStringLiteral("src")));
                QVERIFY(!reader.attributes().hasAttribute(QStringLiteral("href")));
            }
        }
        QCOMPARE(reader.errorString(), QString());
        QVERIFY(html.contains(QStringLiteral("It holds &lt;everything&gt; &amp; more.")));
    }

    void aListHasARowPerAllocation()
    {
        const QStringList lines =
            written(ReportFormat::csv).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 5);
        QCOMPARE(lines.at(2),
                 QStringLiteral("0,0,2,3,4294971392,1048576,1048576,activation,,75,by-hand: as the "
                                "test says,model.py:41 forward,model.py:41 forward"));
    }

    void jsonHoldsSummaryDiagnosisAndAllocations()
    {
        const auto json = nlohmann::json::parse(written(ReportFormat::json).toStdString());
        QCOMPARE(json["report"]["summary"]["devices"].size(), 1U);
        QVERIFY(json["report"]["diagnoses"][0]["cause"] == "activations");
        QCOMPARE(json["report"]["largest_allocations"][0]["allocations"].size(), 3U);
        QVERIFY(!json.contains("comparison"));
        const diagnose::Analysis other = handMadeDeath();
        const auto both = nlohmann::json::parse(written(ReportFormat::json, &other).toStdString());
        QVERIFY(both["comparison"]["buckets"][0]["delta_bytes"] == 0);
    }

    void twoRunsMakeNoList()
    {
        const diagnose::Analysis other = handMadeDeath();
        QVERIFY(written(ReportFormat::csv, &other).contains(QStringLiteral("one file")));
    }

    void aFileAppearsOnlyWhenItIsComplete()
    {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath(QStringLiteral("a.md")).toStdString();
        QVERIFY(writeReportFile(file, handMadeDeath(), nullptr).has_value());
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{QStringLiteral("a.md")});
        const auto failed = writeReportFile(file / "b.md", handMadeDeath(), nullptr);
        QVERIFY(failed.error().code == ErrorCode::cannotWrite);
    }
};

TIDEMARK_TEST(TstReportFile)

} // namespace tidemark::tst_report_file

#include "tst_report_file.moc"
