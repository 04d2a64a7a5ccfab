// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/labelled.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"
#include "tests/ui_report/pdf_probe.h"
#include "ui/models/language.h"
#include "ui/report/page_flow.h"
#include "ui/report/pdf_report.h"

#include <QtCore/QFile>
#include <QtCore/QHashFunctions>
#include <QtCore/QRegularExpression>
#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFObjectHandle.hh>
#include <qpdf/QPDFOutlineDocumentHelper.hh>

#include <algorithm>

namespace tidemark::tst_pdf_report {

namespace {

diagnose::Analysis analyse(const std::filesystem::path& file)
{
    NoProgress progress;
    auto analysis = pipeline::analyze(file, {}, progress, {});
    if (!analysis.has_value()) {
        qFatal("%s: %s", file.c_str(), analysis.error().message.c_str());
    }
    return std::move(analysis).value();
}

/// An analysis of a script without a file; everything but the diagnosis where `is_diagnosed` is
/// false.
diagnose::Analysis analyseScript(std::string_view script, bool is_diagnosed = true)
{
    NoProgress progress;
    diagnose::Analysis analysis = test::labelledAnalysis(test::snapshotFromScript(script));
    analysis.file = "/runs/script.pickle";
    if (is_diagnosed) {
        analysis = pipeline::withInput(analysis, {}, progress, {}).value();
    }
    return analysis;
}

QString plain(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())).simplified();
}

QByteArray bytesOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

ui::PdfOptions fixedDate()
{
    ui::PdfOptions options;
    options.date = QDateTime(QDate(2026, 3, 4), QTime(5, 6, 7), Qt::UTC);
    return options;
}

} // namespace

class TstPdfReport : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;
    [[nodiscard]] QString pdf(const QString& name = QStringLiteral("report")) const
    {
        return m_folder.filePath(name + QStringLiteral(".pdf"));
    }

    /// Writes a report; returns its path, or an empty text with a warning.
    QString write(std::vector<diagnose::Analysis> analyses,
                  const ui::PdfOptions& options = fixedDate()) const
    {
        const auto result = ui::writePdf(pdf(), analyses, options);
        if (!result.has_value()) {
            qWarning("%s", result.error().message.c_str());
            return {};
        }
        return pdf();
    }

    /// What holds of every report, whatever is in it.
    static void checkPages(const QString& path)
    {
        QVERIFY(!path.isEmpty());
        const std::vector<double> ink = test::inkPerPage(path);
        QVERIFY(!ink.empty());
        for (const double share : ink) {
            // Header and footer alone make less than this.
            QVERIFY2(share > 0.004, qPrintable(QString::number(share)));
        }
        QCOMPARE(test::wordsOutside(path, ui::report::kPageMargin - 0.5), QStringList());
        QCOMPARE(test::overlappingWords(path), QStringList());
        // Header of pdfimages -list, and nothing under it: every figure is vector.
        const QByteArray images =
            test::runTool(QStringLiteral("pdfimages"), {QStringLiteral("-list"), path});
        QCOMPARE(images.trimmed().count('\n'), 1);
        const auto fonts = test::runTool(QStringLiteral("pdffonts"), {path}).trimmed().split('\n');
        QVERIFY(fonts.size() >= 3);
        const auto embedded = fonts[0].indexOf("emb");
        for (qsizetype i = 2; i < fonts.size(); ++i) {
            QVERIFY2(fonts[i].mid(embedded, 3) == "yes", fonts[i].constData());
        }
        const QString pages = QStringLiteral("Page %1 of %1").arg(ink.size());
        QVERIFY(test::textOf(path).contains(pages));
    }

    static void addRows(const std::vector<std::filesystem::path>& files)
    {
        QTest::addColumn<QString>("file");
        for (const auto& file : files) {
            const std::string name = file.parent_path().filename().string() + '/';
            QTest::newRow((name + file.filename().string()).c_str())
                << QString::fromStdString(file.string());
        }
    }

