// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"
#include "core/diagnose/diagnosis.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/plan_dialog.h"

#include <QtCore/QPointer>
#include <QtGui/QImage>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTextBrowser>

#include <algorithm>

namespace tidemark::tst_plan_dialog {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000;

/// A dialog that plans the smallest of the known models.
struct Asked {
    PlanDialog dialog;
    QSignalSpy answered{&dialog, &PlanDialog::answered};

    Asked()
    {
        choose("planModel", "HuggingFaceTB/SmolLM2-135M");
    }
    void wait()
    {
        QVERIFY(answered.wait(kPatience));
    }
    void choose(const char* box, const char* words)
    {
        auto* combo = dialog.findChild<QComboBox*>(QLatin1String(box));
        const int row = combo->findText(QLatin1String(words));
        QVERIFY(row >= 0);
        answered.clear();
        combo->setCurrentIndex(row);
        if (answered.isEmpty()) { // what cannot be planned is said at once
            wait();
        }
    }
    void set(const char* box, int value)
    {
        answered.clear();
        dialog.findChild<QSpinBox*>(QLatin1String(box))->setValue(value);
        if (answered.isEmpty()) {
            wait();
        }
    }
    [[nodiscard]] QString words() const
    {
        return dialog.findChild<QTextBrowser*>()->toPlainText();
    }
    [[nodiscard]] bool hasCurve() const
    {
        return !dialog.findChild<PlanCurve*>()->isHidden();
    }
};

} // namespace

