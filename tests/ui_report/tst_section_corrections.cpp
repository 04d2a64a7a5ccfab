// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui_report/pdf_probe.h"
#include "ui/report/page_flow.h"
#include "ui/report/pdf_report.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

namespace tidemark::tst_section_corrections {

namespace {

diagnose::Analysis analyse(std::vector<label::Correction> rules)
{
    NoProgress progress;
    pipeline::Options options;
    options.rules.rules = std::move(rules);
    return pipeline::analyze(std::filesystem::path(TIDEMARK_SOURCE_DIR)
                                 / "tests/data/cases/gpt_oom_backward.pickle",
                             options, progress, {})
        .value();
}

label::Correction activations()
{
    label::Correction rule;
    rule.match.bucket = label::Bucket::activation;
    rule.bucket = label::Bucket::kv_cache;
    rule.note = "kept between requests";
    return rule;
}

} // namespace

class TstSectionCorrections : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    [[nodiscard]] QString written(const diagnose::Analysis& analysis) const
    {
        const QString path = m_folder.filePath(QStringLiteral("report.pdf"));
        const std::vector<diagnose::Analysis> analyses{analysis};
        const auto result = ui::writePdf(path, analyses, {});
        return result.has_value() ? path : QString();
    }

private Q_SLOTS:
    void correctionsArePartOfTheReportWithWhatTheyMean()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        label::Correction idle;
        idle.match.file = "nowhere.py";
        const diagnose::Analysis analysis = analyse({activations(), idle});
        const QString path = written(analysis);
        const QString words = test::textOf(path);
        const label::CorrectionEffect& effect = analysis.corrections->effects[0];
        QVERIFY(effect.peak_bytes > kGiB);
        for (const std::string& expected :
             {std::string("Corrections"), std::string("so far activation"),
              std::string("kept between requests"), std::string("KV cache"),
              formatCount(effect.allocations),
              OneUnit(analysis.replay->devices[0].activeAt(analysis.replay->devices[0].peak))
                  .cell(effect.peak_bytes),
              std::string("matches no allocation of this file")}) {
            QVERIFY2(words.contains(QString::fromStdString(expected)), expected.c_str());
        }
        QCOMPARE(test::wordsOutside(path, ui::report::kPageMargin - 0.5), QStringList());
        QCOMPARE(test::overlappingWords(path), QStringList());
    }
    void withoutCorrectionsThereIsNoSuchSection()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const QString words = test::textOf(written(analyse({})));
        QVERIFY(words.contains(QStringLiteral("How to read the figures")));
        QVERIFY(!words.contains(QStringLiteral("Corrections")));
    }
};

TIDEMARK_TEST(TstSectionCorrections)

} // namespace tidemark::tst_section_corrections

#include "tst_section_corrections.moc"
