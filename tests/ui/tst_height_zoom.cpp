// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/views/look/axis_ticks.h"
#include "ui/views/timeline/timeline_pixels.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_scene.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"

#include <QtGui/QWheelEvent>
#include <QtTest/QTest>
#include <QtWidgets/QToolButton>

#include <memory>

namespace tidemark::tst_height_zoom {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

class TstHeightZoom : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<Opened> m_opened;

    [[nodiscard]] ViewState& state() const
    {
        return m_opened->window.viewState();
    }
    [[nodiscard]] TimelinePlot& plot() const
    {
        return m_opened->window.analysisPage().timeline().plot();
    }
    [[nodiscard]] QToolButton& note() const
    {
        return *plot().findChild<QToolButton*>(QStringLiteral("heightNote"));
    }
    void turnWheel(const QPoint& at, QPoint angle, Qt::KeyboardModifiers modifiers = {}) const
    {
        QWheelEvent event(at, plot().mapToGlobal(at), {}, angle, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&plot(), &event);
        Opened::settle();
    }
    void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers) const
    {
        test::drag(plot(), from, to, modifiers);
        Opened::settle();
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_opened = std::make_unique<Opened>(QSize(1400, 900));
        m_opened->show();
        m_opened->open({examplePath()});
    }
    void cleanup()
    {
        m_opened.reset();
        UiTest::cleanup();
    }

    void theWheelOnTheAxisZoomsAtTheMouse()
    {
        const QRect bands = plot().bandRect();
        const QPoint at(bands.left() / 2, bands.top() + bands.height() / 4);
        const double under = plot().yAxis->pixelToCoord(at.y());
        const Interval<double> range = state().range();
        QVERIFY(!note().isVisible());
        turnWheel(at, {0, 480});
        QVERIFY(state().heightRange().has_value());
        QVERIFY(std::abs(plot().yAxis->pixelToCoord(at.y()) - under) < 1e-6 * under);
        QCOMPARE(state().range(), range);
        QVERIFY(note().isVisible());
        QVERIFY(note().text().contains(QStringLiteral("show all")));
        for (int i = 0; i < 20; ++i) {
            turnWheel(at, {0, -480});
        }
        QVERIFY(!state().heightRange().has_value());
        QVERIFY(!note().isVisible());
    }
    void altAndTheWheelZoomOverTheBands()
    {
        turnWheel(plot().bandRect().center(), {480, 0}, Qt::AltModifier);
        QVERIFY(state().heightRange().has_value());
        QTest::mouseDClick(&plot(), Qt::LeftButton, {},
                           {plot().bandRect().left() / 2, plot().bandRect().center().y()});
        QVERIFY(!state().heightRange().has_value());
    }
    void aBoxIsZoomedTo()
    {
        const QRect bands = plot().bandRect();
        const QPoint from(bands.left() + bands.width() / 2, bands.top() + bands.height() / 4);
        const QPoint to(bands.left() + bands.width() * 3 / 4, bands.top() + bands.height() / 2);
        const Interval<double> x{plot().xAxis->pixelToCoord(from.x()),
                                 plot().xAxis->pixelToCoord(to.x())};
        const Interval<double> y{plot().yAxis->pixelToCoord(to.y()),
                                 plot().yAxis->pixelToCoord(from.y())};
        drag(from, to, Qt::ControlModifier);
        const double hair = 1e-6;
        QVERIFY(std::abs(state().range().begin - x.begin) <= hair * x.end);
        QVERIFY(std::abs(state().range().end - x.end) <= hair * x.end);
        QVERIFY(std::abs(state().heightRange()->begin - y.begin) <= hair * y.end);
        QVERIFY(std::abs(state().heightRange()->end - y.end) <= hair * y.end);
        QCOMPARE(plot().scene().scale().bottom_bytes, state().heightRange()->begin);
        // A drag then moves in both directions.
        const Interval<double> before = *state().heightRange();
        drag(bands.center(), bands.center() + QPoint(0, 30), Qt::NoModifier);
        QVERIFY(state().heightRange()->begin > before.begin);
        // Back to the view before restores both.
        plot().history().goBack();
        plot().history().goBack();
        QVERIFY(!state().heightRange().has_value());
        QCOMPARE(state().range(), state().extent());
    }
    void theKeysDoTheSame()
    {
        QTest::keyClick(&plot(), Qt::Key_Up);
        QTest::keyClick(&plot(), Qt::Key_Up);
        QVERIFY(state().heightRange().has_value());
        const double begin = state().heightRange()->begin;
        QTest::keyClick(&plot(), Qt::Key_Down, Qt::ShiftModifier);
        QVERIFY(state().heightRange()->begin < begin);
        QTest::keyClick(&plot(), Qt::Key_0, Qt::ControlModifier);
        QVERIFY(!state().heightRange().has_value());
        QTest::keyClick(&plot(), Qt::Key_Up);
        QTest::mouseClick(&note(), Qt::LeftButton);
        QVERIFY(!state().heightRange().has_value());
    }
    void aPartOfTheHeightIsThatPartOfThePicture()
    {
        TimelineScene scene(state());
        TimelineStyle style;
        scene.setStyle(style);
        constexpr int kWide = 300;
        constexpr int kHigh = 400;
        const double top = scene.naturalTop(state().range());
        for (const TimelineMode mode : {TimelineMode::bands, TimelineMode::allocations}) {
            state().setTimelineMode(mode);
            style.cached = false; // Hatch begins at the edge of its picture.
            scene.setStyle(style);
            scene.prepare({0, 0, kWide, kHigh * 2}, state().range(), {0, top}, 1.0);
            const QImage whole = scene.bands();
            scene.prepare({0, 0, kWide, kHigh}, state().range(), {top / 2, top}, 1.0);
            const QImage upper = scene.bands();
            int same = 0;
            for (int y = 0; y < kHigh; ++y) {
                for (int x = 0; x < kWide; ++x) {
                    same += upper.pixel(x, y) == whole.pixel(x, y) ? 1 : 0;
                }
            }
            // All but the lines of the grid and the shades' hairlines, which have their own places.
            QVERIFY2(same > kWide * kHigh * 95 / 100, qPrintable(QString::number(same)));
        }
    }
    void ticksOfAPartAreOfThatPart()
    {
        constexpr double kGiBs = 1073741824.0;
        const auto ticks = byteTicks(Interval<double>{10 * kGiBs, 10.5 * kGiBs}, 6);
        QVERIFY(ticks.size() >= 3 && ticks.size() <= 7);
        for (const AxisTick& tick : ticks) {
            QVERIFY(tick.at >= 10 * kGiBs && tick.at <= 10.5 * kGiBs);
            QVERIFY(tick.label.startsWith(QStringLiteral("10")));
        }
    }
    void oneBandIsShownAlone()
    {
        auto* button = m_opened->child<QToolButton>("legend_activation");
        QTest::mouseClick(button, Qt::LeftButton, Qt::AltModifier);
        QCOMPARE(state().visibleBuckets(), 1U << label::indexOf(label::Bucket::activation));
        QTest::mouseClick(button, Qt::LeftButton, Qt::AltModifier);
        QCOMPARE(state().visibleBuckets(), kAllBuckets);
        QTest::keyClick(button, Qt::Key_Space, Qt::ShiftModifier);
        QCOMPARE(state().visibleBuckets(), 1U << label::indexOf(label::Bucket::activation));
    }
    void anotherRunBeginsWithItsWholeHeight()
    {
        state().setHeightRange(Interval<double>{1e6, 2e6});
        state().clear();
        QVERIFY(!state().heightRange().has_value());
    }
};

TIDEMARK_TEST(TstHeightZoom)

} // namespace tidemark::tst_height_zoom

#include "tst_height_zoom.moc"
