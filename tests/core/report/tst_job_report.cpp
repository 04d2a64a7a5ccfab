// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/job_curves.h"
#include "core/report/job_parts.h"
#include "core/report/job_report.h"
#include "core/report/page_data.h"
#include "core/report/report_file.h"
#include "tests/core/report/drawn_svg.h"
#include "tests/core/report/hand_made_job.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace tidemark::tst_job_report {
namespace {

using namespace tidemark::report;
using namespace tidemark::test;

QString textOf(const Job& job)
{
    return QString::fromStdString(toText(jobDocument(job)));
}

class TestJobReport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fourRanksAreAScreen()
    {
        const QString text = textOf(jobOfFour());
        QVERIFY2(text.count(QLatin1Char('\n')) <= 24, qPrintable(text));
        for (const char* words :
             {"Rank 3 of 4 ran out first.", "- Cut rank 3's", "rank 3  180.0 MiB  181.0 MiB",
              "first  +60.0 MiB Activations", "+8.0 ms  median", "- Rank 2 was written twice.",
              "peaks from 120 MiB (rank 0) to 180 MiB (rank 3)"}) {
            QVERIFY2(text.contains(QString::fromUtf8(words)), qPrintable(text));
        }
    }

    void ranksWithoutANumberAreKnownByTheirFiles()
    {
        Job job = jobOfFour();
        for (RankSummary& row : job.rows) {
            row.rank.reset();
        }
        const Json first = jobJson(job)["first_to_fail"];
        QVERIFY(first["rank"].is_null() && first["others"][0].is_null());
        QCOMPARE(first["file"].get<std::string>(), std::string("run.rank3.pickle"));
        QCOMPARE(first["other_files"].size(), std::size_t{3});
        QCOMPARE(first["other_files"][0].get<std::string>(), std::string("run.rank0.pickle"));
    }

    void columnsThatSayNothingAreLeftOut()
    {
        Job job = jobOf(2);
        const QString plain = textOf(job);
        QVERIFY(!plain.contains(QStringLiteral("OOM")));
        QVERIFY(!plain.contains(QStringLiteral("Host")));
        job.rows[1].host = "node7";
        job.rows[0].coordinates = {{"dp", 0}, {"pp", 0}, {"tp", 0}};
        job.rows[1].coordinates = {{"dp", 0}, {"pp", 2}, {"tp", 3}};
        const QString more = textOf(job);
        QVERIFY(more.contains(QStringLiteral("node7  pp 2, tp 3")));
    }

    void aFailureThatWasCaughtIsNone()
    {
        Job job = jobOf(2);
        runsOut(job.rows[0], 100);
        job.rows[0].oom->step = 2;
        job.rows[0].steps = 5;
        QVERIFY(!textOf(job).contains(QStringLiteral("OOM")));
        const Json row = jobJson(job)["ranks"][0];
        QVERIFY(!row["oom"].get<bool>());
        QVERIFY(row["caught_oom"].get<bool>());
        QVERIFY(row["oom_time_us"].is_null());
    }

