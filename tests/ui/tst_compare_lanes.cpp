// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The timelines of two runs and their difference, by mouse and keys.
#include "tests/support/test_main.h"
#include "tests/ui/compared_page.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/delta_lane.h"
#include "ui/views/look/palette.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtGui/QAction>
#include <QtGui/QImage>
#include <QtGui/QWheelEvent>
#include <QtTest/QSignalSpy>

#include <algorithm>
#include <cmath>

namespace tidemark::tst_compare_lanes {

using namespace tidemark::ui;
using test::kPatience;
using test::press;
using test::runOf;
using Shown = test::ComparedPage;

class TstCompareLanes : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void lanesLieOnOneAxisOfTheSamePlaces();
    void theMouseOverTheDifferenceMovesAllLanes();
    void aDragEndsWithTheRuns();
    void aNewerAnalysisKeepsThePlace();
    void theDifferenceIsPaintedAsItIs();
    void keysArrangeTheLanes();
    void spaceShowsTheOtherRunInItsPlace();
    void oneScaleIsOneScaleOfPixels();
};

void TstCompareLanes::lanesLieOnOneAxisOfTheSamePlaces()
{
    Shown shown;
    shown.compare();
    ViewState& base = shown.lanes().baseState();
    ViewState& against = shown.lanes().againstState();
    QCOMPARE(base.axis(), projection::Axis::shared);
    QVERIFY(base.extent() == against.extent());
    // The first forward begins at one coordinate although the runs have other events before it.
    const auto begin_of = [](const ViewState& state) {
        const auto& phases = state.labels().phases;
        const auto found =
            std::ranges::find(phases, label::Phase::backward, &label::PhaseSpan::phase);
        return state.axisMap().toX(StateId::before(found->first));
    };
    QCOMPARE(begin_of(base), begin_of(against));
    QVERIFY(base.replay().stateCount() != against.replay().stateCount());
    // What happens to one happens to the other.
    base.setRange({10, 60});
    QVERIFY(against.range() == base.range());
    against.setBucketVisible(label::Bucket::parameter, false);
    QCOMPARE(base.visibleBuckets(), against.visibleBuckets());
    against.setCursor(StateId{30});
    QVERIFY(std::abs(base.axisMap().toX(base.cursor()) - against.axisMap().toX(StateId{30})) <= 2);
    base.setTimelineMode(TimelineMode::allocations);
    QCOMPARE(against.timelineMode(), TimelineMode::allocations);
    // Another axis is a person's choice and stays.
    shown.lanes().setAxis(projection::Axis::event);
    QCOMPARE(against.axis(), projection::Axis::event);
    shown.page.tables().stepPlace(1);
    QCOMPARE(against.axis(), projection::Axis::event);
}

void TstCompareLanes::theMouseOverTheDifferenceMovesAllLanes()
{
    Shown shown;
    shown.compare();
    DeltaLane& delta = shown.lanes().delta();
    ViewState& base = shown.lanes().baseState();
    ViewState& against = shown.lanes().againstState();
    const QRectF bands = delta.bandRect();
    QVERIFY(bands.height() > 30);
    const Interval<double> whole = base.range();
    QWheelEvent wheel(bands.center(), delta.mapToGlobal(bands.center()), {}, {0, 480}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&delta, &wheel);
    QVERIFY(base.range().end - base.range().begin < 0.6 * (whole.end - whole.begin));
    QVERIFY(against.range() == base.range());
    const Interval<double> before = base.range();
    const QPoint from = bands.center().toPoint();
    QTest::mousePress(&delta, Qt::LeftButton, {}, from);
    QTest::mouseMove(&delta, from + QPoint(40, 0));
    QTest::mouseMove(&delta, from + QPoint(80, 0));
    QTest::mouseRelease(&delta, Qt::LeftButton, {}, from + QPoint(80, 0));
    QVERIFY(against.range().begin < before.begin);
    QTest::mouseClick(&delta, Qt::LeftButton, {}, from);
    const double at = base.axisMap().toX(base.cursor());
    QVERIFY(at >= base.range().begin && at <= base.range().end);
    QTest::mouseDClick(&delta, Qt::LeftButton, {}, from);
    QVERIFY(base.range() == whole);
    QTest::mouseMove(&delta, from);
    QVERIFY(base.hover().has_value() && against.hover().has_value());
    test::Opened::settle();
    // Columns are the differences of what the lanes show.
    delta.repaint();
    const auto columns = delta.columns();
    const auto of_both =
        std::ranges::count_if(columns, [](const auto& column) { return column.in_both; });
    QVERIFY(of_both > static_cast<std::ptrdiff_t>(columns.size()) / 2);
}

