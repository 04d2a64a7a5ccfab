// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/curves/module_bytes.h"
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "core/diagnose/prediction.h"
#include "core/label/modules/details.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui_report/pdf_probe.h"
#include "ui/report/page_flow.h"
#include "ui/report/pdf_report.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <algorithm>

namespace tidemark::tst_section_budget {

class TstSectionBudget : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    diagnose::Analysis m_analysis;
    [[nodiscard]] QString written(const diagnose::Analysis& analysis) const
    {
        const QString path = m_folder.filePath(QStringLiteral("report.pdf"));
        const std::vector<diagnose::Analysis> analyses{analysis};
        return ui::writePdf(path, analyses, {}).has_value() ? path : QString();
    }

private Q_SLOTS:
    void initTestCase()
    {
        NoProgress progress;
        m_analysis = pipeline::analyze(std::filesystem::path(TIDEMARK_SOURCE_DIR)
                                           / "tests/data/cases/gpt_oom_backward.pickle",
                                       {}, progress, {})
                         .value();
    }

    void theRecommendedChangeIsSplitIntoItsBuckets()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const auto& fixes = m_analysis.diagnosis->devices[0].fixes;
        const auto fix =
            std::ranges::find(fixes, diagnose::FixStatus::recommended, &diagnose::Fix::status);
        QVERIFY(fix != fixes.end());
        const diagnose::Prediction p =
            diagnose::predict(m_analysis, 0, diagnose::parseChanges(fix->apply).value());
        const QString path = written(m_analysis);
        const QString words = test::textOf(path);
        QVERIFY(words.contains(QStringLiteral("The budget before and after")));
        const OneUnit unit(p.before_reserved);
        for (const diagnose::BudgetRow& row :
             diagnose::budgetRows(*p.before_budget, *p.after_budget)) {
            if (row.before > kGiB.value / 10 && row.after > kGiB.value / 10) {
                const std::string line = unit.cell({row.before}) + " " + unit.cell({row.after});
                QVERIFY2(words.contains(QString::fromStdString(line)), line.c_str());
            }
        }
        const std::string spare = unit.cell({p.capacity->value - p.after_budget->total()});
        QVERIFY(words.contains(QStringLiteral("Spare")));
        QVERIFY2(words.contains(QString::fromStdString(spare)), spare.c_str());
        QCOMPARE(test::wordsOutside(path, ui::report::kPageMargin - 0.5), QStringList());
        QCOMPARE(test::overlappingWords(path), QStringList());
    }

    void theAnswerAndTheAllocatorsVerdictAreSaid()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        diagnose::Analysis analysis = m_analysis;
        analysis.input.config =
            config::readRunConfig("--per_device_train_batch_size 8 --bf16").value();
        analysis.input.config_name = "train.sh";
        diagnose::Diagnosis diagnosis = *analysis.diagnosis;
        diagnosis.devices[0].settings_verdict = "Seventeen settings were replayed.";
        diagnosis.devices[0].limits.gpus = {{3, 6}};
        analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(diagnosis);
        const QString words = test::textOf(written(analysis)).simplified();
        QVERIFY(words.contains(QStringLiteral("Seventeen settings were replayed.")));
        QVERIFY(words.contains(QStringLiteral("ZeRO stage 3: at least 6 GPUs.")));
        QVERIFY(words.contains(QStringLiteral("From train.sh (")));
        QVERIFY(words.contains(QStringLiteral("Cost: ")));
    }

    void modulesAtThePeakHaveTheirBytes()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        const auto details = label::findDetails(*m_analysis.snapshot, *m_analysis.replay,
                                                *m_analysis.labels, m_analysis.programs.get());
        const replay::DeviceReplay& replay = m_analysis.replay->devices[0];
        const auto rows = curves::moduleBytes(replay, m_analysis.labels->devices[0],
                                              details.devices[0].modules, replay.peak);
        const QString words = test::textOf(written(m_analysis));
        QVERIFY(words.contains(QStringLiteral("Where in the model, at the peak")));
        const auto largest = std::ranges::find_if(
            rows, [](const curves::ModuleBytes& row) { return !row.module.isNone(); });
        QVERIFY(largest != rows.end());
        const std::string bytes = OneUnit(replay.activeAt(replay.peak)).cell({largest->bytes});
        QVERIFY2(words.contains(QString::fromStdString(bytes)), bytes.c_str());
        const std::string place = details.paths.path(largest->module).parts.back();
        QVERIFY2(words.contains(QString::fromStdString(place)), place.c_str());
    }

    void withoutARecommendedChangeThereIsNoBudget()
    {
        TIDEMARK_NEED_PDF_TOOLS();
        diagnose::Analysis analysis = m_analysis;
        diagnose::Diagnosis diagnosis = *analysis.diagnosis;
        diagnosis.devices[0].answer.reset();
        analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
        const QString words = test::textOf(written(analysis));
        QVERIFY(words.contains(QStringLiteral("Where in the model, at the peak")));
        QVERIFY(!words.contains(QStringLiteral("The budget before and after")));
    }
};

TIDEMARK_TEST(TstSectionBudget)

} // namespace tidemark::tst_section_budget

#include "tst_section_budget.moc"