class TstPlanDialog : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void theAnswerFollowsTheForm()
    {
        Asked asked;
        QVERIFY(asked.words().contains(QLatin1String("134,515,008 parameters")));
        QVERIFY2(asked.words().contains(QString::fromUtf8("1 × 2048 tokens, bf16")),
                 qPrintable(asked.words()));
        QVERIFY(asked.hasCurve());
        const QString before = asked.words();
        asked.set("planBatch", 4);
        QVERIFY(asked.words().contains(QString::fromUtf8("4 × 2048 tokens")));
        QVERIFY(asked.words() != before);
        asked.choose("planPrecision", "fp32");
        QVERIFY(asked.words().contains(QLatin1String("fp32")));
    }

    void whatIsNotSaidOfTheOptimizerIsAssumedAndInTheRange()
    {
        Asked asked;
        QVERIFY2(asked.words().contains(QLatin1String("Assumes fused AdamW")),
                 qPrintable(asked.words()));
        asked.choose("planOptimizer", "adamw");
        QVERIFY(!asked.words().contains(QLatin1String("Assumes fused AdamW")));
    }

    void aCardSaysWhetherItFits()
    {
        Asked asked;
        QVERIFY(!asked.words().contains(QLatin1String("fits")));
        asked.choose("planCard", "H100-80GB");
        QVERIFY2(asked.words().contains(QLatin1String("fits")), qPrintable(asked.words()));
        asked.set("planBatch", 4096);
        QVERIFY(asked.words().contains(QLatin1String("does not fit")));
    }

    void theCurveSaysWhatItsColoursAreAndWhereTheGpuEnds()
    {
        Asked asked;
        asked.dialog.show();
        auto* curve = asked.dialog.findChild<PlanCurve*>();
        const std::vector<label::Phase> phases = curve->legend();
        for (const label::Phase phase :
             {label::Phase::forward, label::Phase::backward, label::Phase::optimizer}) {
            QVERIFY(std::ranges::find(phases, phase) != phases.end());
        }
        // In a narrow dialog, too, nothing of it is cut off or lies on the curve.
        curve->resize(240, 160);
        for (const QRectF& place : curve->legendPlaces()) {
            QVERIFY(QRectF(curve->rect()).contains(place));
        }
        QVERIFY(!curve->lineOfCapacity());
        asked.choose("planCard", "T4");
        const int batch = 8;
        asked.set("planBatch", batch);
        const auto line = curve->lineOfCapacity();
        QVERIFY(line.has_value());
        QVERIFY(*line > 0 && *line < curve->height());
        const QImage picture = curve->grab().toImage();
        const QColor seen = picture.pixelColor(picture.width() - 4, qRound(*line));
        QVERIFY2(seen.red() > 150 && seen.green() < 130, qPrintable(seen.name()));
    }

    void aModelIsFoundByTyping()
    {
        Asked asked;
        asked.dialog.show();
        QVERIFY(QTest::qWaitForWindowActive(&asked.dialog));
        auto* model = asked.dialog.findChild<QComboBox*>(QStringLiteral("planModel"));
        QLineEdit* const edit = model->lineEdit();
        QVERIFY(edit != nullptr);
        edit->setFocus();
        edit->selectAll();
        asked.answered.clear();
        QTest::keyClicks(edit, QStringLiteral("qwen2.5-7b"));
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(model->currentText(), QStringLiteral("Qwen/Qwen2.5-7B"),
                                  kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(asked.words().contains(QStringLiteral("Qwen2.5-7B")), kPatience);
        // What is no model is not taken.
        edit->selectAll();
        QTest::keyClicks(edit, QStringLiteral("zzzz"));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(model->currentText(), QStringLiteral("Qwen/Qwen2.5-7B"));
    }

    void paddedSequencesAreAControl()
    {
        Asked asked;
        QVERIFY(asked.words().contains(QLatin1String("no padding")));
        asked.answered.clear();
        auto* padded = asked.dialog.findChild<QCheckBox*>(QStringLiteral("planPadded"));
        padded->click();
        asked.wait();
        QVERIFY(!asked.words().contains(QLatin1String("no padding")));
    }

    void whatCannotBeIsSaid()
    {
        Asked asked;
        asked.choose("planModel", "openai-community/gpt2"); // 2,048 tokens, and 1,024 positions
        QVERIFY2(asked.words().contains(QLatin1String("1024 positions")),
                 qPrintable(asked.words()));
        QVERIFY(!asked.hasCurve());
        asked.set("planSequence", 512);
        QVERIFY(asked.hasCurve());
        asked.set("planZero", 3);
        QVERIFY2(!asked.hasCurve(), "one GPU cannot shard");
        asked.set("planGpus", 4);
        QVERIFY(asked.hasCurve());
        asked.set("planTensor", 5);
        QVERIFY2(asked.words().contains(QLatin1String("decoders such as llama")),
                 qPrintable(asked.words()));
    }

    /// As the command line does: a model that has one way to attend is planned with it.
    void aModelThatNeedsItsScoresIsPlannedEager()
    {
        Asked asked;
        asked.choose("planModel", "bigscience/bloom-560m");
        QVERIFY2(asked.hasCurve(), qPrintable(asked.words()));
        QVERIFY2(asked.words().contains(QLatin1String("eager attention")),
                 qPrintable(asked.words()));
    }

    void aPlanOpensAsATimelineAndStandsBesideIt()
    {
        test::Opened opened({1200, 800});
        opened.window.openDialog(QStringLiteral("plan"));
        const QPointer<PlanDialog> dialog = opened.window.findChild<PlanDialog*>();
        auto* model = dialog->findChild<QComboBox*>(QStringLiteral("planModel"));
        model->setCurrentIndex(model->findText(QStringLiteral("HuggingFaceTB/SmolLM2-135M")));
        dialog->findChild<QSpinBox*>(QStringLiteral("planSequence"))->setValue(128);
        QSignalSpy loaded(&opened.session, &Session::loaded);
        const int chosen = model->currentIndex();
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("planTimeline")),
                          Qt::LeftButton);
        QVERIFY(loaded.wait(kPatience));
        QVERIFY(dialog.isNull() || !dialog->isVisible()); // It does not stand before the result.
        const OpenFile& file = opened.session.files().front();
        QVERIFY(file.is_planned && file.path.contains(QLatin1String("Planned SmolLM2-135M")));
        QVERIFY(opened.preferences.recentFiles().isEmpty()); // There is no file to open again.
        QVERIFY(file.analysis.diagnosis != nullptr);
        const diagnose::DeviceDiagnosis& diagnosis = file.analysis.diagnosis->devices.front();
        QVERIFY(diagnosis.fix_headline.find("No OOM") == std::string::npos);
        // The plan's own figure, of each change one.
        const auto qlora = std::ranges::find(diagnosis.fixes, "qlora", &diagnose::Fix::id);
        QVERIFY(qlora != diagnosis.fixes.end());
        const QString saved = text(tidemark::OneUnit(kGiB).cell(qlora->saves));
        QCOMPARE(file.analysis.labels->devices.front().steps.size(), std::size_t{2});
        // Judged against the capacity that is typed later.
        QCOMPARE(qlora->fits, std::nullopt);
        diagnose::UserInput input = file.analysis.input;
        input.capacity = Bytes{1 << 20};
        opened.session.setUserInput(file.id, input);
        QTRY_VERIFY_WITH_TIMEOUT(
            opened.session.files().front().analysis.input.capacity == input.capacity, kPatience);
        const diagnose::Analysis& again = opened.session.files().front().analysis;
        const auto judged =
            std::ranges::find(again.diagnosis->devices.front().fixes, "qlora", &diagnose::Fix::id);
        QVERIFY(judged != again.diagnosis->devices.front().fixes.end());
        QCOMPARE(judged->fits, std::optional(false));

        // What never ran is not told that nothing ran out, but whether it fits.
        input.capacity = Bytes{80 * kGiB.value};
        opened.session.setUserInput(file.id, input);
        QTRY_COMPARE_WITH_TIMEOUT(
            opened.session.files().front().analysis.diagnosis->devices.front().fix_headline,
            std::string("The plan fits in 80.0 GiB"), kPatience);

        PlanDialog beside;
        beside.setRecording(QStringLiteral("planned"), file.analysis);
        QSignalSpy answered(&beside, &PlanDialog::answered);
        beside.findChild<QSpinBox*>(QStringLiteral("planSequence"))->setValue(128);
        beside.findChild<QComboBox*>(QStringLiteral("planModel"))->setCurrentIndex(chosen);
        beside.findChild<QCheckBox*>(QStringLiteral("planBeside"))->setChecked(true);
        QVERIFY(answered.wait(kPatience));
        const QString words = beside.findChild<QTextBrowser*>()->toPlainText();
        QVERIFY2(words.contains(saved), qPrintable(saved));
        QVERIFY2(words.contains(QLatin1String("Plan vs. recording"))
                     && words.contains(QLatin1String("(0 %)")),
                 qPrintable(words));
    }
};

TIDEMARK_TEST(TstPlanDialog)

} // namespace tidemark::tst_plan_dialog

#include "tst_plan_dialog.moc"