    void theSameFailureInAnotherDumpIsNoLaterOne()
    {
        Job job = jobOfFour();
        job.rows.push_back(job.rows[3]);
        job.rows[4].moment.kind = job::DumpKind::exit;
        const QString text = textOf(job);
        QVERIFY2(text.count(QStringLiteral("  first  ")) == 2, qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("+0 µs")));
    }

    void manyRanksAreFolded()
    {
        Job job = jobOf(512);
        job.median = 7;
        job.rows[3] = rank(3, 80);
        runsOut(job.rows[3], 700'000);
        job.first.emplace();
        job.first->row = 3;
        job.outliers = jobOfFour().outliers;
        job.rows[9].error = "The file is not a snapshot.";
        job.rows[11] = rank(11, 10); // By design: it is no outlier.
        const QString text = textOf(job);
        QVERIFY2(text.count(QLatin1Char('\n')) <= 24, qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("… 508 more ranks like rank 7: peaks 120 MiB.")),
                 qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("… 1 more rank that differs: peak 110 MiB.")));
        QVERIFY(text.contains(QStringLiteral("not read: The file is not a snapshot.")));
        QVERIFY(!text.contains(QStringLiteral("rank 100")));
        QCOMPARE(drawnRows(job), (std::vector<std::size_t>{3, 7}));
    }

    void everyRankIsShownOrCounted()
    {
        Job job = jobOf(300);
        for (std::size_t i = 0; i < job.rows.size(); i += 3) {
            job.rows[i].error = "Broken.";
        }
        for (std::size_t i = 1; i < 40; i += 3) {
            job.outliers.push_back({i, 2, kMiB, Bucket::activation, kMiB, {}});
        }
        const ShownRows shown = shownRows(job);
        std::vector<std::size_t> all = shown.rows;
        all.insert(all.end(), shown.alike.begin(), shown.alike.end());
        all.insert(all.end(), shown.others.begin(), shown.others.end());
        std::ranges::sort(all);
        std::vector<std::size_t> expected(300);
        std::iota(expected.begin(), expected.end(), 0);
        QCOMPARE(all, expected);
        QVERIFY(shown.rows.size() <= 12);
        QVERIFY(textOf(job).contains(QStringLiteral("… 97 more unreadable files.")));
    }

    void aRequestAloneIsNoBucket()
    {
        Job job = jobOfFour();
        job.outliers[0].bucket = Bucket::unknown;
        job.outliers[0].bucket_delta = {};
        const QString text = textOf(job);
        QVERIFY2(text.contains(QStringLiteral("first  +61.0 MiB\n")), qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("Unknown")));
    }

    void earlierMomentsAreCounted()
    {
        Job job;
        for (std::uint32_t i = 0; i < 12; ++i) {
            job.rows.push_back(rank(i / 3, 20));
            job.rows.back().moment.step = i % 3;
            if (i % 3 == 2) {
                job.deciding.push_back(i);
            }
        }
        job.median = 5;
        const QString text = textOf(job);
        QVERIFY2(text.contains(QStringLiteral("… and 8 earlier dumps.")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("step 2")));
        QVERIFY(!text.contains(QStringLiteral("step 1")));
    }

    void hostileNamesAreHarmless()
    {
        Job job = jobOf(2);
        job.rows[0].rank.reset();
        job.rows[0].file = "<script>|`x`\x1b[31m.pickle";
        job.rows[0].host = "a|b<i>";
        job.rows[1].error = "<b>\x1b[2J";
        const Document document = jobDocument(job);
        const std::string html = toHtml(document);
        QVERIFY(html.find("<script>") == std::string::npos);
        QVERIFY(html.find("<i>") == std::string::npos);
        QVERIFY(html.find("<b>") == std::string::npos);
        QVERIFY(html.find("&lt;script&gt;") != std::string::npos);
        const std::string markdown = toMarkdown(document);
        QVERIFY(markdown.find("\\<script\\>\\|\\`x\\`") != std::string::npos);
        QVERIFY(markdown.find("a\\|b\\<i\\>") != std::string::npos);
        for (const std::string& written : {html, markdown, toText(document)}) {
            QVERIFY(written.find('\x1b') == std::string::npos);
        }
    }

    void thePageCallsOnlyOneOfSeveralTheFirst()
    {
        Job job = jobOfFour();
        const auto saysFirst = [&job] {
            const Json page = Json::parse(pageData(job));
            return std::ranges::any_of(page["lanes"],
                                       [](const Json& lane) { return lane["is_first"] == true; });
        };
        QVERIFY(saysFirst());
        job.first->others.clear();
        for (std::size_t i = 0; i < 3; ++i) {
            job.rows[i].oom.reset();
        }
        QVERIFY(!saysFirst()); // As the figure and the table have it.
    }

    void theFigureHasOneScale()
    {
        const std::optional<Figure> figure = jobFigure(jobOfFour());
        QVERIFY(figure.has_value());
        const test::Drawn drawn = test::read(figure->svg);
        QCOMPARE(drawn.error, QString());
        for (const char* words :
             {"rank 3", "rank 1 (median)", "first OOM", "Activations", "1.00 s"}) {
            QVERIFY2(drawn.words.contains(QString::fromUtf8(words)), words);
        }
        // Four parameter bands of one height, from the middle of the clock to its end.
        std::vector<double> areas;
        for (const auto& [fill, area] : drawn.areas) {
            if (fill == QStringLiteral("#4477AA")) {
                areas.push_back(area);
            }
        }
        QCOMPARE(areas.size(), std::size_t{4});
        QVERIFY(areas[0] > 1000);
        QVERIFY(std::ranges::all_of(areas, [&](double a) { return std::abs(a - areas[0]) < 1; }));
    }

    void withoutCurvesThereIsNoFigure()
    {
        Job job = jobOfFour();
        for (RankSummary& row : job.rows) {
            row.curve = {};
        }
        QVERIFY(!jobFigure(job).has_value());
    }

    void ranksOfOtherDaysAreDrawnByEvent()
    {
        Job job = jobOf(2);
        const std::vector<std::size_t> rows{0, 1};
        QVERIFY(jobAxis(job, rows).is_time);
        job.rows[1].first_time = at(86'400'000'000);
        job.rows[1].last_time = at(86'401'000'000);
        const JobAxis axis = jobAxis(job, rows);
        QVERIFY(!axis.is_time);
        QCOMPARE(axis.endText(), std::string("event 99")); // The OOM, which is the last.
    }

    void aColumnShowsItsFullestState()
    {
        RankSummary row = rank(0, 20);
        row.curve.points.clear();
        for (std::int64_t i = 0; i < 100; ++i) {
            label::BucketBytes buckets{};
            buckets[0] = i == 42 ? 500 : 100;
            row.curve.points.push_back({i, {}, {600}, buckets});
        }
        const JobAxis axis{false, {0, 200}, Bytes{600}};
        const auto columns = columnsOf(row, axis, 20);
        const auto fullest =
            std::ranges::max_element(columns, {}, [](const auto& c) { return c.total; });
        QCOMPARE(fullest - columns.begin(), std::ptrdiff_t{4});
        QCOMPARE(fullest->total, std::int64_t{500});
        QVERIFY(columns[10].in_trace);
        QVERIFY(!columns[11].in_trace); // It ended there.
    }

    void csvHasALineForEachRow()
    {
        Job job = jobOfFour();
        job.rows[0].file = "=cmd()\x1b[31m,\n.pickle";
        job.rows[1].error = "Broken.";
        std::ostringstream out;
        writeJobReport(out, ReportFormat::csv, job);
        const QStringList lines = QString::fromStdString(out.str()).split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), qsizetype{6}); // The last one is empty.
        QVERIFY(lines[0].startsWith(QStringLiteral("file,rank,moment,coordinates,host,device,")));
        QVERIFY(lines[1].startsWith(QStringLiteral("\"'=cmd()")));
        QVERIFY(!lines[1].contains(QChar(0x1b)));
        QVERIFY(lines[2].endsWith(QStringLiteral(",Broken.")));
        QVERIFY(lines[4].contains(QStringLiteral(",188743680,189792256,,1,1795800000700000,")));
    }

    void manyNotesAreCounted()
    {
        Job job = jobOf(2);
        job.notes.assign(300, "A file was broken.");
        const QString text = textOf(job);
        QVERIFY(text.contains(QStringLiteral("… and 296 more notes.")));
        QVERIFY(text.count(QLatin1Char('\n')) <= 24);
        QCOMPARE(jobJson(job)["notes"].size(), std::size_t{300});
    }

    void jsonHasTheContractsNames()
    {
        Job job = jobOfFour();
        job.missing = {4};
        job.rows[0].error = "Broken.";
        job.rows[2].moment.step = 9;
        job.rows[2].coordinates = {{"pp", 1}};
        const Json json = jobJson(job);
        QCOMPARE(json["sentence"].get<std::string>(), std::string("Rank 3 of 4 ran out first."));
        QCOMPARE(json["world_size"].get<int>(), 4);
        QCOMPARE(json["missing_ranks"].dump(), std::string("[4]"));
        QCOMPARE(json["equal"].dump(), std::string("[\"parameter\"]"));
        QCOMPARE(json["first_to_fail"]["rank"].get<int>(), 3);
        QCOMPARE(json["first_to_fail"]["file"].get<std::string>(), std::string("run.rank3.pickle"));
        QVERIFY(json["first_to_fail"]["certain"].get<bool>());
        const Json& outlier = json["outliers"][0];
        QCOMPARE(outlier["rank"].get<int>(), 3);
        QCOMPARE(outlier["bucket"].get<std::string>(), std::string("activation"));
        QCOMPARE(outlier["delta_bytes"].get<std::int64_t>(), 60 * kMiB.value);
        QCOMPARE(outlier["because"].get<std::string>(),
                 std::string("Its sequences are 4× as long."));
        const Json& row = json["ranks"][2];
        QCOMPARE(row["moment"].get<std::string>(), std::string("step 9"));
        QCOMPARE(row["coordinates"].dump(), std::string("{\"pp\":1}"));
        QCOMPARE(row["oom_time_us"].get<std::int64_t>(), kStart + 708'000);
        QCOMPARE(row["peak_requested_bytes"].get<std::int64_t>(), 120 * kMiB.value);
        QCOMPARE(row["buckets"]["activation"].get<std::int64_t>(), 20 * kMiB.value);
        QVERIFY(row["error"].is_null());
        QCOMPARE(json["ranks"][0]["error"].get<std::string>(), std::string("Broken."));
        QVERIFY(json["ranks"][0]["peak_requested_bytes"].is_null());
        QVERIFY(jobJson(jobOf(2))["first_to_fail"].is_null());
    }
};

} // namespace

TIDEMARK_TEST(TestJobReport)

} // namespace tidemark::tst_job_report

#include "tst_job_report.moc"
