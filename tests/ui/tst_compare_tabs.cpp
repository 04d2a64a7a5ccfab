// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What lies beside what by hand, the tabs in diff form, several runs at once, and pairs as cases.
#include "core/report/pair_case.h"
#include "tests/support/test_main.h"
#include "tests/ui/compared_page.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/models/comparison_details.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/module_differences.h"
#include "ui/views/compare/align_band.h"
#include "ui/views/compare/compare_stacks.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/run_multiples.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QButtonGroup>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include <algorithm>

namespace tidemark::tst_compare_tabs {

using namespace tidemark::ui;
using tidemark::test::ComparedPage;
using tidemark::test::examplePath;
using tidemark::test::Opened;
using tidemark::test::press;
using tidemark::test::runOf;

namespace {

QAction* actionOf(ComparePage& page, const QString& words)
{
    const auto& actions = page.pageActions();
    const auto found = std::ranges::find_if(actions, [&](const QAction* action) {
        return QString(action->text()).remove(u'&').startsWith(words);
    });
    return found == actions.end() ? nullptr : *found;
}

} // namespace

class TstCompareTabs : public test::UiTest {
    Q_OBJECT

    static void wait(ComparedPage& shown)
    {
        QTRY_VERIFY_WITH_TIMEOUT(!shown.page.isBusy(), test::kPatience);
        Opened::settle();
    }

private Q_SLOTS:
    void keysLeadThroughTabsAndParts()
    {
        const QTemporaryDir folder;
        const QString other = folder.filePath(QStringLiteral("other.pickle"));
        QVERIFY(QFile::copy(examplePath(), other));
        Opened opened({1300, 860});
        opened.show();
        opened.open({examplePath(), other});
        opened.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&opened.window));
        QTRY_VERIFY(opened.window.isComparing());
        QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), test::kPatience);
        const auto* tabs = opened.child<QTabBar>("compareTabs");
        int there = 0;
        for (int i = 0; i < tabs->count(); ++i) {
            there += tabs->isTabVisible(i) ? 1 : 0;
        }
        QVERIFY(there < tabs->count()); // That of three and more is not.
        for (int i = 1; i <= there; ++i) {
            press(opened.window, Qt::Key_Tab, Qt::ControlModifier);
            QCOMPARE(tabs->currentIndex(), i % there);
        }
        press(opened.window, Qt::Key_Tab, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(tabs->currentIndex(), there - 1);
        press(opened.window, Qt::Key_Tab, Qt::ControlModifier);
        opened.window.comparePage().lanes().basePlot().setFocus();
        const auto step = [](Qt::KeyboardModifiers modifiers) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6, modifiers);
            return QApplication::focusWidget();
        };
        QVERIFY(opened.child<QWidget>("compareTablesCard")->isAncestorOf(step({})));
        QVERIFY(opened.child<QWidget>("compareAnswer")->isAncestorOf(step({})));
        QCOMPARE(step({}), static_cast<QWidget*>(&opened.window.comparePage().lanes().basePlot()));
        QVERIFY(opened.child<QWidget>("compareAnswer")->isAncestorOf(step(Qt::ShiftModifier)));
        QVERIFY(opened.window.isComparing());
    }
    void whatIsSaidOfTheCurrentFileIsSaidOfOneThatIsSeen()
    {
        const QTemporaryDir folder;
        QStringList paths{examplePath()};
        for (const char* name : {"second.pickle", "third.pickle"}) {
            paths << folder.filePath(QString::fromLatin1(name));
            QVERIFY(QFile::copy(examplePath(), paths.back()));
        }
        Opened opened({1300, 860});
        opened.show();
        opened.open(paths);
        const std::vector<OpenFile>& files = opened.session.files();
        const FileId second = files[1].id;
        const FileId third = files[2].id;
        opened.window.showFile(files[0].id);
        opened.window.compareFiles(second, third);
        QCOMPARE(opened.window.currentFile(), second);
        auto* copy = opened.child<QAction>("copyFinding");
        QGuiApplication::clipboard()->clear();
        if (opened.window.comparePage().isBusy()) {
            copy->trigger(); // That is not known yet, and no other finding is copied instead.
            QVERIFY(QGuiApplication::clipboard()->text().isEmpty());
        }
        QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), test::kPatience);
        copy->trigger();
        const QString finding = QGuiApplication::clipboard()->text();
        const QString headline = opened.child<QLabel>("compareHeadline")->text();
        QVERIFY2(finding.startsWith(QStringLiteral("**B and C ")), qPrintable(finding));
        QVERIFY(headline.startsWith(QStringLiteral("B and C ")));
        QVERIFY(finding.contains(QStringLiteral("B: second.pickle")));
        QVERIFY(finding.contains(QStringLiteral("C: third.pickle")));
        opened.preferences.setRedacts(true);
        copy->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(QGuiApplication::clipboard()->text() != finding, test::kPatience);
        const QString other = QGuiApplication::clipboard()->text();
        QVERIFY2(other.startsWith(QStringLiteral("**B and C ")), qPrintable(other));
        QVERIFY(other.contains(QStringLiteral("names replaced")));
        // It closes the one that is held against the other, not one that is not seen.
        opened.child<QAction>("close")->trigger();
        Opened::settle();
        QCOMPARE(files.size(), std::size_t{2});
        QVERIFY(opened.session.find(third) == nullptr);
        QVERIFY(opened.session.find(second) != nullptr);
    }
    void linesOutOfSightAreNotDrawn()
    {
        ComparedPage shown;
        shown.compare();
        const AlignBand& band = shown.lanes().alignment();
        const std::size_t middle = band.moments().size() / 2;
        QVERIFY(band.lineOf(middle).has_value());
        ViewState& base = shown.lanes().baseState();
        const double x = base.axisMap().toX(band.moments()[middle].a);
        const ViewState& against = shown.lanes().againstState();
        // It began just before what is seen, and is the state at the edge all the same.
        base.setRange({x + 0.5, x + 100});
        QCOMPARE(base.range().begin, x + 0.5);
        QCOMPARE(against.range(), base.range());
        QVERIFY(!band.lineOf(middle).has_value());
        base.setRange({x - 0.5, x + 100});
        QVERIFY(band.lineOf(middle).has_value());
    }
    void aBoundaryIsDraggedToWhereItBelongs()
    {
        ComparedPage shown;
        shown.compare();
        AlignBand& band = shown.lanes().alignment();
        QVERIFY(band.isVisible());
        QVERIFY(band.moments().size() > 3);
        const std::size_t middle = band.moments().size() / 2;
        const compare::MatchedMoment before = band.moments()[middle];
        const auto line = band.lineOf(middle);
        QVERIFY(line.has_value());
        QCOMPARE(line->x1(), line->x2()); // On the shared axis they stand upright.
        test::drag(band, line->p2() - QPointF(0, 1), line->p2() + QPointF(40, -1));
        wait(shown);
        const auto by_hand = shown.page.comparer().result()->by_hand;
        QCOMPARE(by_hand.pairs.size(), 1UL);
        QCOMPARE(by_hand.pairs[0].a, before.a);
        QVERIFY(by_hand.pairs[0].b > before.b);
        // It is so on the axis, too, and everything still rises.
        const ViewState& base = shown.lanes().baseState();
        const ViewState& against = shown.lanes().againstState();
        QCOMPARE(base.axisMap().toX(by_hand.pairs[0].a), against.axisMap().toX(by_hand.pairs[0].b));
        QVERIFY(std::ranges::is_sorted(band.moments(), {}, &compare::MatchedMoment::b));
        press(band, Qt::Key_Escape);
        wait(shown);
        QVERIFY(shown.page.comparer().result()->by_hand.pairs.empty());
    }

    void aLineIsMovedByKeys()
    {
        ComparedPage shown;
        shown.compare();
        AlignBand& band = shown.lanes().alignment();
        QSignalSpy aligned(&band, &AlignBand::aligned);
        press(band, Qt::Key_Right);
        press(band, Qt::Key_Right);
        const compare::MatchedMoment before = band.moments()[1];
        press(band, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(aligned.size(), 1);
        wait(shown);
        const auto pairs = shown.page.comparer().result()->by_hand.pairs;
        QCOMPARE(pairs.size(), 1UL);
        QCOMPARE(pairs[0].a, before.a);
        QCOMPARE(pairs[0].b.value, before.b.value + 1);
        QAction* const found = actionOf(shown.page, QStringLiteral("Reset Alignment"));
        QVERIFY(found != nullptr && found->isEnabled());
        found->trigger();
        wait(shown);
        QVERIFY(shown.page.comparer().result()->by_hand.pairs.empty() && !found->isEnabled());
    }

    void altAndADragShiftTheSecondRun()
    {
        ComparedPage shown;
        shown.compare();
        TimelinePlot& plot = shown.lanes().againstPlot();
        const QPointF middle = plot.bandRect().center();
        test::drag(plot, middle, middle + QPointF(60, 0), Qt::AltModifier);
        wait(shown);
        const auto runs = shown.page.comparer().result();
        QVERIFY(runs->by_hand.is_shift);
        QCOMPARE(runs->by_hand.pairs.size(), 1UL);
        // From there on one event is one unit in both.
        const StateId a = runs->by_hand.pairs[0].a;
        const StateId b = runs->by_hand.pairs[0].b;
        const auto& in_a = shown.lanes().baseState().axisMap();
        const auto& in_b = shown.lanes().againstState().axisMap();
        QCOMPARE(in_a.toX(a), in_b.toX(b));
        QCOMPARE(in_a.toX({a.value + 5}), in_b.toX({b.value + 5}));
    }

    void theStacksOfBothRunsAreOneIcicle()
    {
        ComparedPage shown;
        shown.compare();
        shown.page.tables().showTab(CompareTables::stacks);
        wait(shown);
        const auto united = shown.page.tables().stacksPage().icicle().united();
        QVERIFY(united != nullptr);
        const auto& parts = shown.page.comparer().result()->difference.parts;
        QCOMPARE(united->a[0].bytes, shown.base.curves().replay().activeAt(parts.at_a).value);
        QCOMPARE(united->b[0].bytes, shown.against.curves().replay().activeAt(parts.at_b).value);
        DifferenceIcicle& icicle = shown.page.tables().stacksPage().icicle();
        icicle.choose(1);
        QVERIFY(shown.lanes().baseState().selected() == united->a[1].largest);
        QVERIFY(shown.lanes().againstState().selected() == united->b[1].largest);
        QVERIFY(icicle.accessibleDescription().contains(QStringLiteral("C − A")));
    }

    void theOtherTabsAreTablesOfBothRuns()
    {
        ComparedPage shown;
        shown.compare();
        shown.page.tables().showTab(CompareTables::steps);
        wait(shown);
        auto* steps = shown.child<QTableView>("compareSteps");
        QVERIFY(steps->model()->rowCount() > 4);
        qint64 largest = 0;
        for (int row = 0; row < steps->model()->rowCount(); ++row) {
            largest = std::max(largest, test::bytesIn(*steps, row, 3));
        }
        QCOMPARE(largest, shown.page.comparer().result()->difference.headline.peak_b.value);
        // The model is a tree: each module holds what is in it, and no name repeats its parent's.
        auto* modules = shown.child<QTreeView>("compareModules");
        const QAbstractItemModel& tree = *modules->model();
        const auto bytes = [](const QModelIndex& index, int column) {
            return index.siblingAtColumn(column).data(BytesRole).toLongLong();
        };
        const auto& parts = shown.page.comparer().result()->difference.parts;
        qint64 base = 0;
        qint64 delta = 0;
        for (int row = 0; row < tree.rowCount(); ++row) {
            const QModelIndex index = tree.index(row, 0);
            base += bytes(index, ModuleDifferencesModel::Base);
            delta += bytes(index, ModuleDifferencesModel::Delta);
            for (int i = 0; i < tree.rowCount(index); ++i) {
                const QModelIndex child = tree.index(i, 0, index);
                QVERIFY(!child.data().toString().startsWith(index.data().toString()));
                QVERIFY(bytes(child, ModuleDifferencesModel::Base)
                        <= bytes(index, ModuleDifferencesModel::Base));
            }
        }
        const Bytes at_a = shown.base.curves().replay().activeAt(parts.at_a);
        QCOMPARE(base, at_a.value);
        QCOMPARE(delta, (shown.against.curves().replay().activeAt(parts.at_b) - at_a).value);
        // What the other run has is tried in the base, and comes near what that one needs.
        const QTableView& fixes = *shown.child<QTableView>("compareFixes");
        QVERIFY(fixes.model()->rowCount() > 0);
        const QString first = fixes.model()->index(0, 0).data().toString();
        QVERIFY2(first.startsWith(QStringLiteral("As in C:")), qPrintable(first));
        int all = 0;
        while (fixes.model()->index(all + 1, 1).data().toString() == QStringLiteral("tried")) {
            ++all;
        }
        const double near = static_cast<double>(test::bytesIn(fixes, all, 2))
            / static_cast<double>(test::bytesIn(fixes, all, 4));
        QVERIFY2(near > 0.8 && near < 1.25, qPrintable(QString::number(near)));
    }

    void thePredictionStandsBesideTheMeasurement()
    {
        const ComparedRuns runs =
            compareRuns(runOf({}, QStringLiteral("A")),
                        runOf({.sequence = 256}, QStringLiteral("B")), {}, {}, {});
        const auto [words, table] = predictionOf(runs);
        QCOMPARE(words,
                 QStringLiteral("Predicted from A with sequence=2, next to what B measured."));
        QVERIFY(!table.rows.empty());
        const TextRow& total = table.rows.back();
        QCOMPARE(total.cells[1].bytes->value, runs.difference.headline.peak_a.value);
        QCOMPARE(total.cells[3].bytes->value, runs.difference.headline.peak_b.value);
        const double miss = static_cast<double>(total.cells[2].bytes->value)
            / static_cast<double>(total.cells[3].bytes->value);
        QVERIFY2(miss > 0.9 && miss < 1.1, qPrintable(QString::number(miss)));
        // What is no change that can be predicted has none.
        QVERIFY(predictionOf(compareRuns(runOf({}, QStringLiteral("A")),
                                         runOf({.hidden = 640}, QStringLiteral("B")), {}, {}, {}))
                    .table.rows.empty());
    }

    void aPlaceIsKeptOnTop()
    {
        ComparedPage shown;
        shown.compare();
        auto* places = shown.child<QTableView>("comparePlaces");
        const auto titleOf = [places](int row) {
            return places->model()->index(row, 1).data().toString();
        };
        const QString third = titleOf(2);
        places->setCurrentIndex(places->model()->index(2, 0));
        QAction* const keep = actionOf(shown.page, QStringLiteral("Pin Row"));
        QVERIFY(keep != nullptr);
        keep->trigger();
        QCOMPARE(titleOf(0), QString(QStringLiteral("• ") + third));
        const int rows = places->model()->rowCount();
        shown.child<QToolButton>("placeFilter3")->click();
        QCOMPARE(titleOf(0), QString(QStringLiteral("• ") + third)); // Whatever is filtered.
        shown.child<QToolButton>("placeFilter0")->click();
        QCOMPARE(places->model()->rowCount(), rows);
        places->setCurrentIndex(places->model()->index(0, 0));
        keep->trigger();
        QVERIFY(!titleOf(0).startsWith(u'•'));
    }

    void movedAndRelabelledPlacesHaveChips()
    {
        ComparedRuns runs = compareRuns(runOf({}, QStringLiteral("A")),
                                        runOf({.sequence = 256}, QStringLiteral("B")), {}, {}, {});
        QVERIFY(placesTable(runs, PlaceFilter::moved_phase).rows.empty());
        QVERIFY(placesTable(runs, PlaceFilter::relabelled).rows.empty());
        compare::PlaceDifference& place = runs.difference.parts.places.front();
        QVERIFY(place.count_a > 0 && place.count_b > 0);
        place.moved = {label::Phase::forward, label::Phase::backward};
        place.bucket_a = label::Bucket::unknown;
        for (const PlaceFilter filter : {PlaceFilter::moved_phase, PlaceFilter::relabelled}) {
            const TextTable table = placesTable(runs, filter);
            QCOMPARE(table.rows.size(), 2UL); // With what they are together.
            const QString told = table.rows[0].cells.back().text;
            QVERIFY(told.contains(QStringLiteral("forward → backward")));
            QVERIFY(told.contains(QStringLiteral("was unknown")));
        }
    }

    void threeRunsAreSmallMultiples()
    {
        ComparedPage shown;
        shown.compare();
        QAction* const all = actionOf(shown.page, QStringLiteral("All Runs"));
        QVERIFY(all != nullptr && !all->isEnabled());
        const ComparedRun third = runOf({.batch = 8}, QStringLiteral("D"));
        shown.page.setRuns({{1, QStringLiteral("one"), shown.base},
                            {2, QStringLiteral("two"), shown.against},
                            {3, QStringLiteral("three & more"), third}});
        QVERIFY(all->isEnabled());
        all->trigger();
        Opened::settle();
        auto* multiples = shown.child<RunMultiples>("runMultiples");
        QVERIFY(multiples->isVisible() && !shown.lanes().isVisible());
        QCOMPARE(multiples->cellCount(), 3UL);
        // One scale of bytes and one axis.
        for (std::size_t i = 1; i < 3; ++i) {
            QCOMPARE(multiples->plot(i).yAxis->range().upper,
                     multiples->plot(0).yAxis->range().upper);
            QCOMPARE(multiples->plot(i).xAxis->range().upper,
                     multiples->plot(0).xAxis->range().upper);
        }
        auto* tabs = shown.child<QTabBar>("compareTabs");
        QVERIFY(tabs->isTabVisible(CompareTables::all_runs));
        auto* table = shown.child<QTableView>("compareRuns");
        QCOMPARE(table->model()->rowCount(), 3);
        const auto peak = [](const ComparedRun& run) {
            return run.curves().replay().activeAt(run.curves().replay().peak).value;
        };
        QCOMPARE(test::bytesIn(*table, 2, 1), peak(third));
        QCOMPARE(test::bytesIn(*table, 2, 2), peak(third) - peak(shown.base));
        QSignalSpy chosen(&shown.page, &ComparePage::againstChosen);
        for (auto* title : multiples->findChildren<QToolButton*>()) {
            if (title->text().startsWith(QStringLiteral("three"))) {
                title->click();
            }
        }
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toULongLong(), 3ULL);
        shown.page.setRuns(
            {{1, QStringLiteral("one"), shown.base}, {2, QStringLiteral("two"), shown.against}});
        QVERIFY(shown.lanes().isVisible() && !tabs->isTabVisible(CompareTables::all_runs));
    }

    void aPairIsSavedAsACase()
    {
        const QTemporaryDir folder;
        const QString other = folder.filePath(QStringLiteral("second.pickle"));
        QVERIFY(QFile::copy(examplePath(), other));
        Opened opened({1200, 760});
        opened.show();
        opened.open({examplePath()});
        opened.open({other});
        QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), test::kPatience);
        const QString path = folder.filePath(QStringLiteral("same.case.json"));
        QVERIFY(opened.window.saveCase(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject saved = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(saved[QStringLiteral("b")].toString(), QStringLiteral("second.pickle"));
        QVERIFY(QFile::exists(folder.filePath(saved[QStringLiteral("a")].toString())));
        QCOMPARE(saved[QStringLiteral("apply")].toString(), QString());
        QCOMPARE(saved[QStringLiteral("unexplained_bytes")].toInteger(), 0LL);
        QCOMPARE(saved[QStringLiteral("peak_requested_before")].toInteger(),
                 saved[QStringLiteral("peak_requested_after")].toInteger());
        QVERIFY(!opened.window.saveCase(other)); // Not onto one of the files.
    }
};

TIDEMARK_TEST(TstCompareTabs)

} // namespace tidemark::tst_compare_tabs

#include "tst_compare_tabs.moc"
