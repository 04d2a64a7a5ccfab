// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/trace/cut_trace.h"
#include "tests/support/test_main.h"
#include "tests/support/trace_script.h"
#include "tests/ui/ui_test.h"
#include "ui/models/text.h"
#include "ui/views/timeline/cursor_overlay.h"
#include "ui/views/timeline/legend_bar.h"
#include "ui/views/timeline/minimap.h"
#include "ui/views/timeline/timeline_layers.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QImageReader>
#include <QtGui/QScreen>
#include <QtGui/QWheelEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>

#include <cmath>
#include <memory>

namespace tidemark::tst_timeline_plot {

using namespace tidemark::ui;
using tidemark::test::diagnosedAnalysisOf;
using tidemark::test::smallRun;

namespace {

void turnWheel(QWidget& widget, const QPoint& at, const QPoint& angle,
               Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, angle, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&widget, &event);
}

/// Moves the mouse without a button; the platform would only do so for a real pointer.
void hover(QWidget& widget, const QPoint& at)
{
    QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                      Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &event);
}

/// Which part of a widget was painted.
class PaintedRegion : public QObject {
public:
    QRegion region;
    bool eventFilter(QObject*, QEvent* event) override
    {
        if (event->type() == QEvent::Paint) {
            region += static_cast<QPaintEvent*>(event)->region();
        }
        return false;
    }
};

} // namespace

