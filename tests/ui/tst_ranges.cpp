// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"
#include "tests/ui/ui_test.h"
#include "ui/models/flow_models.h"
#include "ui/models/place_text.h"
#include "ui/models/roles.h"
#include "ui/models/view_history.h"
#include "ui/models/view_state.h"
#include "ui/views/look/theme.h"
#include "ui/views/panels/range_panel.h"
#include "ui/views/timeline/annotation_painter.h"
#include "ui/views/timeline/minimap.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"

#include <QtGui/QPainter>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTableView>

namespace tidemark::tst_ranges {

using namespace tidemark::ui;
using tidemark::test::analysisOf;

namespace {

constexpr auto kStrict = QAbstractItemModelTester::FailureReportingMode::QtTest;

QString cell(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

/// A saw of `events` events.
std::string longRun(int events)
{
    std::string script = "stack f = forward /home/me/model.py:1\n";
    for (int i = 0; i < events / 3; ++i) {
        const std::string name = "a" + std::to_string(i);
        script += name + " +1M @f\n" + name + " -\n";
    }
    return script;
}

std::int64_t placeOf(const QString& words, const trace::Device& device)
{
    const std::optional<StateId> state = stateFromText(words, device);
    return state ? std::int64_t{state->value} : -1;
}

} // namespace

class TstRanges : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void aSelectedRangeStaysOnBothAxes()
    {
        ViewState state;
        const QSignalSpy changed(&state, &ViewState::selectedRangeChanged);
        state.selectRange(Interval<StateId>{{1}, {2}});
        QCOMPARE(changed.count(), 0); // Nothing is shown yet.
        state.show(analysisOf(longRun(90)), 0);
        state.selectRange(Interval<StateId>{{40}, {20}});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(state.selectedRange()->begin.value, 20U);
        QCOMPARE(state.selectedRange()->end.value, 40U);
        state.setAxis(projection::Axis::time);
        QCOMPARE(state.selectedRange()->begin.value, 20U);
        state.zoomToSelection();
        const auto& axis = state.axisMap();
        QVERIFY(state.range().begin <= axis.toX({20}) && state.range().end >= axis.toX({40}));
        QVERIFY(state.range().end - state.range().begin < 1.1 * (axis.toX({40}) - axis.toX({20})));
        state.selectRange(Interval<StateId>{{80}, {4000}});
        QCOMPARE(state.selectedRange()->end.value, state.replay().lastState().value);
        auto other = analysisOf(longRun(60));
        other.file = "/runs/other.pickle";
        state.show(other, 0);
        QVERIFY(!state.selectedRange());
    }

    void aDragEndsWithTheFile_data()
    {
        QTest::addColumn<bool>("is_another_there");
        QTest::newRow("nothing comes after it") << false;
        QTest::newRow("another file") << true;
    }
    /// A folder that is watched closes a file for its newer version at any moment.
    void aDragEndsWithTheFile()
    {
        QFETCH(const bool, is_another_there);
        ViewState state;
        TimelineView view(state);
        TimelinePlot& plot = view.plot();
        state.show(analysisOf(longRun(900)), 0);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QTRY_VERIFY(plot.bandRect().width() > 600);
        const QPoint from = plot.bandRect().center();
        const auto change = [&] {
            if (is_another_there) {
                auto other = analysisOf(longRun(600));
                other.file = "/runs/other.pickle";
                state.show(other, 0);
            } else {
                state.clear();
            }
        };
        for (const Qt::KeyboardModifiers modifiers :
             {Qt::KeyboardModifiers(Qt::ShiftModifier), Qt::KeyboardModifiers()}) {
            state.show(analysisOf(longRun(900)), 0);
            state.setRange({100, 200});
            QTest::mousePress(&plot, Qt::LeftButton, modifiers, from);
            QTest::mouseMove(&plot, from + QPoint(60, 0));
            change();
            const Interval<double> range = state.range();
            QTest::mouseMove(&plot, from + QPoint(90, 0));
            QTest::mouseRelease(&plot, Qt::LeftButton, modifiers, from + QPoint(90, 0));
            QVERIFY(!state.selectedRange());
            QVERIFY(!is_another_there || state.range() == range);
        }
        state.show(analysisOf(longRun(900)), 0);
        state.setRange({100, 200});
        Minimap& map = view.minimap();
        QTest::mousePress(&map, Qt::LeftButton, {}, map.rect().center());
        change();
        const Interval<double> range = state.range();
        QTest::mouseMove(&map, map.rect().center() + QPoint(90, 0));
        QTest::mouseRelease(&map, Qt::LeftButton, {}, map.rect().center() + QPoint(90, 0));
        QVERIFY(!is_another_there || state.range() == range);
    }

