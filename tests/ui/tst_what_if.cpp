// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/plan/capacity_text.h"
#include "core/report/document.h"
#include "core/report/sections.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/budget_model.h"
#include "ui/models/roles.h"
#include "ui/models/source_places.h"
#include "ui/models/text.h"
#include "ui/models/view_state.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/panels/what_if_controls.h"
#include "ui/views/panels/what_if_panel.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSlider>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <set>

namespace tidemark::tst_what_if {

using namespace tidemark::ui;
using tidemark::test::diagnosedAnalysisOf;
using tidemark::test::smallRun;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what anything here takes.
constexpr auto kStrict = QAbstractItemModelTester::FailureReportingMode::QtTest;

diagnose::Prediction predictionOf(const ViewState& state, const char* apply)
{
    return diagnose::predict(state.analysis(), 0, diagnose::parseChanges(apply).value());
}

} // namespace

class TstWhatIf : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void aTrialComputesTheNewestChanges();
    void aTrialEndsWithItsDevice();
    void nothingIsComputedForAHiddenPanel();
    void theCommandHasTheCapacityAsItWasSaid();
    void thereIsAControlForEveryChange();
    void controlsSayWhatTheyShow_data();
    void controlsSayWhatTheyShow();
    void theControlsMakeTheCurveAndTheBudget();
    void resettingGoesBackToTheRecordedRun();
    void theSliderStepsThroughMicroBatches();
    void theCurveStaysInThePlotWhileBandsAreHidden();
    void aFixFillsTheControls();
    void whatHasNoEffectIsDisabledForAReason();
    void sharesWantANumberOfGpus();
    void adaptersExcludeEachOther();
    void theBudgetAddsUpInTheTable();
    void theVerdictSaysWhyItIsNotKnown();
};

void TstWhatIf::aTrialComputesTheNewestChanges()
{
    ViewState state;
    WhatIfTrial trial(state);
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    trial.setApplyText(QStringLiteral("old"), QStringLiteral("micro-batch=0.25"));
    trial.setApplyText(QStringLiteral("new"), QStringLiteral("micro-batch=1/2"));
    QCOMPARE(trial.applyText(), QStringLiteral("micro-batch=0.5"));
    QTRY_VERIFY_WITH_TIMEOUT(trial.answer() != nullptr, kPatience);
    QCOMPARE(trial.answer()->title, QStringLiteral("new"));
    QCOMPARE(state.ghost(), trial.answer());
    QCOMPARE(state.ghost()->prediction.after_active,
             predictionOf(state, "micro-batch=0.5").after_active);
    trial.setApplyText(QStringLiteral("none"), QStringLiteral("no such change"));
    QVERIFY(trial.changes().empty());
    QVERIFY(state.ghost() == nullptr && trial.answer() == nullptr);
    trial.setApplyText(QStringLiteral("dropped"), QStringLiteral("micro-batch=0.5"));
    trial.clear();
    QTest::qWait(50);
    QVERIFY(state.ghost() == nullptr && trial.answer() == nullptr);
}

void TstWhatIf::aTrialEndsWithItsDevice()
{
    ViewState state;
    WhatIfTrial trial(state);
    diagnose::Analysis analysis = diagnosedAnalysisOf(smallRun());
    state.show(analysis, 0);
    trial.setApplyText({}, QStringLiteral("micro-batch=0.5"));
    QTRY_VERIFY_WITH_TIMEOUT(state.ghost() != nullptr, kPatience);
    QCOMPARE(state.ghost()->prediction.capacity->value,
             predictionOf(state, "micro-batch=0.5").capacity->value);
    // Another capacity: the same changes, another answer.
    analysis.input.capacity = Bytes{7 * kGiB.value};
    ++analysis.generation;
    state.show(analysis, 0);
    QCOMPARE(trial.applyText(), QStringLiteral("micro-batch=0.5"));
    QTRY_VERIFY_WITH_TIMEOUT(trial.answer() != nullptr, kPatience);
    QCOMPARE(state.ghost()->prediction.capacity->value, 7 * kGiB.value);
    state.show(diagnosedAnalysisOf(smallRun()), 0); // Another file.
    QVERIFY(trial.changes().empty());
    QVERIFY(state.ghost() == nullptr);
}

