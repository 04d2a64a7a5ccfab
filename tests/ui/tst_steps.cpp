// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/replay/replay.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"
#include "tests/ui/ui_test.h"
#include "ui/models/modules_model.h"
#include "ui/models/roles.h"
#include "ui/models/step_models.h"
#include "ui/models/view_state.h"
#include "ui/views/panels/step_peaks_chart.h"
#include "ui/views/panels/steps_panel.h"

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_steps {

using namespace tidemark::ui;
using tidemark::test::analysisOf;
using tidemark::test::smallRun;

namespace {

constexpr auto kStrict = QAbstractItemModelTester::FailureReportingMode::QtTest;

QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// Steps of a forward event and an optimizer event each; one stack keeps 1 MiB per step. With a
/// `first_number` the program says how it numbers them.
diagnose::Analysis leakingRun(std::uint32_t steps = 6, int first_number = -1)
{
    std::string script =
        "stack f = forward /home/me/model.py:10\nstack k = keep /home/me/run.py:5\n";
    for (std::uint32_t i = 0; i < steps; ++i) {
        const std::string number = std::to_string(i);
        script += "k" + number + " +1M @k\na" + number + " +64M @f\na" + number + " -\n";
    }
    trace::Snapshot snapshot = test::snapshotFromScript(script);
    for (std::uint32_t i = 0; i < steps && first_number >= 0; ++i) {
        const int number = first_number + static_cast<int>(i);
        snapshot.annotations.push_back(
            {snapshot.strings.intern("ProfilerStep#" + std::to_string(number)), true, 0,
             snapshot.devices[0].events.time[std::size_t{4} * i]});
    }
    diagnose::Analysis analysis = analysisOf(std::move(snapshot));
    label::Labels labels = *analysis.labels;
    label::DeviceLabels& device = labels.devices[0];
    device.steps.clear();
    device.phases.clear();
    for (std::uint32_t i = 0; i < steps; ++i) {
        const std::uint32_t first = 4 * i; // alloc, alloc, free requested, freed
        device.steps.push_back({EventId(first), EventId(first + 3)});
        device.phases.push_back({EventId(first), EventId(first + 2), label::Phase::forward, i + 1});
        device.phases.push_back(
            {EventId(first + 2), EventId(first + 4), label::Phase::optimizer, i + 1});
    }
    device.numbers = {*analysis.snapshot, analysis.snapshot->devices[0], device};
    analysis.labels = std::make_shared<const label::Labels>(std::move(labels));
    return analysis;
}

} // namespace

class TstSteps : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void modulesStandUnderTheirBuckets();
    void whatModulesShareStandsOnce();
    void whatATokenTakesIsSaidWhereTheBatchIsKnown();
    void everyPhaseOfEveryStepHasItsPeak();
    void aClickGoesToThePeak();
    void theChartHasABarPerStep();
    void eachColumnOfWhatGrowsHasOneUnit();
    void whatGrowsIsNamed();
    void aRiseThatIsNotCertainIsNotDenied();
    void withoutADeviceThereIsNothing();
    void nothingOfTheOldDeviceIsLeft();
};

void TstSteps::modulesStandUnderTheirBuckets()
{
    const diagnose::Analysis analysis = analysisOf(smallRun());
    const auto details = std::make_shared<const label::Details>(
        label::findDetails(*analysis.snapshot, *analysis.replay, *analysis.labels, nullptr));
    const replay::DeviceReplay& replay = analysis.replay->devices[0];
    const auto rows = curves::moduleBytes(replay, analysis.labels->devices[0],
                                          details->devices[0].modules, replay.peak);
    ModulesModel model;
    const QAbstractItemModelTester tester(&model, kStrict);
    model.setRows(details, 0, rows);
    qint64 buckets = 0;
    qint64 modules = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const bool is_bucket = model.index(row, 0).data(BucketRole).isValid();
        const qint64 bytes = model.index(row, ModulesModel::Live).data(BytesRole).toLongLong();
        (is_bucket ? buckets : modules) += bytes;
        QVERIFY(row > 0 || is_bucket);
    }
    QCOMPARE(buckets, qint64{replay.activeAt(replay.peak).value});
    QCOMPARE(modules, buckets);
    QVERIFY(model
                .match(model.index(0, 0), Qt::DisplayRole, QStringLiteral("model.py:10"), 1,
                       Qt::MatchContains)
                .size()
            == 1);
    model.clear();
    QCOMPARE(model.rowCount(), 0);
}