    void viewsAreRememberedOnceTheyStand()
    {
        ViewState state;
        ViewHistory history(state);
        QVERIFY(!history.canGoBack() && !history.canGoForward());
        state.show(analysisOf(longRun(900)), 0);
        QVERIFY(!history.canGoBack());
        const auto whole = state.range();
        for (int i = 0; i < 10; ++i) {
            state.zoomAround(300, 0.8); // One turn of the wheel.
        }
        const auto first = state.range();
        QVERIFY(history.canGoBack());
        history.settle();
        state.setRange({100, 150});
        history.goBack(); // What was not settled yet counts, too.
        QVERIFY(state.range() == first);
        history.goBack();
        QVERIFY(state.range() == whole);
        QVERIFY(!history.canGoBack());
        history.goBack();
        QVERIFY(state.range() == whole);
        history.goForward();
        history.goForward();
        QVERIFY(state.range() == (Interval<double>{100, 150}));
        QVERIFY(!history.canGoForward());
        state.setAxis(projection::Axis::time);
        history.settle();
        history.goBack();
        QCOMPARE(state.axisMap().toState(state.range().begin).value,
                 static_cast<unsigned>(first.begin));
        state.setRange({1000, 2000});
        history.settle();
        QVERIFY(!history.canGoForward()); // A new way.
    }

    void aViewSettlesByItself()
    {
        ViewState state;
        state.show(analysisOf(longRun(900)), 0);
        ViewHistory history(state);
        state.setRange({100, 150});
        QTest::qWait(700);
        state.setRange({400, 450});
        history.goBack();
        QVERIFY(state.range() == (Interval<double>{100, 150}));
    }

    void placesAreReadAsPeopleWriteThem()
    {
        const auto analysis = analysisOf(longRun(3000)); // 10 µs an event.
        const trace::Device& device = analysis.snapshot->devices[0];
        QCOMPARE(placeOf(QStringLiteral("1500"), device), 1501);
        QCOMPARE(placeOf(QStringLiteral(" #1,500 "), device), 1501);
        QCOMPARE(placeOf(QStringLiteral("event 1 500"), device), 1501);
        QCOMPARE(placeOf(QStringLiteral("-1"), device), 0);
        QCOMPARE(placeOf(QStringLiteral("start"), device), 0);
        QCOMPARE(placeOf(QStringLiteral("End"), device), 3000);
        QCOMPARE(placeOf(QStringLiteral("999999"), device), 3000);
        QCOMPARE(placeOf(QStringLiteral("100 us"), device), 11);
        QCOMPARE(placeOf(QStringLiteral("0.1ms"), device), 11);
        QCOMPARE(placeOf(QStringLiteral("2 h"), device), 3000);
        QCOMPARE(placeOf(QStringLiteral("soon"), device), -1);
        QCOMPARE(placeOf(QStringLiteral("1.5"), device), -1);
        QCOMPARE(placeOf(QStringLiteral("3 parsecs"), device), -1);
        QCOMPARE(placeOf({}, device), -1);
        const auto timeless = analysisOf("no-times\n" + longRun(30));
        QCOMPARE(placeOf(QStringLiteral("1 s"), timeless.snapshot->devices[0]), -1);
        QCOMPARE(placeOf(QStringLiteral("3"), timeless.snapshot->devices[0]), 4);
    }