void TstWhatIf::theCommandHasTheCapacityAsItWasSaid()
{
    ViewState state;
    WhatIfTrial trial(state);
    const WhatIfPanel panel(state, trial);
    diagnose::Analysis analysis = diagnosedAnalysisOf(smallRun());
    const auto given = plan::parseCapacity("24 GB").value();
    QVERIFY(given.unsure.value > 0);
    given.giveTo(analysis.input);
    analysis.input.gpus = 2;
    state.show(analysis, 0);
    trial.setApplyText({}, QStringLiteral("micro-batch=0.5"));
    panel.findChild<QToolButton*>(QStringLiteral("whatIfCopy"))->click();
    const QString command = QGuiApplication::clipboard()->text();
    QVERIFY2(
        command.endsWith(QStringLiteral(" --apply micro-batch=0.5 --capacity '24 GB' --gpus 2")),
        qPrintable(command));
}

void TstWhatIf::nothingIsComputedForAHiddenPanel()
{
    ViewState state;
    WhatIfTrial trial(state);
    WhatIfPanel panel(state, trial);
    const QSignalSpy found(&trial, &WhatIfTrial::effectsFound);
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    panel.show();
    panel.hide(); // As tabs are made.
    QTest::qWait(50);
    QVERIFY(!trial.isComputing() && trial.answer() == nullptr);
    QCOMPARE(found.count(), 0);
    panel.show();
    QTRY_VERIFY_WITH_TIMEOUT(trial.answer() != nullptr, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(found.count(), 1, kPatience);
    panel.hide();
    panel.show(); // Known already.
    QTest::qWait(50);
    QCOMPARE(found.count(), 1);
}

void TstWhatIf::thereIsAControlForEveryChange()
{
    QWidget parent;
    std::set<diagnose::ChangeKind> kinds;
    std::set<QString> ids;
    for (const ControlGroup& group : makeControlGroups(&parent)) {
        for (const ChangeControl* control : group.controls) {
            QVERIFY(ids.insert(control->id()).second);
            QVERIFY(!control->change());
            QVERIFY(!control->toolTip().isEmpty());
            for (const auto& sample : control->samples()) {
                kinds.insert(sample.front().kind);
                QVERIFY(!whyNoEffect(sample.front().kind).isEmpty());
                // What it says is what the command line takes.
                const std::string words = diagnose::changeText(sample.front());
                QVERIFY2(diagnose::parseChanges(words).has_value(), words.c_str());
            }
        }
    }
    QCOMPARE(kinds.size(), static_cast<std::size_t>(diagnose::ChangeKind::eval_accumulation) + 1);
}

void TstWhatIf::controlsSayWhatTheyShow_data()
{
    QTest::addColumn<QString>("apply");
    for (const char* apply :
         {"micro-batch=0.5",
          "micro-batch=0.333333",
          "micro-batch=12",
          "accumulation=3",
          "sequence=0.7",
          "eval-accumulation=4",
          "checkpointing=full",
          "checkpointing=selective",
          "checkpointing=attention",
          "precision=bf16",
          "precision=pure-bf16",
          "attention=flash",
          "fused-loss=on",
          "offload=activations",
          "optimizer=sgd",
          "optimizer=paged-adamw8bit",
          "offload=optimizer",
          "offload=parameters",
          "foreach=off",
          "fused=on",
          "set-to-none=on",
          "zero=3,gpus=16",
          "lora=8",
          "qlora=64:q_proj,v_proj",
          "micro-batch=0.25,accumulation=4,checkpointing=full,offload=activations,optimizer=lion,"
          "offload=optimizer,zero=2,gpus=4"}) {
        QTest::newRow(apply) << QString::fromLatin1(apply);
    }
}

void TstWhatIf::controlsSayWhatTheyShow()
{
    QFETCH(const QString, apply);
    const auto changes = diagnose::parseChanges(utf8(apply)).value();
    QWidget parent;
    QStringList said;
    for (const ControlGroup& group : makeControlGroups(&parent)) {
        for (ChangeControl* control : group.controls) {
            const QSignalSpy changed(control, &ChangeControl::changed);
            control->setChanges(changes);
            QCOMPARE(changed.count(), 0);
            if (const auto change = control->change()) {
                said << text(diagnose::changeText(*change));
            }
        }
    }
    QCOMPARE(WhatIfTrial::canonical(said.join(u',')), WhatIfTrial::canonical(apply));
}

void TstWhatIf::theControlsMakeTheCurveAndTheBudget()
{
    ViewState state;
    WhatIfTrial trial(state);
    WhatIfPanel panel(state, trial);
    panel.resize(1300, 300);
    panel.show();
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    QTRY_VERIFY_WITH_TIMEOUT(trial.answer() != nullptr, kPatience);
    QVERIFY(state.ghost() == nullptr); // Nothing is changed yet.
    // A small movement of the hand is no leap: 20 pixels are little more than a factor of two.
    const auto& slider = *panel.findChild<QSlider*>(QStringLiteral("microBatchSlider"));
    QVERIFY(20.0 / slider.width() * (slider.maximum() - slider.minimum()) / 4 < 1.5);
    const auto* verdict = panel.findChild<QLabel*>(QStringLiteral("whatIfVerdict"));
    QVERIFY(verdict->text().startsWith(QStringLiteral("As recorded: Does not fit")));

    panel.findChild<QSlider*>(QStringLiteral("microBatchSlider"))->setValue(-4); // One octave.
    QCOMPARE(panel.findChild<QDoubleSpinBox*>(QStringLiteral("microBatch"))->value(), 0.5);
    panel.findChild<QSpinBox*>(QStringLiteral("accumulation"))->setValue(2);
    QCOMPARE(trial.applyText(), QStringLiteral("micro-batch=0.5,accumulation=2"));
    QTRY_VERIFY_WITH_TIMEOUT(state.ghost() != nullptr && trial.answer() != nullptr, kPatience);
    const diagnose::Prediction expected = predictionOf(state, "micro-batch=0.5,accumulation=2");
    QCOMPARE(state.ghost()->prediction.after_active, expected.after_active);
    QCOMPARE(verdict->text(), fitSentence(expected));
    const auto& table = *panel.findChild<QTableView*>(QStringLiteral("budget"))->model();
    const auto rows = diagnose::budgetRows(*expected.before_budget, *expected.after_budget);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto bytes = [&](int column) {
            return table.index(static_cast<int>(row), column).data(BytesRole).toLongLong();
        };
        QCOMPARE(bytes(BudgetModel::Before), qint64{rows[row].before});
        QCOMPARE(bytes(BudgetModel::After), qint64{rows[row].after});
    }
    QTest::mouseClick(panel.findChild<QToolButton*>(QStringLiteral("whatIfCopy")), Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral("tidemark-cli predict /runs/script.pickle --apply "
                            "micro-batch=0.5,accumulation=2"));
}

