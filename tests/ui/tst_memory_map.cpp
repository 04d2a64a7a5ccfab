// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/random_memory.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/text.h"
#include "ui/views/look/palette.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/memory_map/memory_map_view.h"
#include "ui/views/memory_map/memory_map_words.h"

#include <QtGui/QWheelEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>

#include <algorithm>
#include <memory>
#include <vector>

namespace tidemark::tst_memory_map {

using namespace tidemark::ui;
using tidemark::test::analysisOf;
using tidemark::test::smallRun;

class TstMemoryMap : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<MemoryMapPanel> m_panel;

    [[nodiscard]] MemoryMapView& map() const
    {
        return m_panel->map();
    }
    [[nodiscard]] std::uint32_t blocksShown() const
    {
        std::uint32_t blocks = 0;
        for (const projection::MapCell& cell : map().projection().cells) {
            blocks += cell.blocks;
        }
        return blocks;
    }
    [[nodiscard]] QPoint middleOf(const projection::MapCell& cell) const
    {
        const projection::MapView& view = map().mapView();
        const double x = map().barArea().left() + (cell.left_px + cell.right_px) / 2;
        return {static_cast<int>(x),
                static_cast<int>(cell.row) * view.row_px + view.row_px / 2
                    - static_cast<int>(view.scroll_px)};
    }
    /// The first cell that holds one allocation, or (`free`) one hole.
    [[nodiscard]] projection::MapCell cellOf(bool free) const
    {
        for (const projection::MapCell& cell : map().projection().cells) {
            if (free ? cell.blocks == 0 && cell.holes == 1 : !cell.only.isNone()) {
                return cell;
            }
        }
        return {};
    }
    void hover(const QPoint& at) const
    {
        QWidget* viewport = map().viewport();
        QMouseEvent event(QEvent::MouseMove, at, viewport->mapToGlobal(at), Qt::NoButton,
                          Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(viewport, &event);
    }
    void turnWheel(const QPoint& at, int angle, Qt::KeyboardModifiers modifiers) const
    {
        QWidget* viewport = map().viewport();
        QWheelEvent event(at, viewport->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(viewport, &event);
    }
    [[nodiscard]] QString words(const char* name) const
    {
        return m_panel->findChild<QLabel*>(QString::fromLatin1(name))->text();
    }
    /// A run with several pools and streams, at its end.
    void showRandomRun()
    {
        const test::RandomMemory run(5, 900, true);
        diagnose::Analysis analysis = analysisOf(run.snapshot(0));
        analysis.file = "/runs/random.pickle";
        m_state->show(analysis, 0);
        m_state->setCursor(m_state->replay().lastState());
        const std::size_t live = replay::livingAt(m_state->replay(), m_state->cursor()).size();
        m_panel->resize(900, 3000);
        QTRY_COMPARE(static_cast<std::size_t>(blocksShown()), live);
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_state = std::make_unique<ViewState>();
        m_panel = std::make_unique<MemoryMapPanel>(*m_state);
        m_panel->resize(900, 400);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
        m_state->show(analysisOf(smallRun()), 0);
        QTRY_VERIFY(blocksShown() > 0);
    }
    void cleanup()
    {
        m_panel.reset();
        m_state.reset();
        UiTest::cleanup();
    }

    void theMapFollowsTheCursorStepByStep()
    {
        map().setFocus();
        m_state->setCursor(StateId::start());
        QTRY_COMPARE(blocksShown(), 1U);
        QVERIFY(words("memoryMapMoment").contains(QStringLiteral("start")));
        QTest::keyClick(&map(), Qt::Key_Right);
        QCOMPARE(m_state->cursor().value, 1U);
        QTRY_COMPARE(blocksShown(), 2U);
        QTest::keyClick(&map(), Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(m_state->cursor().value, 11U);
        QTest::keyClick(&map(), Qt::Key_Left);
        QCOMPARE(m_state->cursor().value, 10U);
        const std::size_t live = replay::livingAt(m_state->replay(), {10}).size();
        QTRY_COMPARE(static_cast<std::size_t>(blocksShown()), live);
        QTRY_VERIFY(words("memoryMapMoment").contains(QStringLiteral("event 9")));
    }
    void aResizeWhileTheDeviceChangesShowsNothingOfTheOldOne()
    {
        ViewState state;
        std::unique_ptr<MemoryMapPanel> panel;
        std::size_t cells = 1;
        // Another view hears of the change first, and lays out the window.
        QObject::connect(&state, &ViewState::deviceChanged, this, [&] {
            if (panel != nullptr) {
                panel->resize(panel->width() + 40, panel->height() + 40);
                cells = panel->map().projection().cells.size();
            }
        });
        panel = std::make_unique<MemoryMapPanel>(state);
        panel->resize(900, 400);
        panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(panel.get()));
        const test::RandomMemory run(5, 900, true);
        state.show(analysisOf(run.snapshot(0)), 0);
        state.setCursor(state.replay().lastState());
        QTRY_VERIFY(!panel->map().projection().cells.empty());
        state.show(analysisOf(smallRun()), 0);
        QCOMPARE(cells, 0U);
        QTRY_VERIFY(!panel->map().projection().cells.empty());
    }
    void manyStepsAtOnceEndAtTheLastOne()
    {
        for (int i = 0; i < 50; ++i) {
            m_state->setCursor({static_cast<std::uint32_t>(i % 3)});
        }
        m_state->setCursor({1});
        QTRY_COMPARE(blocksShown(), 2U);
        QTest::qWait(0);
        QTRY_VERIFY(words("memoryMapMoment").contains(QStringLiteral("event 0")));
    }
    void aClickSelectsAndAHoleSelectsNothing()
    {
        const projection::MapCell block = cellOf(false);
        QTest::mouseClick(map().viewport(), Qt::LeftButton, {}, middleOf(block));
        QVERIFY(m_state->selected() == block.only);
        QVERIFY(map().line().contains(QStringLiteral("MiB"))
                || map().line().contains(QStringLiteral("GiB")));
        const projection::MapCell hole = cellOf(true);
        QCOMPARE(hole.holes, 1U);
        QTest::mouseClick(map().viewport(), Qt::LeftButton, {}, middleOf(hole));
        QVERIFY(m_state->selected().isNone());
    }
    void hoveringSaysWhatItIs()
    {
        const projection::MapCell block = cellOf(false);
        hover(middleOf(block));
        const label::Bucket bucket = m_state->labels().bucket[block.only.index()];
        QVERIFY(map().line().contains(text(label::bucketName(bucket))));
        hover(middleOf(cellOf(true)));
        QVERIFY(map().line().startsWith(QStringLiteral("Free ")));
        const QString details = map().detailsAt(middleOf(block));
        QVERIFY(details.contains(exactBytesText(block.block_bytes)));
        QVERIFY(details.contains(QStringLiteral("stream 0")));
        QVERIFY(map().detailsAt({5, 2000}).isEmpty());
    }
    void keysSelectBlocksInOrderAndAskForTheStack()
    {
        QSignalSpy asked(m_panel.get(), &MemoryMapPanel::stackRequested);
        std::vector<AllocationId> seen;
        for (std::uint32_t i = 0; i < blocksShown(); ++i) {
            QTest::keyClick(&map(), Qt::Key_N);
            QVERIFY(std::ranges::find(seen, m_state->selected()) == seen.end());
            seen.push_back(m_state->selected());
        }
        QTest::keyClick(&map(), Qt::Key_N);
        QVERIFY(m_state->selected() == seen.back());
        QTest::keyClick(&map(), Qt::Key_P);
        QVERIFY(m_state->selected() == seen[seen.size() - 2]);
        QVERIFY(map().line().startsWith(QStringLiteral("Selected: ")));
        QTest::keyClick(&map(), Qt::Key_Return);
        QCOMPARE(asked.count(), 1);
    }
    void theWheelScrollsAndWithCtrlItZooms()
    {
        showRandomRun();
        m_panel->resize(900, 250);
        QTRY_VERIFY(map().verticalScrollBar()->maximum() > 0);
        turnWheel({400, 60}, -120, Qt::NoModifier);
        QVERIFY(map().mapView().scroll_px > 0);
        QTest::keyClick(&map(), Qt::Key_End);
        QCOMPARE(map().verticalScrollBar()->value(), map().verticalScrollBar()->maximum());
        QTest::keyClick(&map(), Qt::Key_Home);
        QCOMPARE(map().mapView().scroll_px, 0);
        turnWheel({400, 60}, 360, Qt::ControlModifier);
        const double zoom = map().mapView().zoom;
        QVERIFY(zoom > 1.9 && zoom < 2.0);
        QVERIFY(map().horizontalScrollBar()->maximum() > 0);
        QTest::keyClick(&map(), Qt::Key_Plus);
        QVERIFY(map().mapView().zoom > zoom);
        const double offset = map().mapView().offset;
        QTest::keyClick(&map(), Qt::Key_Right, Qt::ControlModifier);
        QVERIFY(map().mapView().offset > offset);
        QTest::keyClick(&map(), Qt::Key_0);
        QCOMPARE(map().mapView().zoom, 1.0);
        QCOMPARE(map().mapView().offset, 0.0);
    }
    void draggingMovesAndSelectsNothing()
    {
        showRandomRun();
        m_panel->resize(900, 250);
        turnWheel({400, 60}, 600, Qt::ControlModifier);
        const projection::MapView before = map().mapView();
        QWidget* viewport = map().viewport();
        QTest::mousePress(viewport, Qt::LeftButton, {}, {400, 100});
        QTest::mouseMove(viewport, {360, 80});
        QMouseEvent move(QEvent::MouseMove, QPointF(350, 60),
                         viewport->mapToGlobal(QPointF(350, 60)), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(viewport, &move);
        QTest::mouseRelease(viewport, Qt::LeftButton, {}, {350, 60});
        QVERIFY(map().mapView().offset > before.offset);
        QCOMPARE(map().mapView().scroll_px, before.scroll_px + 40);
        QVERIFY(m_state->selected().isNone());
    }
    void aSelectionElsewhereIsBroughtIntoView()
    {
        showRandomRun();
        m_panel->resize(900, 250);
        QTRY_VERIFY(map().mapView().height_px < 250);
        for (const AllocationId a : replay::livingAt(m_state->replay(), m_state->cursor())) {
            m_state->select(a);
            bool is_shown = false;
            for (const projection::MapCell& cell : map().projection().cells) {
                is_shown = is_shown || cell.only == a || cell.blocks > 1;
            }
            QVERIFY(is_shown);
        }
    }
    void theLineOfSumsIsThatOfTheState()
    {
        const Bytes reserved = m_state->replay().reservedAt(m_state->shownState());
        QVERIFY(words("memoryMapSums")
                    .replace(QChar(0xa0), QLatin1Char(' '))
                    .contains(bytesText(reserved)));
        QVERIFY(words("memoryMapSums").contains(QStringLiteral("lost in holes")));
        QVERIFY(m_panel->findChild<QLabel*>(QStringLiteral("memoryMapSums"))
                    ->toolTip()
                    .contains(exactBytesText(reserved)));
    }
    void blocksHaveTheColoursOfTheirBuckets()
    {
        const projection::MapCell block = cellOf(false);
        const QPoint at = middleOf(block);
        const double ratio = map().viewport()->devicePixelRatioF();
        const QImage image = map().viewport()->grab().toImage();
        // Beside the label, which stands in the middle.
        const int x = map().barArea().left() + static_cast<int>(block.left_px) + 2;
        QCOMPARE(
            image.pixelColor(QPoint(static_cast<int>(x * ratio), static_cast<int>(at.y() * ratio)))
                .rgb(),
            bucketColour(block.bucket).rgb());
    }
    void poolsAndStreamsAreNamed()
    {
        showRandomRun();
        const replay::MemoryState memory = replay::memoryStateAt(
            m_state->replay(), (*m_state->analysis().block_sizes)[0], m_state->cursor());
        QStringList titles;
        for (const replay::PoolTotals& pool : memory.pools) {
            titles << poolTitle(pool, map().streams());
        }
        QCOMPARE(titles.removeDuplicates(), 0);
        QVERIFY(titles.contains(QStringLiteral("Small pool · stream 0")));
        QVERIFY(titles.contains(QStringLiteral("Private pool (user 7), large · stream 2")));
    }
    void emptyPlacesSayWhy()
    {
        m_state->clear();
        QVERIFY(words("memoryMapEmpty").contains(QStringLiteral("No device")));
        QVERIFY(!map().isVisible());
        QVERIFY(words("memoryMapSums").isEmpty());
        m_state->show(analysisOf("oom 1G free=1M\n"), 0);
        QTRY_VERIFY(words("memoryMapEmpty").contains(QStringLiteral("segments")));
        m_state->show(analysisOf(smallRun()), 0);
        QTRY_VERIFY(map().isVisible() && blocksShown() > 0);
    }
    void aHiddenMapComputesNothingAndCatchesUp()
    {
        m_panel->hide();
        m_state->setCursor(StateId::start());
        QTest::qWait(20);
        QVERIFY(!words("memoryMapMoment").contains(QStringLiteral("start")));
        m_panel->show();
        QTRY_VERIFY(words("memoryMapMoment").contains(QStringLiteral("start")));
        QTRY_COMPARE(blocksShown(), 1U);
    }
    void itHasANameForThoseWhoDoNotSeeIt()
    {
        QCOMPARE(map().accessibleName(), QStringLiteral("Memory Map"));
        QVERIFY(!map().accessibleDescription().isEmpty());
        QVERIFY((map().focusPolicy() & Qt::TabFocus) != 0);
    }
};

TIDEMARK_TEST(TstMemoryMap)

} // namespace tidemark::tst_memory_map

#include "tst_memory_map.moc"