    void thePanelSaysWhatCameAndWentInTheRange()
    {
        ViewState state;
        RangePanel panel(state);
        panel.resize(900, 260);
        panel.show();
        auto* hint = panel.findChild<QLabel*>(QStringLiteral("rangeHint"));
        auto* stacks = panel.findChild<QTableView*>(QStringLiteral("rangeStacks"));
        auto* buckets = panel.findChild<QTableView*>(QStringLiteral("rangeBuckets"));
        QVERIFY(hint->isVisible() && !stacks->isVisible());
        state.show(analysisOf("stack f = forward /home/me/model.py:1\n"
                              "stack g = step /home/me/train.py:9\n"
                              "a +1G @f\nb +512M @g\nb -\nc +256M @f\n"),
                   0);
        QVERIFY(hint->isVisible());
        const QSignalSpy shown(&panel, &RangePanel::changesShown);
        state.selectRange(Interval<StateId>{{1}, {5}});
        QTRY_COMPARE(shown.count(), 1);
        QVERIFY(!hint->isVisible() && stacks->isVisible());
        const QString title = panel.findChild<QLabel*>(QStringLiteral("rangeTitle"))->text();
        QVERIFY2(title.contains(QStringLiteral("4 events"))
                     && title.contains(QStringLiteral("peak 1.50 GiB"))
                     && title.contains(QStringLiteral("+0.25 GiB")),
                 qPrintable(title));
        const QAbstractItemModel& rows = *buckets->model();
        const int total = rows.rowCount() - 1;
        QCOMPARE(cell(rows, total, BucketFlowModel::Came), QStringLiteral("0.75 GiB"));
        QCOMPARE(cell(rows, total, BucketFlowModel::CameCount), QStringLiteral("2"));
        QCOMPARE(cell(rows, total, BucketFlowModel::Went), QStringLiteral("0.50 GiB"));
        QCOMPARE(cell(rows, total, BucketFlowModel::Net), QStringLiteral("+0.25 GiB"));
        QCOMPARE(cell(*stacks->model(), 0, StackFlowModel::Net), QStringLiteral("+0.25 GiB"));
        QVERIFY(
            cell(*stacks->model(), 0, StackFlowModel::Line).contains(QStringLiteral("model.py:1")));
        QSignalSpy asked(&panel, &RangePanel::stackRequested);
        Q_EMIT stacks->activated(stacks->model()->index(0, 0));
        QCOMPARE(asked.count(), 1);
        panel.findChild<QPushButton*>(QStringLiteral("clearRange"))->click();
        QVERIFY(!state.selectedRange() && hint->isVisible());
        QCOMPARE(rows.rowCount(), 0);
    }

    void theFlowModelsAreSound()
    {
        curves::RangeChanges changes;
        changes.buckets[label::indexOf(label::Bucket::gradient)] = {2048, 1024, 3, 1};
        changes.total = {2048, 1024, 3, 1};
        BucketFlowModel buckets;
        const QAbstractItemModelTester first(&buckets, kStrict);
        buckets.setChanges(changes);
        QCOMPARE(buckets.rowCount(), 2);
        QCOMPARE(buckets.index(0, 0).data(BucketRole).toInt(),
                 static_cast<int>(label::Bucket::gradient));
        QCOMPARE(buckets.index(0, BucketFlowModel::Came).data(Qt::ToolTipRole).toString(),
                 QStringLiteral("2048 B"));
        const auto analysis = analysisOf(longRun(9));
        StackFlowModel stacks;
        const QAbstractItemModelTester second(&stacks, kStrict);
        stacks.setChanges(analysis.snapshot,
                          {{StackId(0U), label::Bucket::activation, {8, 0, 1, 0}}}, {8});
        QCOMPARE(stacks.rowCount(), 1);
        QCOMPARE(stacks.stackAt(0).value, 0U);
        stacks.clear();
        QCOMPARE(stacks.rowCount(), 0);
    }

    void scopesArePaintedWhereTheyLieAndFoundThere()
    {
        trace::Snapshot snapshot = test::snapshotFromScript(longRun(90));
        const StringId name = snapshot.strings.intern("step");
        for (const bool is_start : {true, false}) {
            const std::int64_t time = is_start ? 1'000'100 : 1'000'400;
            snapshot.annotations.push_back({name, is_start, 0, TimePoint(Duration(time))});
        }
        ViewState state;
        state.show(analysisOf(std::move(snapshot)), 0);
        QCOMPARE(state.annotations().lanes, 1U);
        QCOMPARE(annotationHeight(state), kAnnotationLaneHeight);
        const QRectF strip(0, 0, 600, annotationHeight(state));
        const TimelineScale scale{QRectF(0, -100, 600, 100), state.range(), 1};
        QImage image(600, kAnnotationLaneHeight, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::white);
        QPainter painter(&image);
        TimelineStyle style;
        style.colours = currentColours();
        paintAnnotations(painter, strip, scale, state, style);
        painter.end();
        const projection::AnnotationSpan& span = state.annotations().spans[0];
        const auto extent = projection::extentOf(span, state.traceDevice(), state.axisMap());
        const int inside = static_cast<int>(scale.x((extent.begin + extent.end) / 2));
        const int outside = static_cast<int>(scale.x(extent.end)) + 20;
        QVERIFY(image.pixelColor(inside, kAnnotationLaneHeight - 2) != QColor(Qt::white));
        QVERIFY(image.pixelColor(outside, kAnnotationLaneHeight - 2) == QColor(Qt::white));
        QVERIFY(annotationAt({double(inside), 5}, strip, scale, state) == &span);
        QVERIFY(annotationAt({double(outside), 5}, strip, scale, state) == nullptr);
        QVERIFY(annotationAt({double(inside), 50}, strip, scale, state) == nullptr);
    }
};

TIDEMARK_TEST(TstRanges)

} // namespace tidemark::tst_ranges

#include "tst_ranges.moc"
