// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/pipeline.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui_report/pdf_probe.h"
#include "ui/report/pdf_report.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

namespace tidemark::tst_pdf_comparison {

class TstPdfComparison : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    /// What the report of two files says, whose letters are C and D.
    [[nodiscard]] QString textOfBoth(const std::filesystem::path& c,
                                     const std::filesystem::path& d) const
    {
        NoProgress progress;
        std::vector<diagnose::Analysis> runs;
        for (const std::filesystem::path& file : {c, d}) {
            runs.push_back(pipeline::analyze(file, {}, progress, {}).value());
        }
        ui::PdfOptions options;
        options.letters = {QStringLiteral("C"), QStringLiteral("D")};
        const QString path = m_folder.filePath(QStringLiteral("report.pdf"));
        return ui::writePdf(path, runs, options).has_value() ? test::textOf(path) : QString();
    }

private Q_SLOTS:
    void aComparisonSaysWhatWouldHelpAndHowAPredictionDid()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const QString died = textOfBoth(test::modelledFile("gpt_oom_backward"),
                                        test::modelledFile("gpt_checkpointing"));
        const QString title = died.left(died.indexOf(QStringLiteral("What differs")));
        QVERIFY2(!title.contains(u'…'), qPrintable(title)); // Both names, on two lines.
        QVERIFY(died.contains(QStringLiteral("C: Micro-batch 1/2")));
        QVERIFY(!died.contains(QStringLiteral("Prediction vs. measurement")));
        const QString narrower = textOfBoth(test::ownData() / "modern/hf_llama.pickle.xz",
                                            test::ownData() / "modern/hf_llama_purebf16.pickle.xz");
        QVERIFY(narrower.contains(QStringLiteral("Prediction vs. measurement")));
        QVERIFY(narrower.contains(QStringLiteral("C with ")));
        // What was measured has as many digits as in the table below and the range beside it.
        const QString cast = textOfBoth(test::ownData() / "compared/llama.pickle.xz",
                                        test::ownData() / "compared/llama_autocast.pickle.xz");
        QVERIFY(cast.contains(QStringLiteral("measured 230.3 MiB")));
        // Neither died, and neither has what would help the other.
        const QString alike = textOfBoth(test::ownData() / "modern/hf_llama.pickle.xz",
                                         test::ownData() / "modern/hf_llama8.pickle.xz");
        QVERIFY(!alike.isEmpty());
        QVERIFY(!alike.contains(QStringLiteral("it would need")));
        // The places add up to the difference of the peaks and this.
        const QString moved = textOfBoth(test::ownData() / "compared/lstm.pickle.xz",
                                         test::ownData() / "compared/lstm_batch_16.pickle.xz");
        QVERIFY2(moved.contains(QStringLiteral("C's own peak is 0.50 MiB higher.")),
                 qPrintable(moved));
        QVERIFY(!narrower.contains(QStringLiteral("own peak is")));
    }
};

TIDEMARK_TEST(TstPdfComparison)

} // namespace tidemark::tst_pdf_comparison

#include "tst_pdf_comparison.moc"