void TstWhatIf::resettingGoesBackToTheRecordedRun()
{
    ViewState state;
    WhatIfTrial trial(state);
    WhatIfPanel panel(state, trial);
    panel.resize(1300, 300);
    panel.show();
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    auto* reset = panel.findChild<QToolButton*>(QStringLiteral("whatIfReset"));
    QVERIFY(!reset->isVisible());
    auto* optimizer = panel.findChild<QComboBox*>(QStringLiteral("optimizer"));
    optimizer->setCurrentIndex(1);
    QTRY_VERIFY_WITH_TIMEOUT(state.ghost() != nullptr, kPatience);
    QVERIFY(reset->isVisible());
    QTest::mouseClick(reset, Qt::LeftButton);
    QVERIFY(trial.changes().empty());
    QCOMPARE(optimizer->currentIndex(), 0);
    QVERIFY(state.ghost() == nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(trial.answer() != nullptr, kPatience); // The recorded run's budget.
    QCOMPARE(trial.answer()->prediction.after_need.value,
             trial.answer()->prediction.before_need.value);
}

void TstWhatIf::theSliderStepsThroughMicroBatches()
{
    RatioControl control(diagnose::ChangeKind::micro_batch, QStringLiteral("microBatch"),
                         QStringLiteral("Micro-batch"), {}, nullptr);
    control.show();
    auto* slider = control.findChild<QSlider*>(QStringLiteral("microBatchSlider"));
    const auto* box = control.findChild<QDoubleSpinBox*>(QStringLiteral("microBatch"));
    control.setRecorded(4);
    QCOMPARE(slider->minimum(), 1);
    QCOMPARE(slider->value(), 4);
    QVERIFY(!control.change());
    for (const double ratio : {0.75, 0.5, 0.25, 0.25}) { // 4 is 3, 2, 1 and no less.
        QTest::keyClick(slider, Qt::Key_Left);
        QCOMPARE(control.change()->number, ratio);
        QVERIFY(box->text().contains(QStringLiteral("(%1)").arg(qRound(4 * ratio))));
    }
    // A third is exact, whatever the box has room for.
    control.setChanges({});
    control.setRecorded(3);
    QTest::keyClick(slider, Qt::Key_Left);
    QTest::keyClick(slider, Qt::Key_Left);
    QCOMPARE(control.change()->number, 1.0 / 3);
    // What is not known goes in octaves, as before.
    control.setChanges({});
    control.setRecorded(std::nullopt);
    slider->setValue(-4);
    QCOMPARE(control.change()->number, 0.5);
    QVERIFY(!box->text().contains(u'('));
}

void TstWhatIf::theCurveStaysInThePlotWhileBandsAreHidden()
{
    ViewState state;
    WhatIfTrial trial(state);
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    TimelinePlot plot(state);
    plot.resize(800, 400);
    for (std::size_t i = 0; i < label::kBucketCount; ++i) {
        state.setBucketVisible(label::bucketAt(i), label::bucketAt(i) == label::Bucket::parameter);
    }
    const double bands = plot.naturalTop();
    trial.setApplyText({}, QStringLiteral("micro-batch=0.5"));
    QTRY_VERIFY_WITH_TIMEOUT(state.ghost() != nullptr, kPatience);
    const auto& after = state.ghost()->prediction.after_active;
    const auto most = static_cast<double>(*std::ranges::max_element(after));
    QVERIFY(bands < most);
    QVERIFY(plot.naturalTop() >= most);
}

void TstWhatIf::aFixFillsTheControls()
{
    ViewState state;
    WhatIfTrial trial(state);
    SourcePlaces places;
    FixesPanel fixes(state, trial, places);
    WhatIfPanel panel(state, trial);
    fixes.show();
    panel.show();
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    auto* ladder = fixes.findChild<QTableView*>(QStringLiteral("fixes"));
    ladder->setCurrentIndex(ladder->model()->index(0, 1));
    auto* ratio = panel.findChild<QDoubleSpinBox*>(QStringLiteral("microBatch"));
    QCOMPARE(ratio->value(), 0.5);
    QCOMPARE(panel.findChild<QSpinBox*>(QStringLiteral("accumulation"))->value(), 2);
    QTRY_VERIFY_WITH_TIMEOUT(state.ghost() != nullptr, kPatience);
    QCOMPARE(state.ghost()->title, QStringLiteral("Micro-batch 1/2, accumulation 2"));
    // One more change: it is no row of the ladder any more.
    panel.findChild<QCheckBox*>(QStringLiteral("fused"))->setChecked(true);
    QVERIFY(!ladder->currentIndex().isValid());
    QCOMPARE(trial.applyText(), QStringLiteral("micro-batch=0.5,accumulation=2,fused=on"));
    panel.findChild<QCheckBox*>(QStringLiteral("fused"))->setChecked(false);
    QCOMPARE(ladder->currentIndex().row(), 0);
    QTest::keyClick(ladder, Qt::Key_Escape);
    QVERIFY(trial.changes().empty());
    QCOMPARE(ratio->value(), 1.0);
}

void TstWhatIf::whatHasNoEffectIsDisabledForAReason()
{
    ViewState state;
    WhatIfTrial trial(state);
    WhatIfPanel panel(state, trial);
    panel.resize(1300, 300);
    panel.show();
    QSignalSpy found(&trial, &WhatIfTrial::effectsFound);
    // Inference: weights, and what a pass makes and drops.
    state.show(diagnosedAnalysisOf(R"(stack f = forward /home/me/model.py:10
live w 512M
a +256M @f
a -
b +256M @f
b -
)"),
               0);
    QVERIFY(found.wait(kPatience));
    const auto control = [&](const char* id) {
        return panel.findChild<ChangeControl*>(QStringLiteral("control_")
                                               + QString::fromLatin1(id));
    };
    QVERIFY(control("microBatch")->isEnabled());
    for (const char* id : {"accumulation", "optimizer", "setToNone", "attention", "gpus"}) {
        QVERIFY2(!control(id)->isEnabled(), id);
        QVERIFY(control(id)->toolTip().endsWith(u'.'));
        QVERIFY(control(id)->toolTip() != control("microBatch")->toolTip());
    }
    // What stands there can be taken back even so.
    trial.setApplyText({}, QStringLiteral("accumulation=4"));
    QVERIFY(found.count() >= 1);
    QVERIFY(control("accumulation")->isEnabled());
}

void TstWhatIf::sharesWantANumberOfGpus()
{
    ViewState state;
    WhatIfTrial trial(state);
    WhatIfPanel panel(state, trial);
    panel.show();
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    auto* gpus = panel.findChild<QSpinBox*>(QStringLiteral("gpus"));
    QVERIFY(!gpus->isEnabled());
    panel.findChild<QComboBox*>(QStringLiteral("zero"))->setCurrentIndex(2);
    QVERIFY(gpus->isEnabled());
    QCOMPARE(trial.applyText(), QStringLiteral("zero=2,gpus=8"));
    gpus->setValue(4);
    QCOMPARE(trial.applyText(), QStringLiteral("zero=2,gpus=4"));
}

void TstWhatIf::adaptersExcludeEachOther()
{
    ViewState state;
    WhatIfTrial trial(state);
    WhatIfPanel panel(state, trial);
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    panel.findChild<QSpinBox*>(QStringLiteral("lora"))->setValue(8);
    QCOMPARE(trial.applyText(), QStringLiteral("lora=8"));
    panel.findChild<QSpinBox*>(QStringLiteral("qlora"))->setValue(16);
    QCOMPARE(trial.applyText(), QStringLiteral("qlora=16"));
    QCOMPARE(panel.findChild<QSpinBox*>(QStringLiteral("lora"))->value(), 0);
}

void TstWhatIf::theBudgetAddsUpInTheTable()
{
    ViewState state;
    state.show(diagnosedAnalysisOf(smallRun()), 0);
    BudgetModel model;
    const QAbstractItemModelTester tester(&model, kStrict);
    const diagnose::Prediction p = predictionOf(state, "micro-batch=0.5");
    model.setPrediction(p);
    const auto at = [&](int row, int column) { return model.index(row, column); };
    const int last = model.rowCount() - 1; // Total, capacity, and what is left of it.
    const std::string report =
        report::toText({"", {report::predictionSection(state.analysis(), p)}});
    for (int row = 0; row <= last; ++row) { // In the words of the reports.
        const std::string name = utf8(at(row, BudgetModel::Part).data().toString());
        QVERIFY2(report.find('\n' + name + ' ') != std::string::npos, name.c_str());
    }
    qint64 before = 0;
    qint64 after = 0;
    for (int row = 0; row < last - 2; ++row) {
        before += at(row, BudgetModel::Before).data(BytesRole).toLongLong();
        after += at(row, BudgetModel::After).data(BytesRole).toLongLong();
    }
    QCOMPARE(before, qint64{p.before_reserved.value});
    QCOMPARE(after, qint64{p.after_reserved.value});
    QCOMPARE(at(last, BudgetModel::After).data(BytesRole).toLongLong(),
             qint64{p.capacity->value - p.after_reserved.value});
    QVERIFY(at(last, BudgetModel::Before).data().toString().startsWith(u'−'));
    QVERIFY(at(0, BudgetModel::Part).data(BucketRole).isValid());
    QVERIFY(at(last - 2, BudgetModel::Difference).data().toString().startsWith(u'−'));
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void TstWhatIf::theVerdictSaysWhyItIsNotKnown()
{
    diagnose::Prediction p;
    p.after_reserved = Bytes{4 * kGiB.value};
    p.after_reserved_low = Bytes{3 * kGiB.value};
    p.after_reserved_high = Bytes{5 * kGiB.value};
    QVERIFY(fitSentence(p).contains(QStringLiteral("set your GPU")));
    p.capacity = Bytes{9 * kGiB.value / 2};
    QCOMPARE(fitSentence(p), QString::fromUtf8("May not fit: needs 4.0 GiB (3.0–5.0) of 4.50 GiB"));
    // Of a limit that is known as an interval alone.
    p.capacity = Bytes{2 * kGiB.value};
    p.capacity_unsure = Bytes{4 * kGiB.value};
    QCOMPARE(fitSentence(p),
             QString::fromUtf8("May not fit: needs 4.0 GiB (3.0–5.0) of 2.0–6.0 GiB"));
    p.capacity_unsure = {};
    p.capacity = Bytes{8 * kGiB.value};
    QVERIFY(fitSentence(p).contains(QStringLiteral("may need more later")));
    p.fits = true;
    QCOMPARE(fitSentence(p), QStringLiteral("Fits: at least 3.00 GiB free"));
    p.capacity = Bytes{2 * kGiB.value};
    p.fits = false;
    QCOMPARE(fitSentence(p), QStringLiteral("Does not fit: 2.00 GiB short"));
}

TIDEMARK_TEST(TstWhatIf)

} // namespace tidemark::tst_what_if

#include "tst_what_if.moc"