private Q_SLOTS:
    void everyModelledRunGivesAReportThatAStrangerCanRead_data()
    {
        addRows(test::sampled(test::modelledFiles()));
    }

    void everyModelledRunGivesAReportThatAStrangerCanRead()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        QFETCH(QString, file);
        const diagnose::Analysis analysis = analyse(file.toStdString());
        const QString path = write({analysis});
        checkPages(path);
        const QString text = test::textOf(path);
        const std::size_t device = analysis.mainDevice();
        const auto& replay = analysis.replay->devices[device];
        const auto& diagnosis = analysis.diagnosis->devices[device];
        QVERIFY(text.contains(plain(analysis.file.filename().string())));
        QVERIFY(text.contains(plain(diagnosis.headline)));
        const Bytes peak = replay.activeAt(replay.peak);
        const auto column = [&](Bytes bytes) { return plain(OneUnit(peak).cell(bytes)); };
        QVERIFY(text.contains(column(peak)));
        const auto buckets = analysis.curves->devices[device].at(replay.peak);
        for (std::size_t i = 0; i < label::kBucketCount; ++i) {
            if (buckets[i] > 0) {
                QVERIFY(text.contains(plain(label::bucketName(label::bucketAt(i)))));
                QVERIFY(text.contains(column({buckets[i]})));
            }
        }
        QVERIFY(text.contains(QStringLiteral("Largest allocations")));
        QVERIFY(text.contains(QStringLiteral("How to read the figures")));
        QCOMPARE(text.contains(QStringLiteral("Before the OOM")), !replay.ooms.empty());
    }

    void theReportSpeaksTheLanguageInUse()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        ui::speakLanguage(QStringLiteral("de"));
        const QString path = write({analyseScript("a +512M\noom 4G free=1G\n")});
        ui::speakLanguage(QStringLiteral("en"));
        const QString text = test::textOf(path);
        for (const char* heading : {"Zeitleiste", "Was den Speicher füllte",
                                    "Wie die Zahlen zu lesen sind", "Seite 1 von"}) {
            QVERIFY2(text.contains(QString::fromUtf8(heading)), heading);
        }
        for (const char* english : {"How to read", "Page 1", "What filled", "GiB short"}) {
            QVERIFY2(!text.contains(QString::fromUtf8(english)), english);
        }
        QVERIFY(text.contains(QRegularExpression(QStringLiteral("\\d,\\d\\d"))));
        QPDF document;
        document.processFile(path.toUtf8().constData());
        QCOMPARE(document.getRoot().getKey("/Lang").getUTF8Value(), std::string("de"));
        QCOMPARE(test::wordsOutside(path, ui::report::kPageMargin - 0.5), QStringList());
        QCOMPARE(test::overlappingWords(path), QStringList());
    }

    void theFixesStandInTheReportWithTheirLines()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const auto analysis = analyse(test::modelledFile("gpt_oom_backward"));
        const auto& fixes = analysis.diagnosis->devices[analysis.mainDevice()].fixes;
        QVERIFY(!fixes.empty());
        const QString text = test::textOf(write({analysis}));
        // Without spaces: cells wrap, and columns stand between their lines.
        QString squeezed = text;
        squeezed.remove(u' ');
        std::size_t pasted = 0;
        for (const diagnose::Fix& fix : fixes) {
            if (fix.status == diagnose::FixStatus::not_applicable) {
                continue;
            }
            QVERIFY2(squeezed.contains(plain(fix.title).remove(u' ')), fix.title.c_str());
            for (const auto& [framework, lines] : fix.how) {
                const QString first_line =
                    plain(std::string_view(lines).substr(0, lines.find('\n')))
                        .remove(u' ')
                        .left(24);
                const bool is_there = squeezed.contains(first_line);
                // Nothing in its stacks is of another framework.
                QVERIFY2(!is_there || framework == "PyTorch", lines.c_str());
                QVERIFY(is_there || fix.status != diagnose::FixStatus::recommended
                        || framework != "PyTorch");
                pasted += is_there ? 1U : 0U;
            }
        }
        QVERIFY(pasted >= 2 && pasted <= 5);
        QVERIFY(text.contains(QStringLiteral("recommended")));
        QVERIFY(text.contains(QStringLiteral("Page 1 of 4")));
    }

    void everyRecordingGivesSoundPages_data()
    {
        addRows(test::sampled(test::recordings()));
    }

    void everyRecordingGivesSoundPages()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        QFETCH(QString, file);
        const diagnose::Analysis analysis = analyse(file.toStdString());
        const QString path = write({analysis});
        checkPages(path);
        const QString text = test::textOf(path);
        const QRegularExpression blanks(QStringLiteral("\\s"));
        for (const trace::InputNote& note : analysis.snapshot->notes.all()) {
            // A line may end behind its hyphen.
            QVERIFY2(QString(text).remove(blanks).contains(plain(note.code).remove(blanks)),
                     note.code.c_str());
        }
        if (std::ranges::count_if(analysis.snapshot->devices,
                                  [](const trace::Device& device) { return !device.isEmpty(); })
            > 1) {
            QVERIFY(text.contains(QStringLiteral("All devices")));
        }
    }

    void ofVeryManyDevicesOnlyTheLargestAreTold()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        std::string script;
        for (int d = 0; d < 70; ++d) {
            const std::string number = std::to_string(d);
            script += "device " + number + "\na" + number + " +" + std::to_string(100 + d) + "M\n";
        }
        const QString text = test::textOf(write({analyseScript(script)}));
        QVERIFY(text.contains(QStringLiteral("6 devices with lower peaks")));
        QVERIFY(text.contains(QStringLiteral("169 MiB")));
        QVERIFY(text.contains(QStringLiteral("106 MiB")));
        QVERIFY(!text.contains(QStringLiteral("105 MiB")));
    }

    void twoRunsAreComparedFirst()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const auto a = analyse(test::modelledFile("gpt_train_full"));
        const auto b = analyse(test::modelledFile("gpt_checkpointing"));
        const QString path = write({a, b});
        checkPages(path);
        const QString text = test::textOf(path);
        QVERIFY(text.contains(QStringLiteral("What differs")));
        QVERIFY(text.contains(QStringLiteral("gpt_train_full.pickle")));
        QVERIFY(text.contains(QStringLiteral("gpt_checkpointing.pickle")));
        // The headline, the lanes, the places with their total, what explains it, the allocators.
        for (const char* words : {"checkpointing", "Both runs", "Where they differ", "Total",
                                  "What changed", "Allocator"}) {
            QVERIFY2(text.contains(QString::fromUtf8(words)), words);
        }
        const auto pages = test::textOf(path).count(QStringLiteral("Page "));
        QVERIFY2(pages == 2 || pages == 3, qPrintable(QString::number(pages)));
        QVERIFY(!text.contains(QStringLiteral("What filled memory")));
    }

    void reportsOfBothRunsFollowOnRequest()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        ui::PdfOptions options = fixedDate();
        options.single_reports = true;
        options.letters = {QStringLiteral("C"), QStringLiteral("D")};
        const QString path = write({analyse(test::modelledFile("gpt_train_full")),
                                    analyse(test::modelledFile("gpt_checkpointing"))},
                                   options);
        checkPages(path);
        const QString text = test::textOf(path);
        QVERIFY(QString(text).remove(u' ').contains(QStringLiteral("D−C")));
        QVERIFY(text.contains(QStringLiteral("C · Verdict")));
        QVERIFY(text.contains(QStringLiteral("D · Verdict")));
        QVERIFY(text.indexOf(QStringLiteral("What differs"))
                < text.indexOf(QStringLiteral("What filled memory")));
    }

    void twoRunsOfWhichOneIsEmptyAreStillReported()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const auto a = analyse(test::modelledFile("gpt_train_full"));
        const auto b = analyseScript("device 0\ndevice 3\n");
        const QString path = write({a, b});
        checkPages(path);
        QVERIFY(test::textOf(path).contains(QStringLiteral("no memory to compare")));
    }

    void theSameInputGivesTheSameBytes()
    {
        const auto file = test::modelledFile("gpt_oom_backward");
        // Qt orders some of what it writes by hash, and hashes differ from run to run.
        QHashSeed::setDeterministicGlobalSeed();
        const QByteArray first = bytesOf(write({analyse(file)}));
        QHashSeed::resetRandomGlobalSeed();
        const QByteArray second = bytesOf(write({analyse(file)}));
        QVERIFY(first.size() > 1000);
        QVERIFY(first.size() < 200000);
        QVERIFY(first == second);
    }

    void theDateAndTheTitleAreTheOnesGiven()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const QString path = write({analyseScript("a +1M\na -\n")});
        const QByteArray info =
            test::runTool(QStringLiteral("pdfinfo"), {QStringLiteral("-isodates"), path});
        QVERIFY2(info.contains("2026-03-04T05:06:07Z"), info.constData());
        QVERIFY2(info.contains("Memory report: script.pickle"), info.constData());
        QVERIFY2(info.contains("Tidemark 0."), info.constData());
        QVERIFY2(info.contains("A4"), info.constData());
        QVERIFY(test::textOf(path).contains(QStringLiteral("2026-03-04 05:06")));
    }

    void otherPaperIsUsedToItsMargins()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        ui::PdfOptions options = fixedDate();
        options.page_size = QPageSize(QPageSize::Letter);
        const QString path = write({analyseScript("a +1M\nb +3M\na -\n")}, options);
        checkPages(path);
        QVERIFY(test::runTool(QStringLiteral("pdfinfo"), {path}).contains("612 x 792"));
    }

    void bookmarksLeadToTheSections()
    {
        const QString path = write({analyseScript("a +1M\nb +3M\na -\n")});
        QPDF document;
        document.processFile(path.toUtf8().constData());
        auto outlines = QPDFOutlineDocumentHelper(document).getTopLevelOutlines();
        QCOMPARE(outlines.size(), 1U);
        QCOMPARE(outlines[0].getTitle(), std::string("Memory report: script.pickle"));
        QStringList titles;
        for (auto& kid : outlines[0].getKids()) {
            titles << QString::fromStdString(kid.getTitle());
            QVERIFY(kid.getDestPage().isPageObject());
        }
        QVERIFY(titles.contains(QStringLiteral("Timeline")));
        QVERIFY(titles.contains(QStringLiteral("What filled memory")));
        QVERIFY(titles.contains(QStringLiteral("File")));
    }

    void anAnalysisThatIsNotCompleteIsRefused()
    {
        const diagnose::Analysis undiagnosed = analyseScript("a +1M\nb +3M\na -\n", false);
        const auto result = ui::writePdf(pdf(), std::span(&undiagnosed, 1));
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().code, ErrorCode::badArgument);
    }

    void severalOomEventsAndTheMessageAreTold()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const diagnose::Analysis silent =
            analyseScript("a +512M\noom 640M free=128M\na -\nb +256M\noom 768M free=64M\n");
        diagnose::UserInput input;
        input.message =
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 768.00 MiB. GPU 0 "
            "has a total capacity of 1.25 GiB of which 64.00 MiB is free. Of the allocated "
            "memory 256.00 MiB is allocated by PyTorch, and 12.00 MiB is reserved by PyTorch "
            "but unallocated.";
        NoProgress progress;
        const auto told = pipeline::withInput(silent, input, progress, {});
        QVERIFY(told.has_value());
        const QString path = write({told.value()});
        checkPages(path);
        const QString text = test::textOf(path);
        QVERIFY(text.contains(QStringLiteral("Out of memory")));
        QVERIFY(text.contains(QStringLiteral("640 MiB")));
        QVERIFY(text.contains(QStringLiteral("From the error message")));
        QVERIFY(text.contains(QStringLiteral("1.25 GiB")));
        QVERIFY(!test::textOf(write({silent})).contains(QStringLiteral("From the error message")));
    }

    void namesFromTheFileCannotBreakThePage()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const std::string name(700, 'N');
        const std::string folder(300, 'd');
        const diagnose::Analysis analysis =
            analyseScript("stack s = " + name + " /home/" + folder + "/模型/" + name + ".py:12345\n"
                          + "a +512M @s\nb +1G @s\na -\n");
        const QString path = write({analysis});
        checkPages(path);
        QVERIFY(test::textOf(path).contains(QStringLiteral("NNN")));
    }

    void anAnalysisWithoutASnapshotIsRefused()
    {
        const diagnose::Analysis analysis;
        const auto result = ui::writePdf(pdf(), std::span(&analysis, 1));
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().code, ErrorCode::badArgument);
    }

    void noneAndThreeRunsAreRefused()
    {
        const std::vector<diagnose::Analysis> three(3, analyseScript("a +1M\n"));
        for (const auto& runs : {std::span(three).first(0), std::span(three)}) {
            const auto result = ui::writePdf(pdf(), runs);
            QVERIFY(!result.has_value());
            QCOMPARE(result.error().code, ErrorCode::badArgument);
        }
    }

    void aPlaceThatCannotBeWrittenIsSaidInOneSentence()
    {
        const std::vector<diagnose::Analysis> runs{analyseScript("a +1M\n")};
        for (const QString& path : {m_folder.filePath(QStringLiteral("missing/report.pdf")),
                                    m_folder.path(), QStringLiteral("/proc/report.pdf")}) {
            const auto result = ui::writePdf(path, runs, fixedDate());
            QVERIFY2(!result.has_value(), qPrintable(path));
            QCOMPARE(result.error().code, ErrorCode::cannotWrite);
            const QString sentence = plain(result.error().message);
            QVERIFY(sentence.endsWith(u'.'));
            QVERIFY(sentence.contains(path));
            QVERIFY(!QFile::exists(path) || path == m_folder.path());
        }
    }

    void whatAPersonMarkedStandsInIt()
    {
        const diagnose::Analysis analysis = analyseScript("a +1M\nb +2M\na -\n");
        ui::PdfOptions options = fixedDate();
        options.bookmarks[0] = {{0, StateId{2}, "<b>the second</b> tensor"},
                                {0, StateId{4'000'000}, "behind the end"}};
        QVERIFY(ui::writePdf(pdf(), std::span(&analysis, 1), options).has_value());
        if (test::hasPdfTools()) {
            const QString words = test::textOf(pdf());
            QVERIFY(words.contains(QStringLiteral("Bookmarks")));
            QVERIFY(words.contains(QStringLiteral("<b>the second</b> tensor")));
            QVERIFY(!words.contains(QStringLiteral("behind the end")));
        }
    }

    void aReportThatIsCancelledLeavesWhatWasThere()
    {
        std::stop_source stop;
        stop.request_stop();
        ui::PdfOptions options = fixedDate();
        options.stop = stop.get_token();
        QFile before(pdf());
        QVERIFY(before.open(QIODevice::WriteOnly));
        before.write("%PDF-1.4 of yesterday");
        before.close();

        const diagnose::Analysis analysis = analyseScript("a +1M\na -\n");
        const auto result = ui::writePdf(pdf(), std::span(&analysis, 1), options);

        QVERIFY(!result.has_value());
        QCOMPARE(result.error().code, ErrorCode::cancelled);
        QCOMPARE(bytesOf(pdf()), QByteArray("%PDF-1.4 of yesterday"));
    }
};

TIDEMARK_TEST(TstPdfReport)

} // namespace tidemark::tst_pdf_report

#include "tst_pdf_report.moc"