/// A file may be closed by a folder that is watched while the mouse is down.
void TstCompareLanes::aDragEndsWithTheRuns()
{
    Shown shown;
    shown.compare();
    DeltaLane& delta = shown.lanes().delta();
    TimelinePlot& against = shown.lanes().againstPlot();
    int shifted = 0;
    connect(&shown.lanes(), &CompareLanes::shifted, this, [&shifted] { ++shifted; });
    const QPoint on_delta = delta.bandRect().center().toPoint();
    const QPoint on_run = against.bandRect().center();
    QTest::mousePress(&delta, Qt::LeftButton, {}, on_delta);
    shown.page.clear();
    QTest::mouseRelease(&delta, Qt::LeftButton, {}, on_delta);
    shown.compare();
    QTest::mousePress(&against, Qt::LeftButton, Qt::AltModifier, on_run);
    shown.page.clear();
    shown.compare();
    QTest::mouseMove(&against, on_run + QPoint(50, 0));
    QTest::mouseRelease(&against, Qt::LeftButton, Qt::AltModifier, on_run + QPoint(50, 0));
    QCOMPARE(shifted, 0);
}

void TstCompareLanes::aNewerAnalysisKeepsThePlace()
{
    Shown shown;
    shown.compare();
    ViewState& base = shown.lanes().baseState();
    base.setRange({20, 90});
    ++shown.against.analysis.generation; // As after a correction.
    const auto before = shown.page.comparer().result();
    shown.page.show(shown.base, shown.against);
    QVERIFY(shown.page.isBusy());
    QTRY_VERIFY_WITH_TIMEOUT(!shown.page.isBusy(), kPatience);
    QVERIFY(shown.page.comparer().result() != before);
    QCOMPARE(base.axis(), projection::Axis::shared);
    QVERIFY((base.range() == Interval<double>{20, 90}));
    QVERIFY(shown.lanes().againstState().range() == base.range());
}

void TstCompareLanes::theDifferenceIsPaintedAsItIs()
{
    Shown shown;
    shown.compare();
    DeltaLane& delta = shown.lanes().delta();
    shown.lanes().setLayoutOf(LaneLayout::delta);
    test::Opened::settle();
    const QImage picture = delta.grab().toImage();
    const double ratio = picture.devicePixelRatio();
    const DeltaScale& scale = delta.scale();
    const auto& columns = delta.columns();
    const ViewState& base = shown.lanes().baseState();
    const double cursor =
        TimelineScale{scale.rect, scale.range, 1}.x(base.axisMap().toX(base.cursor()));
    int seen = 0;
    for (std::size_t i = 10; i + 10 < columns.size(); i += 7) {
        for (double y = scale.rect.top() + 5; y < scale.rect.bottom() - 5; y += 9) {
            // Where the same band lies all around, it has its bucket's colour.
            const auto band_at = [&](std::size_t column, double at) {
                return projection::bandAt(
                    columns[column], static_cast<std::int64_t>(scale.bytesAt(at)), kAllBuckets);
            };
            const auto band = band_at(i, y);
            bool is_inside = band.has_value();
            for (const std::size_t column : {i - 4, i + 4}) {
                for (const double at : {y - 4, y + 4}) {
                    is_inside = is_inside && band_at(column, at) == band;
                }
            }
            const double x = scale.rect.left()
                + scale.rect.width() * (static_cast<double>(i) + 0.5)
                    / static_cast<double>(columns.size());
            if (!is_inside || std::abs(x - cursor) < 2) {
                continue; // The cursor's line lies over the bands.
            }
            const QRgb pixel =
                picture.pixel(static_cast<int>(x * ratio), static_cast<int>(y * ratio));
            if (QColor(pixel) == currentColours().text) {
                continue; // So does the line of the total, which falls into notches between
                          // columns.
            }
            ++seen;
            QCOMPARE(QColor(pixel), bucketColour(*band));
        }
    }
    QVERIFY(seen > 50);
}

