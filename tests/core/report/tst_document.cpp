// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "core/report/cause_words.h"
#include "core/report/document.h"
#include "core/report/documents.h"
#include "core/report/sections.h"
#include "tests/core/report/hand_made_analysis.h"
#include "tests/support/test_main.h"

#include <QtTest/QTest>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::tst_document {

using namespace tidemark::report;

namespace {

Document smallDocument()
{
    const Table table{{{"Name", Align::left}, {"Size", Align::right}},
                      {{"a|b", "1 B"}, {"größer", "100 B"}},
                      {"#112233", ""}};
    return {"A <title>",
            {{"First", {Paragraph{"Said & done.", Emphasis::lead}, table}},
             {"Nothing", {}},
             {"Second",
              {Bullets{{"one_two", "three"}}, Code{"Run:", {"x = \"1\"", "  y"}},
               Figure{"<svg/>", "A picture."}}}}};
}

} // namespace

class TstDocument : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textHasAlignedColumns()
    {
        QCOMPARE(QString::fromStdString(toText(smallDocument())),
                 QStringLiteral("A <title>\n"
                                "=========\n"
                                "\n"
                                "First\n"
                                "-----\n"
                                "Said & done.\n"
                                "\n"
                                "Name     Size\n"
                                "a|b       1 B\n"
                                "größer  100 B\n"
                                "\n"
                                "Second\n"
                                "------\n"
                                "- one_two\n"
                                "- three\n"
                                "\n"
                                "Run:\n"
                                "    x = \"1\"\n"
                                "      y\n"
                                "\n"
                                "A picture.\n"));
    }

    void markdownEscapesItsOwnSigns()
    {
        QCOMPARE(QString::fromStdString(toMarkdown(smallDocument())),
                 QStringLiteral("# A \\<title\\>\n"
                                "\n"
                                "## First\n"
                                "\n"
                                "**Said & done.**\n"
                                "\n"
                                "| Name | Size |\n"
                                "| --- | ---: |\n"
                                "| a\\|b | 1 B |\n"
                                "| größer | 100 B |\n"
                                "\n"
                                "## Second\n"
                                "\n"
                                "- one\\_two\n"
                                "- three\n"
                                "\n"
                                "Run:\n"
                                "\n"
                                "    x = \"1\"\n"
                                "      y\n"
                                "\n"
                                "A picture.\n"));
    }

    void htmlEscapesTextAndKeepsDrawings()
    {
        const QString html = QString::fromStdString(toHtml(smallDocument()));
        QVERIFY(html.contains(QStringLiteral("<h1>A &lt;title&gt;</h1>")));
        QVERIFY(html.contains(QStringLiteral("<p class=\"lead\">Said &amp; done.</p>")));
        QVERIFY(html.contains(
            QStringLiteral("<td><span class=\"swatch fill-112233\"></span>a|b</td>")));
        QVERIFY(html.contains(QStringLiteral(".fill-112233 { background: #112233; }")));
        QVERIFY(!html.contains(QStringLiteral("<script")));
        QVERIFY(html.contains(QStringLiteral("<td class=\"right\">100 B</td>")));
        QVERIFY(html.contains(QStringLiteral("<pre>x = &quot;1&quot;\n  y\n</pre>")));
        QVERIFY(html.contains(QStringLiteral("<svg/><figcaption>A picture.</figcaption>")));
        QVERIFY(!html.contains(QStringLiteral("<h2>Nothing</h2>")));
    }

    void htmlMarksSumsPatternsAndHeads()
    {
        Table table{{{"Name", Align::left}}, {{"cached"}, {"reserved"}}, {kTint, ""}};
        table.sums = {1};
        const Document document{
            "", {{"", {Paragraph{"Why.", Emphasis::none, "What"}, table}, Tone::alarm}}};
        const QString html = QString::fromStdString(toHtml(document));
        QVERIFY(html.contains(QStringLiteral("<section class=\"alarm\">")));
        QVERIFY(html.contains(QStringLiteral("<p><b>What.</b> Why.</p>")));
        QVERIFY(html.contains(QStringLiteral("<span class=\"swatch tint\"></span>cached")));
        QVERIFY(html.contains(QStringLiteral("<tr class=\"sum\"><td>reserved")));
        QVERIFY(toMarkdown(document).starts_with("**What.** Why.\n"));
        QVERIFY(toText(document).starts_with("What. Why.\n"));
    }

    void longParagraphsAreWrapped()
    {
        std::string words;
        for (int i = 0; i < 60; ++i) {
            words += "word ";
        }
        const std::string text = toText({"", {{"", {Paragraph{words, Emphasis::none}}}}});
        for (const QString& line : QString::fromStdString(text).split(QLatin1Char('\n'))) {
            QVERIFY(line.size() <= 96);
        }
        QCOMPARE(QString::fromStdString(text).count(QLatin1Char('\n')), 4);
    }

    void aDiagnosisSaysWhatThePersonNeeds()
    {
        const QString text =
            QString::fromStdString(toText(diagnosisDocument(test::handMadeDeath(), 0)));
        for (const char* words :
             {"The card is full.", "They hold most of it. (event 4, forward of step 1)",
              "Cause: Activations.", "Failed request", "8.00 MiB",
              "5.00 MiB. Reserved and free at the OOM.", "model.py:41",
              "Micro-batch 1/2, accumulation 2", "recommended", "    second line",
              "1 other fix does not apply"}) {
            QVERIFY2(text.contains(QString::fromUtf8(words)), words);
        }
    }

    void whatGrowsIsNoCauseWhereNothingRanOut()
    {
        using diagnose::Cause;
        const auto textOf = [](Cause first) {
            const std::vector<diagnose::CauseFinding> causes{
                {first, 1, {}, {}}, {Cause::leak, 0.94, {}, {}}, {Cause::kv_cache, 0.93, {}, {}}};
            return causesText(causes);
        };
        QCOMPARE(textOf(Cause::none),
                 std::string("No OOM so far; growing: Memory that is never freed, KV cache"));
        QCOMPARE(
            textOf(Cause::logits),
            std::string("Cause: Logits; maybe Memory that is never freed (94 %), KV cache (93 %)"));
        const std::vector<diagnose::CauseFinding> alone{{Cause::none, 1, {}, {}}};
        QCOMPARE(causesText(alone), std::string("Cause: none"));
    }

    void fixesShowTheUnitOfTheLargestFigureAndNoEmptyColumns()
    {
        const auto textOf = [](diagnose::FixStatus status, Bytes needs) {
            diagnose::Analysis analysis = test::handMadeDeath();
            auto diagnosis = *analysis.diagnosis;
            diagnosis.devices[0].fixes[0].status = status;
            diagnosis.devices[0].fixes[0].new_reserved = needs;
            analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
            return QString::fromStdString(toText({"", {fixesSection(analysis, 0)}}));
        };
        using enum diagnose::FixStatus;
        QVERIFY(textOf(would_help, {4 << 20}).contains(QStringLiteral("3.00 MiB")));
        // Beside a figure of GiB the new peak is one of GiB too, as in the sentences.
        const QString large = textOf(would_help, {3LL << 29});
        QVERIFY2(large.contains(QStringLiteral("1.50 GiB")), qPrintable(large));
        QVERIFY2(!large.contains(QStringLiteral("MiB")), qPrintable(large));
        QVERIFY(large.contains(QStringLiteral("Saves")));
        const QString unneeded = textOf(not_needed, {});
        QVERIFY(unneeded.contains(QStringLiteral("not needed")));
        for (const char* title : {"Saves", "New peak", "Needs", "Fits"}) {
            QVERIFY2(!unneeded.contains(QString::fromUtf8(title)), qPrintable(unneeded));
        }
    }

    void aReportAddsFactsAndComparison()
    {
        const diagnose::Analysis a = test::handMadeDeath();
        const diagnose::Analysis b = test::handMadeAnalysis("a +512\n", {label::Bucket::input});
        const QString alone = QString::fromStdString(toText(reportDocument(a, nullptr)));
        QVERIFY(!alone.contains(QStringLiteral("Both runs")));
        QVERIFY(alone.contains(QStringLiteral("Their stacks")));
        const QString both = QString::fromStdString(toText(reportDocument(a, &b)));
        QVERIFY(both.contains(QStringLiteral("Both runs")));
        QVERIFY(!both.contains(QStringLiteral("Verdict")));
        const QString whole = QString::fromStdString(
            toText(reportDocument(a, &b, {.bookmarks = {}, .single_reports = true})));
        QVERIFY(whole.indexOf(QStringLiteral("A · Verdict"))
                > whole.indexOf(QStringLiteral("Both runs")));
        QVERIFY(whole.contains(QStringLiteral("B · Verdict")));
        QVERIFY(both.contains(QStringLiteral("B peaks at 512 B")));
    }

    void whatCannotBeComparedIsReportedAlone()
    {
        const diagnose::Analysis a = test::handMadeDeath();
        const diagnose::Analysis empty = test::handMadeAnalysis("device 0\n", {});
        const QString text = QString::fromStdString(toText(reportDocument(a, &empty)));
        QVERIFY(!text.contains(QStringLiteral("What differs")));
        QVERIFY(text.contains(QStringLiteral("A · Verdict")));
        QVERIFY(text.contains(QStringLiteral("nothing to explain")));
    }

    void aStackIsShownOnceForAllItsAllocations()
    {
        const diagnose::Analysis analysis = test::handMadeAnalysis(
            "stack f = forward /m.py:1\n stack g = g /m.py:2\n a +1K @f\n b +2K @g\n c +3K @f\n",
            {});
        const AllocationSelection all = largestAtMoment(analysis, 0, 10);
        const QString text =
            QString::fromStdString(toText({"", {stacksSection(analysis, all, 5)}}));
        QCOMPARE(text.count(QStringLiteral("/m.py:1  forward")), 1);
        QVERIFY(text.contains(QStringLiteral("4.00 KiB in 2 allocations: Unknown")));
        QVERIFY(text.contains(QStringLiteral("2.00 KiB: Unknown, 75 % sure. as the test says")));
        const QString one = QString::fromStdString(toText({"", {stacksSection(analysis, all, 1)}}));
        QVERIFY(!one.contains(QStringLiteral("/m.py:2")));
    }

    void aReportCountsAllThatAStackMade()
    {
        std::string script = "stack f = forward /m.py:1\n big +9K\n";
        for (int i = 0; i < 12; ++i) { // More than a table of the largest lists.
            script += " x" + std::to_string(i) + " +1K @f\n";
        }
        const diagnose::Analysis analysis = test::handMadeAnalysis(script, {});
        const QString text = QString::fromStdString(toText(reportDocument(analysis, nullptr)));
        QVERIFY2(text.contains(QStringLiteral("12.0 KiB in 12 allocations: Unknown")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("12 × 1.00 KiB")), qPrintable(text));
    }

    void aMomentWithoutEventsIsTheDumpEverywhere()
    {
        const diagnose::Analysis analysis = test::handMadeAnalysis(
            "stack f = forward /m.py:1\n live w 4096 @f\n", {label::Bucket::parameter});
        for (const Document& document :
             {diagnosisDocument(analysis, 0), reportDocument(analysis, nullptr)}) {
            const QString text = QString::fromStdString(toText(document));
            QVERIFY2(text.contains(QStringLiteral("Largest allocations, GPU 0, the dump")),
                     qPrintable(text));
            QVERIFY(text.contains(QStringLiteral("At the peak (the dump)")));
        }
    }

    void anEmptyFileIsExplained()
    {
        const QString text = QString::fromStdString(
            toText(diagnosisDocument(test::handMadeAnalysis("device 0\n", {}), 0)));
        QVERIFY(text.contains(QStringLiteral("nothing to explain")));
        QVERIFY(text.contains(QStringLiteral("_record_memory_history")));
    }
};

TIDEMARK_TEST(TstDocument)

} // namespace tidemark::tst_document

#include "tst_document.moc"