void TstSteps::whatModulesShareStandsOnce()
{
    const std::string call = "; _call_impl /x/site-packages/torch/nn/modules/module.py:9; ";
    const std::string outer = call + "forward /me/model.py:120" + call + "main /me/train.py:4\n";
    const diagnose::Analysis analysis =
        analysisOf("stack a = forward /me/model.py:10" + outer + "stack b = forward /me/model.py:20"
                   + outer + "stack c = other /me/train.py:9\nx +4M @a\ny +3M @b\nz +1M @c\n");
    auto labels = *analysis.labels;
    labels.devices[0].bucket.assign(3, label::Bucket::activation);
    const auto details = std::make_shared<const label::Details>(
        label::findDetails(*analysis.snapshot, *analysis.replay, labels, nullptr));
    const replay::DeviceReplay& replay = analysis.replay->devices[0];
    ModulesModel model;
    model.setRows(
        details, 0,
        curves::moduleBytes(replay, labels.devices[0], details->devices[0].modules, replay.peak));
    QCOMPARE(model.rowCount(), 4);
    QVERIFY(cell(model, 0, 0).contains(QStringLiteral("train.py:4 main › model.py:120")));
    QCOMPARE(cell(model, 1, 0).trimmed(), QStringLiteral("… › model.py:10"));
    QCOMPARE(cell(model, 2, 0).trimmed(), QStringLiteral("… › model.py:20"));
    QCOMPARE(cell(model, 3, 0).trimmed(), QStringLiteral("train.py:9 other"));
    QCOMPARE(model.index(1, 0).data(Qt::ToolTipRole).toString(),
             QStringLiteral("train.py:4 main › model.py:120 › model.py:10"));
}

void TstSteps::whatATokenTakesIsSaidWhereTheBatchIsKnown()
{
    diagnose::Analysis analysis = analysisOf("stack f = forward /home/me/model.py:10\na +64M @f\n");
    label::Labels labels = *analysis.labels;
    labels.devices[0].bucket = {label::Bucket::activation};
    analysis.labels = std::make_shared<const label::Labels>(labels);
    analysis.curves =
        std::make_shared<const curves::Curves>(curves::build(analysis.replay, *analysis.labels));
    const auto with = [&](double confidence) {
        std::vector<program::Program> programs(1);
        programs[0].dimensions = {{program::DimensionName::batch, 8, confidence, {}, {}},
                                  {program::DimensionName::sequence, 512, confidence, {}, {}}};
        analysis.programs =
            std::make_shared<const std::vector<program::Program>>(std::move(programs));
        return perTokenText(analysis, 0);
    };
    QCOMPARE(with(0.9),
             QStringLiteral("Activations at the peak: 16.0 KiB per token (4096), 8.00 MiB per "
                            "sequence (8)"));
    QVERIFY(with(0.2).isEmpty()); // A guess is no divisor.
}