void TstCompareLanes::keysArrangeTheLanes()
{
    Shown shown;
    shown.compare();
    TimelinePlot& base = shown.lanes().basePlot();
    TimelinePlot& against = shown.lanes().againstPlot();
    DeltaLane& delta = shown.lanes().delta();
    // Below each other.
    QVERIFY(base.isVisible() && against.isVisible() && delta.isVisible());
    QVERIFY(against.geometry().top() > base.geometry().bottom());
    QVERIFY(delta.geometry().top() > against.geometry().bottom());
    QCOMPARE(base.bandRect().left(), against.bandRect().left());
    QCOMPARE(base.bandRect().width(), against.bandRect().width());
    QVERIFY(std::abs(delta.bandRect().left() - base.bandRect().left()) <= 1);
    for (QAction* action : shown.page.pageActions()) {
        shown.page.addAction(action); // As the window's menu does.
    }
    press(base, Qt::Key_2);
    QCOMPARE(shown.lanes().layoutOf(), LaneLayout::side_by_side);
    QVERIFY(against.geometry().left() > base.geometry().right());
    press(base, Qt::Key_3);
    QCOMPARE(shown.lanes().layoutOf(), LaneLayout::overlay);
    QVERIFY(base.isVisible() && !against.isVisible());
    base.grab(); // Painted once with the outline.
    QVERIFY(!base.scene().ghost().empty());
    press(base, Qt::Key_4);
    QCOMPARE(shown.lanes().layoutOf(), LaneLayout::delta);
    QVERIFY(!base.isVisible() && !against.isVisible() && delta.isVisible());
    press(shown.page, Qt::Key_1);
    QVERIFY(base.isVisible() && against.isVisible());
    base.grab();
    QVERIFY(base.scene().ghost().empty());
    const QSignalSpy swapped(&shown.page, &ComparePage::swapRequested);
    press(shown.page, Qt::Key_X);
    QCOMPARE(swapped.count(), 1);
}

void TstCompareLanes::spaceShowsTheOtherRunInItsPlace()
{
    Shown shown;
    shown.compare();
    TimelinePlot& base = shown.lanes().basePlot();
    TimelinePlot& against = shown.lanes().againstPlot();
    base.setFocus();
    press(base, Qt::Key_Space);
    QVERIFY(base.isVisible() && !against.isVisible());
    const QRect place = base.geometry();
    press(shown.lanes(), Qt::Key_Space);
    QVERIFY(!base.isVisible() && against.isVisible());
    QCOMPARE(against.geometry(), place);
    press(shown.lanes(), Qt::Key_Space);
    QVERIFY(base.isVisible() && !against.isVisible());
}

void TstCompareLanes::oneScaleIsOneScaleOfPixels()
{
    Shown shown;
    shown.base = runOf({.reserved = std::int64_t(2) << 30}, QStringLiteral("A"));
    shown.compare();
    TimelinePlot& base = shown.lanes().basePlot();
    TimelinePlot& against = shown.lanes().againstPlot();
    QCOMPARE(base.yAxis->range().upper, against.yAxis->range().upper);
    QCOMPARE(base.bandRect().height(), against.bandRect().height());
    for (QAction* action : shown.page.pageActions()) {
        shown.page.addAction(action);
    }
    press(base, Qt::Key_L);
    QVERIFY(!shown.lanes().isScaleLocked());
    QVERIFY(base.yAxis->range().upper < against.yAxis->range().upper);
    press(base, Qt::Key_L);
    QCOMPARE(base.yAxis->range().upper, against.yAxis->range().upper);
}

TIDEMARK_TEST(TstCompareLanes)

} // namespace tidemark::tst_compare_lanes

#include "tst_compare_lanes.moc"
