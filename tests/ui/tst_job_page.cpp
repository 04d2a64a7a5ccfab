// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/made_job.h"
#include "tests/ui/opened_window.h"
#include "ui/models/text.h"
#include "ui/views/job/job_page.h"
#include "ui/views/job/rank_bands.h"
#include "ui/views/job/rank_table.h"
#include "ui/views/look/palette.h"
#include "ui/views/look/pieces.h"
#include "ui/views/look/theme.h"

#include <QtGui/QClipboard>
#include <QtGui/QFontMetrics>
#include <QtGui/QImage>
#include <QtGui/QWheelEvent>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_job_page {

using namespace tidemark::ui;
using test::Opened;

namespace {

struct Page {
    JobPage page;

    explicit Page(std::shared_ptr<const job::Job> job, QSize size = {1300, 800})
    {
        page.resize(size);
        page.show();
        page.activateWindow();
        page.setJob(std::move(job));
        Opened::settle();
        page.bands().setFocus();
    }
    template <class T>
    T* child(const char* name)
    {
        return page.findChild<T*>(QString::fromLatin1(name));
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(&page.bands(), key, modifiers);
        Opened::settle();
    }
    /// On the bands of a line.
    void click(std::size_t line, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::mouseClick(page.bands().viewport(), Qt::LeftButton, modifiers,
                          page.bands().lineRect(line).center());
        Opened::settle();
    }
};

} // namespace