void TstSteps::everyPhaseOfEveryStepHasItsPeak()
{
    const diagnose::Analysis analysis = leakingRun();
    const replay::DeviceReplay& replay = analysis.replay->devices[0];
    PhasePeaksModel model;
    const QAbstractItemModelTester tester(&model, kStrict);
    const curves::PhasePeaks peaks =
        curves::phasePeaks(replay, replay::blockTotals(replay, (*analysis.block_sizes)[0]),
                           analysis.labels->devices[0]);
    model.setPeaks(peaks, {});
    QCOMPARE(model.rowCount(), 7);
    QCOMPARE(model.columnCount(), 3);
    QCOMPARE(cell(model, 0, 0), QStringLiteral("all steps"));
    QCOMPARE(cell(model, 6, 0), QStringLiteral("6"));
    QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(),
             QStringLiteral("forward"));
    const auto bytes = [&](int row, int column) {
        return model.index(row, column).data(BytesRole).toLongLong();
    };
    QCOMPARE(bytes(0, 1), qint64{70} << 20);
    QCOMPARE(bytes(2, 1), qint64{66} << 20);
    const std::optional<StateId> state = model.stateAt(model.index(2, 1));
    QVERIFY(state && replay.activeAt(*state).value == qint64{66} << 20);
    QVERIFY(!model.stateAt(model.index(2, 0)));
    model.setMeasure(Measure::reserved);
    QCOMPARE(bytes(0, 1), qint64{replay.reserved.back()});
    // As the program counts.
    const diagnose::Analysis numbered = leakingRun(6, 210);
    model.setPeaks(peaks, numbered.labels->devices[0].numbers);
    QCOMPARE(cell(model, 0, 0), QStringLiteral("all steps"));
    QCOMPARE(cell(model, 1, 0), QStringLiteral("210"));
    QCOMPARE(cell(model, 6, 0), QStringLiteral("215"));
}

void TstSteps::aClickGoesToThePeak()
{
    ViewState state;
    StepsPanel panel(state);
    panel.resize(900, 300);
    panel.show();
    QSignalSpy shown(&panel, &StepsPanel::stepsShown);
    state.show(leakingRun(), 0);
    QVERIFY(shown.wait());
    auto* table = panel.findChild<QTableView*>(QStringLiteral("phasePeaks"));
    const QModelIndex third = table->model()->index(3, 1);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(third).center());
    QCOMPARE(state.replay().activeAt(state.cursor()).value, std::int64_t{67} << 20);
}

void TstSteps::theChartHasABarPerStep()
{
    ViewState state;
    StepsPanel panel(state);
    panel.resize(900, 400);
    panel.show();
    QSignalSpy shown(&panel, &StepsPanel::stepsShown);
    state.show(leakingRun(6, 100), 0);
    QTRY_VERIFY(shown.count() > 0 && panel.findChild<StepPeaksChart*>()->peaks().size() == 6UL);
    auto& chart = *panel.findChild<StepPeaksChart*>();
    QVERIFY(chart.isVisible());
    const int before = chart.height();
    panel.resize(panel.width(), panel.height() + 300);
    QTRY_VERIFY(chart.height() >= before + 60); // Of a high panel it is not a strip,
    QVERIFY(chart.height() <= chart.fontMetrics().height() * 20); // and no tower.
    for (std::size_t i = 0; i < 6; ++i) {
        const StepPeak& step = chart.peaks()[i];
        QCOMPARE(step.number, 100 + static_cast<std::int64_t>(i)); // As the program counts.
        QCOMPARE(step.peak.bytes, static_cast<std::int64_t>(65 + i) << 20);
        QCOMPARE(state.replay().activeAt(step.peak.state).value, step.peak.bytes);
        if (i > 0) {
            QVERIFY(chart.barOf(i).top() <= chart.barOf(i - 1).top());
            QVERIFY(chart.barOf(i).left() > chart.barOf(i - 1).right());
        }
    }
    QVERIFY(chart.accessibleDescription().contains(QStringLiteral("step 105")));
    QTest::mouseClick(&chart, Qt::LeftButton, {}, chart.barOf(2).center().toPoint());
    QCOMPARE(state.cursor(), chart.peaks()[2].peak.state);
    QTest::keyClick(&chart, Qt::Key_Right);
    QTest::keyClick(&chart, Qt::Key_Return);
    QCOMPARE(state.cursor(), chart.peaks()[3].peak.state);
    chart.setPeaks({chart.peaks().front()});
    QVERIFY(!chart.isVisible()); // One step compares nothing.
}

