// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnose.h"
#include "core/diagnose/diagnosis.h"
#include "tests/core/diagnose/model_run.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/view_state.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/panels/simulate_panel.h"
#include "ui/views/timeline/legend_bar.h"
#include "ui/views/timeline/timeline_scene.h"

#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <memory>

namespace tidemark::tst_simulate_panel {

using namespace tidemark::ui;

namespace {

constexpr std::int64_t kMebi = 1 << 20;

/// See `diesOfSplitBlocks`: 180 MiB live in three segments of 100, no hole for 100 more on a card
/// of 330.
diagnose::Analysis splitRun()
{
    return test::diesOfSplitBlocks();
}

diagnose::Analysis diagnosed(diagnose::Analysis analysis)
{
    NoProgress progress;
    analysis.diagnosis =
        std::make_shared<const diagnose::Diagnosis>(diagnose::run(analysis, progress, {}).value());
    return analysis;
}

} // namespace

class TstSimulatePanel : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<SimulatePanel> m_panel;

    template <class Widget>
    Widget& child(const char* name)
    {
        auto* found = m_panel->findChild<Widget*>(QString::fromLatin1(name));
        if (found == nullptr) {
            qFatal("there is no %s", name);
        }
        return *found;
    }
    QTableView& table()
    {
        return child<QTableView>("simulations");
    }
    QString cell(int row, int column)
    {
        return table().model()->index(row, column).data().toString();
    }
    int rows()
    {
        return table().isVisible() ? table().model()->rowCount() : 0;
    }
    int rowNamed(const QString& settings)
    {
        for (int row = 0; row < rows(); ++row) {
            if (cell(row, SimulationsModel::Settings) == settings) {
                return row;
            }
        }
        return -1;
    }
    QString words(const char* name)
    {
        auto& label = child<QLabel>(name);
        return label.isVisible() ? label.text() : QString();
    }
    void type(const QString& settings, const QString& capacity = {})
    {
        child<QLineEdit>("simulateSettings").setText(settings);
        child<QLineEdit>("simulateCapacity").setText(capacity);
    }
    void replay()
    {
        QTest::mouseClick(&child<QPushButton>("simulateReplay"), Qt::LeftButton);
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_state = std::make_unique<ViewState>();
        m_state->show(splitRun(), 0);
        m_panel = std::make_unique<SimulatePanel>(*m_state);
        m_panel->resize(1100, 300);
        m_panel->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_panel.get()));
    }
    void cleanup()
    {
        m_panel.reset();
        m_state.reset();
        UiTest::cleanup();
    }

    void aNarrowTableNeedsNoScrolling()
    {
        m_panel->resize(980, 400);
        type(QStringLiteral("expandable_segments:True"));
        replay();
        QTRY_COMPARE(rows(), 2);
        QVERIFY(table().isColumnHidden(SimulationsModel::LargestFree));
        QTRY_COMPARE(table().horizontalScrollBar()->maximum(), 0);
        const QModelIndex reserved = table().model()->index(1, SimulationsModel::ReservedPeak);
        QVERIFY(reserved.data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Largest free block"))); // What the others would say.
        m_panel->resize(1500, 400);
        QVERIFY(!table().isColumnHidden(SimulationsModel::LargestFree));
    }

    void settingsAreReplayedBesideTheRecordedOnes()
    {
        QCOMPARE(rows(), 0);
        QVERIFY(!words("simulateEmpty").isEmpty());
        const QAbstractItemModelTester tester(
            table().model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        type(QStringLiteral("expandable_segments:True"));
        replay();
        QTRY_COMPARE(rows(), 2);
        QCOMPARE(cell(0, SimulationsModel::Settings), QStringLiteral("defaults (recorded)"));
        QVERIFY(cell(0, SimulationsModel::Outcome).startsWith(QStringLiteral("out of memory")));
        QCOMPARE(cell(0, SimulationsModel::Cached), QStringLiteral("120.0 MiB")); // As it fails.
        QCOMPARE(cell(1, SimulationsModel::Outcome),
                 QStringLiteral("gets past the failed request"));
        // 300 MiB of pages.
        QCOMPARE(cell(1, SimulationsModel::ReservedPeak), QStringLiteral("300.0 MiB"));
        QVERIFY(words("simulateVerdict").contains(QStringLiteral("gets past")));
        QVERIFY(words("simulateBaseline").contains(QStringLiteral("all 6 recorded addresses")));
        QVERIFY(words("simulateLimits").contains(QStringLiteral("Assumes the same requests")));
        QCOMPARE(child<QLineEdit>("simulateCapacity").placeholderText(), QStringLiteral("330 MiB"));
        QTRY_VERIFY(m_state->simulated() != nullptr);
        QCOMPARE(m_state->simulated()->settings, QStringLiteral("expandable_segments:True"));
        QCOMPARE(m_state->simulated()->reserved_peak.value, 300 * kMebi);
        table().setCurrentIndex(table().model()->index(0, 0));
        QVERIFY(m_state->simulated() == nullptr); // The recorded run needs no second line.
    }
    void settingsThatPyTorchRefusesAreRefusedWithItsRule()
    {
        type(QStringLiteral("max_split_size_mb:5"));
        QVERIFY(words("simulateProblem").contains(QStringLiteral("at least 20")));
        replay();
        QCOMPARE(rows(), 0);
        type(QStringLiteral("expandable_segments:yes"));
        QVERIFY(words("simulateProblem").contains(QStringLiteral("True or False")));
        type(QStringLiteral("max_split_size_mb:64"));
        QVERIFY(words("simulateProblem").isEmpty());
    }
    void manyAreTriedAndTheBestIsChosen()
    {
        type({});
        QTest::mouseClick(&child<QPushButton>("simulateSearch"), Qt::LeftButton);
        QTRY_VERIFY(rows() > 10);
        const int best = rowNamed(QStringLiteral("expandable_segments:True"));
        QCOMPARE(table().currentIndex().row(), best);
        const int split = rowNamed(QStringLiteral("max_split_size_mb:64"));
        QCOMPARE(cell(split, SimulationsModel::Outcome),
                 QStringLiteral("gets past the failed request"));
        // Without expandable segments 100 MiB blocks are split from 128 MiB on.
        const int whole = rowNamed(QStringLiteral("max_split_size_mb:128"));
        QVERIFY(
            cell(whole, SimulationsModel::Outcome).contains(QStringLiteral("short by 70.0 MiB")));
    }
    void anEmptyFieldSaysThatItMeansTheDefaults()
    {
        const auto& field = child<QLineEdit>("simulateSettings");
        QVERIFY(field.placeholderText().contains(QStringLiteral("defaults")));
        QVERIFY(!field.placeholderText().contains(u'_')); // Not to be taken for settings.
        type({});
        replay();
        QTRY_COMPARE(rows(), 1);
        QVERIFY(words("simulateVerdict").contains(QStringLiteral("With the recorded settings")));
    }
    void oneReplayKeepsWhatWasTriedBefore()
    {
        type({});
        QTest::mouseClick(&child<QPushButton>("simulateSearch"), Qt::LeftButton);
        QTRY_VERIFY(rows() > 10);
        const int many = rows();
        replay(); // Of the defaults, which are among them.
        QTRY_VERIFY(words("simulateVerdict").contains(QStringLiteral("recorded settings")));
        QCOMPARE(rows(), many);
        QCOMPARE(table().currentIndex().row(), 0);
        type(QStringLiteral("max_split_size_mb:77"));
        replay();
        const auto chosen = [this] { return cell(table().currentIndex().row(), 0); };
        QTRY_COMPARE(chosen(), QStringLiteral("max_split_size_mb:77"));
        QCOMPARE(rows(), many + 1);
        type(QStringLiteral("max_split_size_mb:78"));
        replay();
        QTRY_COMPARE(chosen(), QStringLiteral("max_split_size_mb:78"));
        QCOMPARE(rows(), many + 2); // The one asked for before stays, too.
        QVERIFY(rowNamed(QStringLiteral("max_split_size_mb:77")) > 0);
    }
    void outcomesInTheTableAreOfOneCapacity()
    {
        type({});
        QTest::mouseClick(&child<QPushButton>("simulateSearch"), Qt::LeftButton);
        QTRY_VERIFY(rows() > 10);
        type(QStringLiteral("expandable_segments:True"), QStringLiteral("270 MiB"));
        replay();
        QTRY_VERIFY(words("simulateVerdict").contains(QStringLiteral("30.0 MiB more")));
        QVERIFY(rows() > 10);
        for (int row = 0; row < rows(); ++row) {
            QVERIFY(cell(row, SimulationsModel::Outcome).contains(QStringLiteral("short by")));
        }
    }
    void aRunThatDiedIsTriedUnasked()
    {
        m_state->show(diagnosed(splitRun()), 0);
        QTRY_VERIFY(rows() > 10);
    }
    void aRunThatDidNotDieIsReplayedAsRecordedUnasked()
    {
        m_state->show(diagnosed(test::analysisOf(R"(a +100M
b +20M
a -)")),
                      0);
        QTRY_COMPARE(rows(), 1);
        QCOMPARE(cell(0, SimulationsModel::Settings), QStringLiteral("defaults (recorded)"));
        QVERIFY2(words("simulateVerdict").contains(QStringLiteral("as recorded. Try All")),
                 qPrintable(words("simulateVerdict")));
        QVERIFY(!words("simulateBaseline").isEmpty());
        QVERIFY(m_state->simulated() == nullptr); // Nothing else is drawn over the timeline.
        QVERIFY(child<QPushButton>("simulateSearch").isEnabled());
    }
    void theCapacityIsThatOfTheField()
    {
        type(QStringLiteral("expandable_segments:True"), QStringLiteral("much"));
        replay();
        QVERIFY(words("simulateProblem").contains(QStringLiteral("not a size or known GPU")));
        QCOMPARE(rows(), 0);
        type(QStringLiteral("expandable_segments:True"), QStringLiteral("270 MiB"));
        replay();
        QTRY_COMPARE(rows(), 2);
        QVERIFY(words("simulateVerdict").contains(QStringLiteral("30.0 MiB more")));
    }
    void whatIsCancelledIsNotShown()
    {
        type(QStringLiteral("expandable_segments:True"));
        replay();
        child<QToolButton>("simulateCancel").click();
        QVERIFY(!child<QToolButton>("simulateCancel").isVisible());
        QVERIFY(child<QPushButton>("simulateReplay").isEnabled());
        replay();
        QTRY_COMPARE(rows(), 2);
    }
    void theLineIsThatOfTheReplay()
    {
        type(QStringLiteral("expandable_segments:True"));
        replay();
        QTRY_VERIFY(m_state->simulated() != nullptr);
        TimelineScene scene(*m_state);
        scene.prepare(QRect(0, 0, 400, 200), m_state->range(), {0, 4e8}, 1);
        QCOMPARE(scene.simulated().size(), std::size_t{400});
        QCOMPARE(*std::ranges::max_element(scene.simulated()), 300 * kMebi);
        QCOMPARE(scene.simulated().front(), std::int64_t{0});
        QCOMPARE(scene.marks().simulated->settings, QStringLiteral("expandable_segments:True"));
        LegendBar legend(*m_state);
        auto* entry = legend.findChild<QToolButton*>(QStringLiteral("legend_simulated"));
        QVERIFY(!entry->isHidden());
        QVERIFY(entry->text().contains(QStringLiteral("expandable_segments:True")));
        entry->click();
        QVERIFY(m_state->simulated() == nullptr && entry->isHidden());
    }
    void whatIsNoLongerSelectedIsNotDrawn()
    {
        type(QStringLiteral("expandable_segments:True"));
        replay();
        QTRY_VERIFY(m_state->simulated() != nullptr);
        const int row = rowNamed(QStringLiteral("expandable_segments:True"));
        QVERIFY(row > 0);
        for (int i = 0; i < 20; ++i) { // The layout comes at any moment after the recorded row.
            table().setCurrentIndex(table().model()->index(0, 0));
            QTRY_VERIFY(m_state->simulated() == nullptr);
            table().setCurrentIndex(table().model()->index(row, 0));
            table().setCurrentIndex(table().model()->index(0, 0));
            QTest::qWait(5);
            QVERIFY(m_state->simulated() == nullptr);
        }
    }
    void whatIsSimulatedIsDrawnWhileItCanBeSeen()
    {
        type(QStringLiteral("expandable_segments:True"));
        replay();
        QTRY_VERIFY(m_state->simulated() != nullptr);
        QWidget beside;
        m_panel->drawBeside(beside);
        m_panel->hide();
        QTRY_VERIFY(m_state->simulated() == nullptr);
        beside.show();
        QTRY_VERIFY(m_state->simulated() != nullptr);
        beside.hide();
        QTRY_VERIFY(m_state->simulated() == nullptr);
        m_panel->show();
        QTRY_VERIFY(m_state->simulated() != nullptr);
    }
    void theMemoryMapShowsEither()
    {
        type(QStringLiteral("expandable_segments:True"));
        replay();
        QTRY_VERIFY(m_state->simulated() != nullptr);
        MemoryMapPanel map(*m_state);
        map.resize(900, 250);
        map.show();
        QVERIFY(QTest::qWaitForWindowExposed(&map));
        m_state->setCursor(m_state->replay().lastState());
        const auto segments = [&] {
            return map.scene() == nullptr ? std::size_t{0} : map.scene()->memory.segments.size();
        };
        QTRY_COMPARE(segments(), std::size_t{3});
        auto* either = map.findChild<QToolButton*>(QStringLiteral("memoryMapSimulated"));
        QVERIFY(either->isVisible());
        either->click();
        QTRY_COMPARE(segments(), std::size_t{1});
        // 180 MiB in one piece, and behind them the rest of the 300.
        QCOMPARE(map.scene()->memory.holes.size(), std::size_t{1});
        QCOMPARE(map.scene()->memory.holes[0].size.value, 120 * kMebi);
        m_state->setSimulated(nullptr);
        QVERIFY(!either->isVisible());
        QTRY_COMPARE(segments(), std::size_t{3});
    }
    void theMapSaysWhereTheReplayEnds()
    {
        type(QStringLiteral("expandable_segments:True"), QStringLiteral("250 MiB"));
        replay();
        QTRY_VERIFY(m_state->simulated() != nullptr);
        // The third block of 100 MiB does not fit into 250.
        QVERIFY(m_state->simulated()->known_until < m_state->replay().lastState());
        MemoryMapPanel map(*m_state);
        map.show();
        map.findChild<QToolButton*>(QStringLiteral("memoryMapSimulated"))->click();
        m_state->setCursor(m_state->replay().lastState());
        const auto* empty = map.findChild<QLabel*>(QStringLiteral("memoryMapEmpty"));
        QTRY_VERIFY(empty->text().contains(QStringLiteral("hits OOM at event")));
    }
};

TIDEMARK_TEST(TstSimulatePanel)

} // namespace tidemark::tst_simulate_panel

#include "tst_simulate_panel.moc"