class TstJobPage : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void theAnswerStandsAbove()
    {
        Page shown(test::sharedJob(4));
        QCOMPARE(shown.child<QLabel>("jobHeadline")->text(),
                 QStringLiteral("Rank 3 ran out first."));
        QCOMPARE(shown.child<QLabel>("jobExplained")->text(),
                 QStringLiteral("Its activations are 3 × the other ranks'. "
                                "Parameters are equal on all ranks."));
        const QString quiet = shown.child<ElidedLabel>("jobQuiet")->words();
        QVERIFY(quiet.startsWith(QStringLiteral("4 of 4 ranks")));
        QVERIFY(quiet.contains(QStringLiteral("recorded twice")));
        const QSignalSpy opens(&shown.page, &JobPage::openRequested);
        const QSignalSpy compares(&shown.page, &JobPage::compareRequested);
        auto* link = shown.child<QToolButton>("compareRanks");
        QCOMPARE(link->text(), QStringLiteral("compare rank 3 with rank 0"));
        QTest::mouseClick(link, Qt::LeftButton);
        QCOMPARE(compares.count(), 1);
        QCOMPARE(compares.at(0).at(0).value<std::size_t>(), std::size_t{3});
        QCOMPARE(compares.at(0).at(1).value<std::size_t>(), std::size_t{0});
        QTest::mouseClick(shown.child<QToolButton>("openRank"), Qt::LeftButton);
        QCOMPARE(opens.at(0).at(0).value<std::size_t>(), std::size_t{3});
    }

    void partsAreReachedByKey()
    {
        Page shown(test::sharedJob(4));
        QVERIFY(QTest::qWaitForWindowActive(&shown.page));
        const auto has_focus = [](const QWidget& part) {
            return part.isAncestorOf(QApplication::focusWidget())
                || QApplication::focusWidget() == &part;
        };
        QVERIFY(has_focus(shown.page.bands()));
        shown.page.stepPart(1);
        QVERIFY(has_focus(shown.page.table()));
        shown.page.stepPart(1);
        QVERIFY(has_focus(*shown.child<QWidget>("jobAnswer")));
        shown.page.stepPart(1);
        QVERIFY(has_focus(shown.page.bands()));
        shown.page.stepPart(-1);
        QVERIFY(has_focus(*shown.child<QWidget>("jobAnswer")));
    }

    void missingRanksAreNamed()
    {
        job::Job made = test::madeJob(4);
        made.world_size = 6;
        made.missing = {4, 5};
        Page shown(std::make_shared<const job::Job>(made));
        const QString quiet = shown.child<ElidedLabel>("jobQuiet")->words();
        QVERIFY2(quiet.startsWith(QStringLiteral("4 of 6 ranks · 2 missing: 4, 5")),
                 qPrintable(quiet));
    }

    void aClickSelectsARank()
    {
        Page shown(test::sharedJob(4));
        QSignalSpy changed(&shown.page.bands(), &RankBands::selectionChanged);
        shown.click(3);
        QCOMPARE(shown.page.bands().selected(), std::size_t{3});
        QCOMPARE(changed.count(), 1);
        QCOMPARE(shown.child<QLabel>("rankNotesTitle")->text(), QStringLiteral("rank 3"));
        const QString notes = shown.child<QLabel>("rankNotes")->text();
        QVERIFY(notes.contains(QStringLiteral("3× as long")));
        QVERIFY(notes.contains(QStringLiteral("Reason for the dump: oom")));
        // The table follows, and leads.
        const RankTableModel& model = shown.page.table().model();
        QTableView& table = shown.page.table().view();
        QCOMPARE(model.rankAt(table.currentIndex().row(), table.currentIndex().column()),
                 std::size_t{3});
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                          table.visualRect(model.index(2, 1)).center());
        QCOMPARE(shown.page.bands().selected(), std::size_t{1});
        QCOMPARE(table.currentIndex(), model.index(2, 1));
    }

    void keysMoveOpenAndCompare()
    {
        Page shown(test::sharedJob(4));
        QSignalSpy opens(&shown.page, &JobPage::openRequested);
        QSignalSpy compares(&shown.page, &JobPage::compareRequested);
        RankBands& bands = shown.page.bands();
        shown.press(Qt::Key_Down);
        QCOMPARE(bands.selected(), std::size_t{0});
        shown.press(Qt::Key_C); // The median rank itself.
        QCOMPARE(compares.count(), 0);
        shown.press(Qt::Key_Down);
        shown.press(Qt::Key_Down);
        shown.press(Qt::Key_Up);
        QCOMPARE(bands.selected(), std::size_t{1});
        shown.press(Qt::Key_Return);
        QCOMPARE(opens.at(0).at(0).value<std::size_t>(), std::size_t{1});
        shown.press(Qt::Key_C);
        QCOMPARE(compares.at(0).at(0).value<std::size_t>(), std::size_t{1});
        QCOMPARE(compares.at(0).at(1).value<std::size_t>(), std::size_t{0});
        shown.press(Qt::Key_End);
        QCOMPARE(bands.selected(), std::size_t{3});
        // Two by hand.
        shown.click(2, Qt::ControlModifier);
        QCOMPARE(compares.at(1).at(0).value<std::size_t>(), std::size_t{2});
        QCOMPARE(compares.at(1).at(1).value<std::size_t>(), std::size_t{3});
        QTest::mouseDClick(bands.viewport(), Qt::LeftButton, {}, bands.lineRect(0).center());
        QCOMPARE(opens.at(1).at(0).value<std::size_t>(), std::size_t{0});
    }

    void nGoesRoundTheOutliers()
    {
        Page shown(test::sharedJob(40));
        RankBands& bands = shown.page.bands();
        QCOMPARE(bands.order(), RankOrder::outliers_first); // From 24 ranks on.
        shown.press(Qt::Key_N);
        QCOMPARE(bands.selected(), std::size_t{39});
        shown.press(Qt::Key_N);
        QCOMPARE(bands.selected(), std::size_t{1});
        shown.press(Qt::Key_N);
        QCOMPARE(bands.selected(), std::size_t{39});
        shown.press(Qt::Key_N, Qt::ShiftModifier);
        QCOMPARE(bands.selected(), std::size_t{1});
        // The same with the focus in the table.
        shown.page.table().view().setFocus();
        QTest::keyClick(&shown.page.table().view(), Qt::Key_N);
        QCOMPARE(bands.selected(), std::size_t{39});
        // In the order of the ranks the selected one stays in sight.
        QTest::mouseClick(shown.child<QToolButton>("outliersFirst"), Qt::LeftButton);
        QCOMPARE(bands.order(), RankOrder::rank);
        QVERIFY(bands.viewport()->rect().contains(bands.lineRect(39).center()));
    }

    void theNamesOfRowsAreWhole()
    {
        Page shown(test::sharedJob(4));
        auto& header = *shown.page.table().view().verticalHeader();
        const QString name = QStringLiteral("Optimizer state");
        int row = 0;
        while (header.model()->headerData(row, Qt::Vertical).toString() != name) {
            QVERIFY(++row < header.count());
        }
        const QImage picture = header.viewport()->grab().toImage();
        int first = -1;
        int last = -1;
        for (int y = header.sectionViewportPosition(row), end = y + header.sectionSize(row);
             y < end; ++y) {
            for (int x = 28; x < picture.width(); ++x) { // Behind the swatch.
                if (picture.pixelColor(x, y).lightness() < 140) {
                    first = first < 0 ? y : first;
                    last = y;
                }
            }
        }
        const int whole = QFontMetrics(header.font()).tightBoundingRect(name).height();
        QVERIFY2(last - first + 1 >= whole - 1,
                 qPrintable(QStringLiteral("%1 of %2").arg(last - first + 1).arg(whole)));
    }

    void theKeysThatAreListedAreTaken()
    {
        Page shown(test::sharedJob(4));
        shown.click(3);
        for (const KeyHelp& help : RankBands::keyHelp()) {
            if (help.hasKey()) {
                QKeyEvent press(QEvent::KeyPress, help.key.key(), help.key.keyboardModifiers());
                press.ignore();
                QCoreApplication::sendEvent(&shown.page.bands(), &press);
                QVERIFY2(press.isAccepted(), qPrintable(help.words));
            }
        }
    }

    void ofManyRanksOnlyTheVisibleArePainted()
    {
        Page shown(test::sharedJob(512, job::kCurvePoints));
        RankBands& bands = shown.page.bands();
        QCOMPARE(bands.lines().lines.size(), std::size_t{512});
        bands.viewport()->repaint();
        const int least = bands.viewport()->height() / bands.lineRect(0).height();
        QVERIFY(bands.paintedLines() >= least);
        QVERIFY2(bands.paintedLines() <= least + 2,
                 qPrintable(QString::number(bands.paintedLines())));
        bands.verticalScrollBar()->setValue(bands.verticalScrollBar()->maximum());
        bands.viewport()->repaint();
        QVERIFY(bands.paintedLines() <= least + 2);
        QVERIFY(bands.lineRect(511).bottom() <= bands.viewport()->height());
        QCOMPARE(shown.page.table().model().form(), RankForm::ranks);
    }

    void theAxisIsZoomed()
    {
        Page shown(test::sharedJob(4));
        RankBands& bands = shown.page.bands();
        auto* whole = shown.child<QToolButton>("wholeRun");
        QVERIFY(whole->isHidden());
        shown.press(Qt::Key_Plus);
        QVERIFY(bands.part().begin > 0 && bands.part().end < 1);
        QVERIFY(whole->isVisible());
        const double begin = bands.part().begin;
        shown.press(Qt::Key_Right);
        QVERIFY(bands.part().begin > begin);
        for (int i = 0; i < 40; ++i) {
            shown.press(Qt::Key_Right);
        }
        QCOMPARE(bands.part().end, 1.0); // And no further.
        QTest::mouseClick(whole, Qt::LeftButton);
        QVERIFY((bands.part() == Interval<double>{0, 1}));
        const QPointF at = bands.lineRect(0).center();
        QWheelEvent wheel(at, bands.viewport()->mapToGlobal(at), {}, {0, 240}, Qt::NoButton,
                          Qt::ControlModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(bands.viewport(), &wheel);
        QVERIFY(bands.part().end - bands.part().begin < 0.8);
        shown.page.setJob(test::sharedJob(4)); // While ranks arrive it stays.
        QVERIFY(bands.part().begin > 0);
    }

    void whatIsQuietIsLeftOut()
    {
        job::Job made = test::madeJob(4, 40);
        for (job::RankSummary& row : made.rows) {
            *row.first_time -= Duration{400'000};
        }
        Page shown(std::make_shared<const job::Job>(made));
        QVERIFY(shown.page.bands().part().begin > 0.8);
        auto* axes = shown.child<QTabBar>("jobAxes");
        QTest::mouseClick(axes, Qt::LeftButton, {}, axes->tabRect(1).center());
        QVERIFY((shown.page.bands().part() == Interval<double>{0, 1})); // Events are all busy.
    }

    void oneRankShowsItsDumpsInBytes()
    {
        job::Job made;
        for (int i = 0; i < 3; ++i) {
            made.rows.push_back(test::madeRank(0, {(i + 1) * 100 * kMiB.value}));
            made.rows.back().file = "step" + std::to_string(i);
            made.rows.back().moment.step = i;
        }
        made.deciding = {2};
        Page shown(std::make_shared<const job::Job>(made));
        QCOMPARE(shown.page.bands().lines().columns.size(), std::size_t{3});
        auto* tabs = shown.child<QTabBar>("rankTabs");
        QVERIFY(!tabs->isTabVisible(0));
        QCOMPARE(shown.page.table().model().index(2, 0).data().toString(), QStringLiteral("300.0"));
        shown.page.setJob(test::sharedJob(4)); // Others came.
        QVERIFY(tabs->isTabVisible(0));
        QCOMPARE(tabs->currentIndex(), 0);
        QCOMPARE(shown.page.bands().lines().columns.size(), std::size_t{1});
    }

    void theTableIsCopiedAsText()
    {
        Page shown(test::sharedJob(4));
        shown.page.table().view().setFocus();
        QTest::keyClick(&shown.page.table().view(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), shown.page.table().model().asText());
        auto* tabs = shown.child<QTabBar>("rankTabs");
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(1).center());
        QVERIFY(shown.page.table().model().asText().contains(QStringLiteral("Activations\t100.0")));
        QVERIFY(!tabs->isTabVisible(2)); // No coordinates.
    }

    void withoutTimesThereIsNoClock()
    {
        job::Job made = test::madeJob(4);
        for (job::RankSummary& row : made.rows) {
            row.first_time.reset();
            row.last_time.reset();
        }
        Page shown(std::make_shared<const job::Job>(made));
        auto* axes = shown.child<QTabBar>("jobAxes");
        QVERIFY(!axes->isTabVisible(0));
        QCOMPARE(shown.page.bands().axis(), JobAxis::event);
        // Once a rank with times is there it is shown.
        shown.page.setJob(test::sharedJob(4));
        QVERIFY(axes->isTabVisible(0));
        QCOMPARE(shown.page.bands().axis(), JobAxis::clock);
        QTest::mouseClick(axes, Qt::LeftButton, {}, axes->tabRect(1).center());
        QCOMPARE(shown.page.bands().axis(), JobAxis::event);
        shown.page.setJob(test::sharedJob(4)); // What a person chose stays.
        QCOMPARE(shown.page.bands().axis(), JobAxis::event);
    }

    void theSelectedRankStaysWhileRanksArrive()
    {
        Page shown(test::sharedJob(4));
        shown.click(3);
        job::Job made = test::madeJob(4);
        made.rows.insert(made.rows.begin(), test::madeRank(9, kMiB));
        made.deciding.clear();
        made.first.reset();
        made.outliers.clear();
        made.median.reset();
        shown.page.setJob(std::make_shared<const job::Job>(made));
        QCOMPARE(shown.page.bands().selected(), std::size_t{4});
        shown.page.setJob(nullptr);
        QCOMPARE(shown.page.bands().selected(), kNoRow);
        QVERIFY(!shown.page.grab().isNull());
    }

    void bandsHaveTheColoursOfTheBuckets()
    {
        Page shown(test::sharedJob(4));
        RankBands& bands = shown.page.bands();
        const QImage picture = bands.viewport()->grab().toImage();
        const QRect line = bands.lineRect(2);
        const auto has = [&](label::Bucket bucket) {
            const QRgb colour = bucketColour(bucket).rgb();
            for (int y = line.top(); y < line.bottom(); ++y) {
                if (picture.pixel(line.center().x(), y) == colour) {
                    return true;
                }
            }
            return false;
        };
        QVERIFY(has(label::Bucket::parameter));
        QVERIFY(has(label::Bucket::activation));
        QVERIFY(!has(label::Bucket::gradient));
        // The red line of the request that failed, in the last line alone.
        const auto reds = [&](std::size_t of) {
            int count = 0;
            const int y = bands.lineRect(of).center().y();
            for (int x = 0; x < picture.width(); ++x) {
                count += picture.pixel(x, y) == currentColours().danger.rgb() ? 1 : 0;
            }
            return count;
        };
        QVERIFY(reds(3) > 0);
        QCOMPARE(reds(2), 0);
    }
};

TIDEMARK_TEST(TstJobPage)

} // namespace tidemark::tst_job_page

#include "tst_job_page.moc"