void TstSteps::eachColumnOfWhatGrowsHasOneUnit()
{
    curves::StackGrowth large;
    large.last_bytes = 1740 * kMiB.value;
    large.bytes_per_step = 56 * double(kMiB.value);
    curves::StackGrowth small;
    small.last_bytes = 248 << 10;
    small.bytes_per_step = 64 << 10;
    GrowthModel model;
    model.setGrowth(leakingRun().snapshot, {large, small});
    QCOMPARE(cell(model, 0, GrowthModel::PerStep), QStringLiteral("+56.00 MiB"));
    QCOMPARE(cell(model, 1, GrowthModel::PerStep), QStringLiteral("+0.06 MiB"));
    QCOMPARE(cell(model, 0, GrowthModel::Now), QStringLiteral("1.70 GiB"));
    QCOMPARE(cell(model, 1, GrowthModel::Now), QStringLiteral("< 0.01 GiB"));
}

void TstSteps::whatGrowsIsNamed()
{
    ViewState state;
    StepsPanel panel(state);
    panel.resize(1100, 300);
    panel.show();
    QSignalSpy shown(&panel, &StepsPanel::stepsShown);
    QSignalSpy stack(&panel, &StepsPanel::stackRequested);
    state.show(leakingRun(), 0);
    QVERIFY(shown.wait());
    auto* table = panel.findChild<QTableView*>(QStringLiteral("growth"));
    const QAbstractItemModel& model = *table->model();
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(cell(model, 0, GrowthModel::PerStep), QStringLiteral("+1.00 MiB"));
    QCOMPARE(cell(model, 0, GrowthModel::Rises), QStringLiteral("5 of 5"));
    QCOMPARE(cell(model, 0, GrowthModel::Verdict), QStringLiteral("rising"));
    QCOMPARE(cell(model, 0, GrowthModel::Line), QStringLiteral("run.py:5 keep"));
    table->setCurrentIndex(model.index(0, 0));
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(stack.count(), 1);
}

void TstSteps::aRiseThatIsNotCertainIsNotDenied()
{
    ViewState state;
    StepsPanel panel(state);
    panel.resize(1100, 300);
    panel.show();
    QSignalSpy shown(&panel, &StepsPanel::stepsShown);
    state.show(leakingRun(3), 0); // Too few steps to tell.
    QVERIFY(shown.wait());
    const auto* words = panel.findChild<QLabel*>(QStringLiteral("growthWords"));
    QCOMPARE(panel.findChild<QTableView*>(QStringLiteral("growth"))->model()->rowCount(), 1);
    QVERIFY(words->text().startsWith(QStringLiteral("2.00 MiB more are live after 3")));
}

void TstSteps::withoutADeviceThereIsNothing()
{
    ViewState state;
    StepsPanel steps(state);
    steps.show();
    state.show(leakingRun(), 0);
    state.clear();
    QCOMPARE(steps.findChild<QTableView*>(QStringLiteral("growth"))->model()->rowCount(), 0);
    QVERIFY(!steps.findChild<QLabel*>(QStringLiteral("noPhases"))->text().isEmpty());
}

/// A click until the new answer is there would go to a state, or show a stack, of the old device.
void TstSteps::nothingOfTheOldDeviceIsLeft()
{
    ViewState state;
    StepsPanel panel(state);
    panel.resize(900, 400);
    panel.show();
    QSignalSpy shown(&panel, &StepsPanel::stepsShown);
    state.show(leakingRun(), 0);
    QVERIFY(shown.wait());
    const auto rows = [&](const char* name) {
        return panel.findChild<QTableView*>(QString::fromLatin1(name))->model()->rowCount();
    };
    QVERIFY(rows("phasePeaks") > 0 && rows("growth") > 0);
    shown.clear();
    state.show(leakingRun(4), 0);
    QCOMPARE(rows("phasePeaks"), 0);
    QCOMPARE(rows("growth"), 0);
    QVERIFY(panel.findChild<StepPeaksChart*>()->peaks().empty());
    QVERIFY(!panel.findChild<QLabel*>(QStringLiteral("noPhases"))->isVisible());
    QVERIFY(shown.isEmpty()); // That is no answer.
    QVERIFY(shown.wait());
    QVERIFY(rows("phasePeaks") > 0);
    panel.hide();
    state.show(leakingRun(5), 0);
    QCOMPARE(rows("growth"), 0);
}

TIDEMARK_TEST(TstSteps)

} // namespace tidemark::tst_steps

#include "tst_steps.moc"