class TstTimelinePlot : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<TimelineView> m_view;

    [[nodiscard]] TimelinePlot& plot() const
    {
        return m_view->plot();
    }
    [[nodiscard]] QPoint bandPoint(double x_share, double y_share) const
    {
        const QRect bands = plot().bandRect();
        return {bands.left() + static_cast<int>(x_share * bands.width()),
                bands.bottom() - static_cast<int>(y_share * bands.height())};
    }
    [[nodiscard]] double coordinateAt(int x) const
    {
        return plot().xAxis->pixelToCoord(x);
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_state = std::make_unique<ViewState>();
        m_view = std::make_unique<TimelineView>(*m_state);
        m_state->show(diagnosedAnalysisOf(smallRun()), 0);
        m_view->resize(900, 500);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
        QTRY_VERIFY(!plot().scene().projection().columns.empty());
        QTRY_VERIFY(plot().bandRect().width() > 600);
    }

    void aStateAloneSaysWhyItIsOneMoment()
    {
        const auto* note = m_view->findChild<QLabel*>(QStringLiteral("timelineNote"));
        QVERIFY(!note->isVisible());
        for (const bool is_cut : {false, true}) {
            trace::Snapshot snapshot = test::snapshotFromScript(smallRun());
            snapshot.devices[0].events = {};
            if (is_cut) {
                snapshot.notes.add(trace::kCutOff, "It was cut off.");
            }
            m_state->show(test::analysisOf(std::move(snapshot)), 0);
            QVERIFY(note->isVisible());
            QCOMPARE(note->text().startsWith(QStringLiteral("The file is cut off")), is_cut);
        }
    }
    void aWheelZoomsAroundTheMouse()
    {
        const QPoint at = bandPoint(0.3, 0.5);
        const double before = coordinateAt(at.x());
        const auto range = m_state->range();
        turnWheel(plot(), at, {0, 240});
        QVERIFY(m_state->range().end - m_state->range().begin < range.end - range.begin);
        QVERIFY(std::abs(coordinateAt(at.x()) - before) < 0.05);
        turnWheel(plot(), at, {0, -2400});
        QVERIFY(m_state->range() == m_state->extent());
    }

    void aSidewaysWheelPans()
    {
        m_state->setRange({3, 9});
        turnWheel(plot(), bandPoint(0.5, 0.5), {-240, 0});
        QVERIFY(m_state->range().begin > 3);
        QVERIFY(std::abs(m_state->range().end - m_state->range().begin - 6) < 1e-6);
        turnWheel(plot(), bandPoint(0.5, 0.5), {0, 240}, Qt::ShiftModifier);
        QVERIFY(std::abs(m_state->range().begin - 3) < 1e-6);
    }

    void aDragPansWithWhatItHolds()
    {
        m_state->setRange({4, 10});
        QCoreApplication::processEvents();
        const QPoint from = bandPoint(0.6, 0.5);
        const QPoint to = bandPoint(0.4, 0.5);
        const double held = coordinateAt(from.x());
        const StateId cursor = m_state->cursor();
        QTest::mousePress(&plot(), Qt::LeftButton, {}, from);
        QTest::mouseMove(&plot(), (from + to) / 2);
        QTest::mouseMove(&plot(), to);
        QTest::mouseRelease(&plot(), Qt::LeftButton, {}, to);
        QVERIFY(std::abs(coordinateAt(to.x()) - held) < 0.05);
        QCOMPARE(m_state->cursor().value, cursor.value); // A drag is no click.
    }

    void shiftAndADragSelectARangeAndADoubleClickZoomsToIt()
    {
        const QPoint from = bandPoint(0.75, 0.5); // From right to left: the same range.
        const QPoint to = bandPoint(0.25, 0.5);
        const auto& axis = m_state->axisMap();
        const StateId first = axis.toState(coordinateAt(to.x()));
        const StateId last = axis.toState(coordinateAt(from.x()));
        const auto whole = m_state->range();
        QTest::mousePress(&plot(), Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(&plot(), (from + to) / 2);
        QTest::mouseMove(&plot(), to);
        QTest::mouseRelease(&plot(), Qt::LeftButton, Qt::ShiftModifier, to);
        QVERIFY(m_state->selectedRange().has_value());
        QCOMPARE(m_state->selectedRange()->begin.value, first.value);
        QCOMPARE(m_state->selectedRange()->end.value, last.value);
        QVERIFY(m_state->range() == whole);
        QTest::mouseDClick(&plot(), Qt::LeftButton, {}, bandPoint(0.5, 0.5));
        QVERIFY(m_state->range().begin > whole.begin);
        QVERIFY(m_state->range().begin <= axis.toX(first));
        QVERIFY(m_state->range().end >= axis.toX(last));
        QVERIFY(m_state->range().end < whole.end);
        QTest::keyClick(&plot(), Qt::Key_Escape);
        QVERIFY(!m_state->selectedRange());
        QTest::mouseDClick(&plot(), Qt::LeftButton, {}, bandPoint(0.5, 0.5));
        QVERIFY(m_state->range() == whole);
    }

    void keysPutTheEndsOfTheRangeAtTheCursor()
    {
        m_state->setCursor({4});
        QTest::keyClick(&plot(), Qt::Key_BracketLeft);
        QCOMPARE(m_state->selectedRange()->begin.value, 4U);
        QCOMPARE(m_state->selectedRange()->end.value, m_state->replay().lastState().value);
        m_state->setCursor({9});
        QTest::keyClick(&plot(), Qt::Key_BracketRight);
        QCOMPARE(m_state->selectedRange()->begin.value, 4U);
        QCOMPARE(m_state->selectedRange()->end.value, 9U);
        QTest::keyClick(&plot(), Qt::Key_Z);
        QVERIFY(m_state->range().end - m_state->range().begin < 6);
        plot().history().settle();
        QTest::keyClick(&plot(), Qt::Key_Backspace);
        QVERIFY(m_state->range() == m_state->extent());
        QTest::keyClick(&plot(), Qt::Key_Backspace, Qt::ShiftModifier);
        QVERIFY(m_state->range().end - m_state->range().begin < 6);
        QTest::mouseClick(&plot(), Qt::BackButton, {}, bandPoint(0.5, 0.5));
        QVERIFY(m_state->range() == m_state->extent());
    }

    void theMouseNamesTheBandUnderIt()
    {
        // The parameters lie at the floor for the whole trace.
        hover(plot(), bandPoint(0.5, 0.01));
        QVERIFY(m_state->hover().has_value());
        const StateId hovered = *m_state->hover();
        const auto* column = plot().scene().columnAt(bandPoint(0.5, 0.01).x());
        QVERIFY(column != nullptr);
        QCOMPARE(hovered.value, column->state.value);
        hover(plot(), QPoint(1, 1)); // Outside of the bands.
        QVERIFY(!m_state->hover().has_value());
    }

    void aClickSetsTheCursor()
    {
        const QPoint at = bandPoint(0.4, 0.3);
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, at);
        QCOMPARE(m_state->cursor().value, plot().scene().columnAt(at.x())->state.value);
    }

    void keysMoveTheCursorAndZoom()
    {
        m_state->setCursor({5});
        QTest::keyClick(&plot(), Qt::Key_Right);
        QCOMPARE(m_state->cursor().value, 6U);
        QTest::keyClick(&plot(), Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(m_state->cursor().value, 0U);
        QTest::keyClick(&plot(), Qt::Key_End);
        QCOMPARE(m_state->cursor().value, m_state->replay().lastState().value);
        QTest::keyClick(&plot(), Qt::Key_Home);
        QCOMPARE(m_state->cursor().value, 0U);
        QTest::keyClick(&plot(), Qt::Key_Plus);
        QVERIFY(m_state->range().end < m_state->extent().end);
        QTest::keyClick(&plot(), Qt::Key_PageDown);
        QVERIFY(m_state->range().begin > 0);
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(&plot(), Qt::Key_Minus);
        }
        QVERIFY(m_state->range() == m_state->extent());
    }

    void aLegendButtonTakesItsBandOutOfTheStack()
    {
        auto* button = m_view->findChild<QToolButton*>(QStringLiteral("legend_parameter"));
        QVERIFY(button != nullptr);
        const double top = plot().yAxis->range().upper;
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!(m_state->visibleBuckets() >> label::indexOf(label::Bucket::parameter) & 1U));
        QVERIFY(plot().yAxis->range().upper < top); // The rest is shown as large as it goes.
        auto* all = m_view->findChild<QToolButton*>(QStringLiteral("showAllBuckets"));
        QVERIFY(all->isVisible());
        QTest::mouseClick(all, Qt::LeftButton);
        QVERIFY(button->isChecked());
        QCOMPARE(plot().yAxis->range().upper, top);
    }

    void theHeightFollowsWhatIsInViewWhenAsked()
    {
        const double top = plot().yAxis->range().upper;
        m_state->setFitsHeight(true);
        m_state->setRange({0, 3});
        QVERIFY(plot().yAxis->range().upper < top);
        m_state->setFitsHeight(false);
        QCOMPARE(plot().yAxis->range().upper, top);
        plot().setSharedTop(5e9);
        QCOMPARE(plot().yAxis->range().upper, 5e9);
        plot().setSharedTop(std::nullopt);
        QCOMPARE(plot().yAxis->range().upper, top);
    }

    void theMinimapIsOfTheShownDevice()
    {
        // As many events each, and another shape.
        m_state->show(test::analysisOf("a +1M\nb +9M\nb -\n"), 0);
        QCoreApplication::processEvents();
        const QImage first = m_view->minimap().grab().toImage();
        m_state->show(test::analysisOf("a +9M\nb +1M\nb -\n"), 0);
        QVERIFY(m_view->minimap().grab().toImage() != first);
    }

    void theMinimapMovesTheRange()
    {
        m_state->setRange({4, 8});
        Minimap& map = m_view->minimap();
        const QPointF middle = map.brush().center();
        QTest::mousePress(&map, Qt::LeftButton, {}, middle.toPoint());
        QTest::mouseMove(&map, middle.toPoint() + QPoint(60, 0));
        QTest::mouseRelease(&map, Qt::LeftButton, {}, middle.toPoint() + QPoint(60, 0));
        QVERIFY(m_state->range().begin > 4);
        QVERIFY(std::abs(m_state->range().end - m_state->range().begin - 4) < 1e-6);
        // Its right edge makes the range wider.
        const QPoint edge(static_cast<int>(map.brush().right()), static_cast<int>(middle.y()));
        const double end = m_state->range().end;
        QTest::mousePress(&map, Qt::LeftButton, {}, edge);
        QTest::mouseMove(&map, edge + QPoint(30, 0));
        QTest::mouseRelease(&map, Qt::LeftButton, {}, edge + QPoint(30, 0));
        QVERIFY(m_state->range().end > end);
        QTest::mouseDClick(&map, Qt::LeftButton, {}, middle.toPoint());
        QVERIFY(m_state->range() == m_state->extent());
    }

    void picturesAreExportedInEveryFormat_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("begin");
        QTest::newRow("png") << QStringLiteral("t.png") << QByteArray("\x89PNG");
        QTest::newRow("pdf") << QStringLiteral("t.pdf") << QByteArray("%PDF-");
        QTest::newRow("svg") << QStringLiteral("t.svg") << QByteArray("<?xml");
    }

    void picturesAreExportedInEveryFormat()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, begin);
        const QTemporaryDir folder;
        QVERIFY(plot().exportTo(folder.filePath(name)).has_value());
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray content = file.readAll();
        QVERIFY(content.startsWith(begin));
        QVERIFY(content.size() > 1000);
        if (name.endsWith(QStringLiteral("svg"))) {
            // Bands are outlines there, not a picture inside a picture.
            QVERIFY(!content.contains("<image"));
            const QByteArray colour = bucketColour(label::Bucket::parameter).name().toLatin1();
            QVERIFY(content.contains(colour));
        }
        // And the screen shows the same as before.
        QTRY_VERIFY(plot().scene().projection().columns.size()
                    >= static_cast<std::size_t>(plot().bandRect().width()));
        QVERIFY(!plot().exportTo(QStringLiteral("/nowhere/at/all/") + name).has_value());
        // Once more onto itself, but not onto something else.
        QVERIFY(plot().exportTo(folder.filePath(name)).has_value());
        QFile other(folder.filePath(QStringLiteral("other")));
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("text") == 4);
        other.close();
        QVERIFY(other.rename(folder.filePath(QStringLiteral("o.") + name)));
        QVERIFY(!plot().exportTo(other.fileName()).has_value());
        QCOMPARE(other.size(), 4);
    }

    void theScreenShowsWhatAPictureShows()
    {
        const double ratio = plot().devicePixelRatioF();
        const QImage screen = plot().grab().toImage().convertToFormat(QImage::Format_RGB32);
        const QImage picture = plot()
                                   .toPixmap(plot().width(), plot().height(), ratio)
                                   .toImage()
                                   .convertToFormat(QImage::Format_RGB32);
        QCOMPARE(screen.size(), picture.size());
        int different = 0;
        std::vector<int> in_row(static_cast<std::size_t>(screen.height()));
        for (int y = 0; y < screen.height(); ++y) {
            for (int x = 0; x < screen.width(); ++x) {
                const bool is_same = screen.pixel(x, y) == picture.pixel(x, y);
                in_row[static_cast<std::size_t>(y)] += is_same ? 0 : 1;
            }
            different += in_row[static_cast<std::size_t>(y)];
        }
        // Letters may lie between other pixels, but no row or border may be another. (On a scaled
        // screen thin lines are as thick as its pixels.)
        const int most = *std::ranges::max_element(in_row);
        QVERIFY2(ratio > 1 || most < screen.width() / 4, qPrintable(QString::number(most)));
        QVERIFY2(different < screen.width() * screen.height() / (ratio > 1 ? 10 : 100),
                 qPrintable(QString::number(different)));
    }

    void onlyTheOverlayShowsWhereTheMouseIs()
    {
        auto* overlay = plot().findChild<CursorOverlay*>();
        QVERIFY(overlay != nullptr);
        QCOMPARE(overlay->geometry(), plot().rect());
        overlay->hide();
        const QImage without = plot().grab().toImage();
        overlay->show();
        const QImage before = plot().grab().toImage();
        hover(plot(), bandPoint(0.7, 0.3));
        QCoreApplication::processEvents();
        QVERIFY(m_state->hover().has_value());
        QVERIFY(plot().grab().toImage() != before);
        overlay->hide();
        QCOMPARE(plot().grab().toImage(), without);
        overlay->show();
        m_view->resize(1000, 450);
        QTRY_COMPARE(overlay->geometry(), plot().rect());
    }

    void theMouseLeavesNothingBehind()
    {
        auto ghost = std::make_shared<Ghost>();
        for (std::size_t i = 0; i < m_state->replay().stateCount(); ++i) {
            ghost->prediction.after_active.push_back(i % 2 == 0 ? kGiB.value : 0);
        }
        ghost->pyramid = MaxPyramid(ghost->prediction.after_active);
        m_state->setGhost(ghost);
        m_state->selectRange(Interval<StateId>{StateId{2}, StateId{5}});
        QTRY_VERIFY(!plot().scene().ghost().empty());
        const auto shown = [this] {
            QCoreApplication::processEvents();
            return m_view->screen()->grabWindow(m_view->winId()).toImage();
        };
        PaintedRegion painted;
        plot().findChild<CursorOverlay*>()->installEventFilter(&painted);
        const QImage before = (shown(), shown()); // The second is laid out.
        const auto checkThatAllIsPainted = [&] {
            const QImage followed = shown();
            QVERIFY(followed != before || plot().devicePixelRatioF() > 1); // Grabs a quarter.
            plot().update();
            QCOMPARE(shown(), followed);
        };
        for (const double place : {0.1, 0.35, 0.3, 0.7, 1.0}) {
            painted.region = {};
            hover(plot(), bandPoint(place, 0.2 + 0.5 * place));
            QCoreApplication::processEvents();
            QVERIFY(!painted.region.contains(plot().rect().center() + QPoint(0, -60)));
            checkThatAllIsPainted();
        }
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(&plot(), &leave);
        QCOMPARE(shown(), before);
        QTest::mousePress(&plot(), Qt::LeftButton, Qt::ShiftModifier, bandPoint(0.2, 0.5));
        for (const double place : {0.6, 0.4, 0.1}) {
            hover(plot(), bandPoint(place, 0.4));
            checkThatAllIsPainted();
        }
        QTest::mouseRelease(&plot(), Qt::LeftButton, Qt::ShiftModifier, bandPoint(0.2, 0.5));
    }

    void aPredictionOfMoreStaysInThePicture()
    {
        const double top = plot().yAxis->range().upper;
        auto ghost = std::make_shared<Ghost>();
        const auto more = static_cast<std::int64_t>(4 * top);
        ghost->prediction.after_active.assign(m_state->replay().stateCount(), more);
        ghost->prediction.after_peak = {more};
        ghost->pyramid = MaxPyramid(ghost->prediction.after_active);
        m_state->setGhost(ghost);
        QVERIFY(plot().yAxis->range().upper > static_cast<double>(more));
        m_state->setGhost(nullptr);
        QCOMPARE(plot().yAxis->range().upper, top);
    }

    void theNameOfTheAxisKeepsItsDistanceFromTheFirstLabel()
    {
        m_state->setRange({4, 9}); // A label at the very edge reaches out of the plot.
        QCoreApplication::processEvents();
        const QImage image = plot().grab().toImage();
        const double scale = image.devicePixelRatio();
        const QFontMetricsF metrics(plot().scene().style().font);
        const QRectF bands = plot().scene().scale().rect;
        const double label_left = bands.left() - metrics.horizontalAdvance(u'4') / 2;
        const double top = bands.bottom() + StripItem::heightFor(*m_state, {}) + 3;
        const QRgb background = image.pixel(2, image.height() / 2);
        const auto has_ink = [&](double left, double right) {
            for (double x = left * scale; x < right * scale; ++x) {
                for (double y = top * scale; y < (top + metrics.height()) * scale; ++y) {
                    if (image.pixel(static_cast<int>(x), static_cast<int>(y)) != background) {
                        return true;
                    }
                }
            }
            return false;
        };
        QVERIFY(has_ink(0, label_left - 6)); // "event"
        QVERIFY(!has_ink(label_left - 6, label_left - 1));
    }

    void aPredictionIsDrawnOverTheBands()
    {
        auto ghost = std::make_shared<Ghost>();
        ghost->prediction.after_active.assign(m_state->replay().stateCount(), kGiB.value);
        ghost->pyramid = MaxPyramid(ghost->prediction.after_active);
        m_state->setGhost(ghost);
        QTRY_COMPARE(plot().scene().ghost().size(), plot().scene().projection().columns.size());
        QCOMPARE(plot().scene().ghost().front(), kGiB.value);
        m_state->setGhost(nullptr);
        QTRY_VERIFY(plot().scene().ghost().empty());
    }

    void nothingIsShownWithoutADevice()
    {
        m_state->clear();
        QCoreApplication::processEvents();
        turnWheel(plot(), QPoint(300, 200), {0, 120});
        QTest::keyClick(&plot(), Qt::Key_Right);
        QTest::mouseClick(&plot(), Qt::LeftButton, {}, QPoint(300, 200));
        QTest::mouseClick(&m_view->minimap(), Qt::LeftButton, {}, QPoint(300, 10));
        QVERIFY(!m_view->grab().isNull());
    }
};

TIDEMARK_TEST(TstTimelinePlot)

} // namespace tidemark::tst_timeline_plot

#include "tst_timeline_plot.moc"
