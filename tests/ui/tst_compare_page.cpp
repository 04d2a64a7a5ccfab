// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// Two runs held against each other: the answer, the tables, files and letters.
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui/compared_page.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/selection.h"
#include "ui/views/compare/compare_tables.h"
#include "ui/views/compare/delta_lane.h"
#include "ui/views/compare/run_edge.h"
#include "ui/views/timeline/timeline_plot.h"

#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtGui/QImage>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include <algorithm>
#include <memory>

namespace tidemark::tst_compare_page {

using namespace tidemark::ui;
using test::bytesIn;
using test::kPatience;
using test::press;
using test::runOf;
using Shown = test::ComparedPage;

class TstComparePage : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void theAnswerStandsAboveAndIsTheHeadline();
    void sentencesLeadToWhatTheySpeakOf();
    void theNextDifferenceIsFoundByKey();
    void everyRowLightsUpItsBytesAlone();
    void everyTabHasItsTable();
    void otherMomentsAreCompared();
    void theCursorSaysWhatBothRunsHoldThere();
    void warningsAreSeen();
    void threeFilesKeepTheirLetters();
    void everyTabIsAView();
    void aFileOpenedByItselfIsNotCompared();
    void aWindowClosesWhileItCompares();
    void realRunsAddUpToTheByte();
};

void TstComparePage::theAnswerStandsAboveAndIsTheHeadline()
{
    Shown shown;
    shown.compare();
    const auto& runs = shown.page.comparer().result();
    QVERIFY(runs != nullptr);
    QCOMPARE(shown.child<QLabel>("compareHeadline")->text(),
             QString::fromStdString(runs->difference.sentences.front().text));
    QVERIFY(
        shown.child<QLabel>("compareHeadline")->text().startsWith(QStringLiteral("C peaks at")));
    // At most three causes, whatever there is.
    const auto labels = shown.page.findChildren<SentenceLabel*>();
    const auto causes = std::ranges::count_if(labels, [](const SentenceLabel* label) {
        return label->toolTip().contains(QStringLiteral("of the difference"))
            && !label->toolTip().startsWith(QStringLiteral("Unexplained"));
    });
    QVERIFY(causes >= 1 && causes <= 3);
    QCOMPARE(shown.child<RunEdge>("baseLetter")->letter(), QStringLiteral("A"));
    // The total of the table is the headline, to the byte.
    const QTableView& table = *shown.child<QTableView>("comparePlaces");
    const int last = table.model()->rowCount() - 1;
    QCOMPARE(bytesIn(table, last, 5), qint64{runs->difference.headline.delta().value});
}

void TstComparePage::sentencesLeadToWhatTheySpeakOf()
{
    Shown shown;
    shown.compare();
    auto* tabs = shown.child<QTabBar>("compareTabs");
    QLabel* cause = shown.sentence(QStringLiteral("of the difference"));
    QVERIFY(cause != nullptr);
    QTest::mouseClick(cause, Qt::LeftButton);
    QCOMPARE(tabs->currentIndex(), int{CompareTables::explained});
    QVERIFY(shown.child<QTableView>("compareChanges")->currentIndex().isValid());
    QLabel* equal = shown.sentence(QStringLiteral("Equal to the byte"));
    QVERIFY(equal != nullptr);
    equal->setFocus();
    press(*equal, Qt::Key_Return);
    QCOMPARE(tabs->currentIndex(), int{CompareTables::differences});
    const QTableView& places = *shown.child<QTableView>("comparePlaces");
    QCOMPARE(bytesIn(places, 0, 5), qint64{0});
    QTest::mouseClick(shown.child<QLabel>("compareHeadline"), Qt::LeftButton);
    const auto& parts = shown.page.comparer().result()->difference.parts;
    QCOMPARE(shown.lanes().baseState().cursor().value, parts.at_a.value);
    QCOMPARE(shown.lanes().againstState().cursor().value, parts.at_b.value);
}

void TstComparePage::theNextDifferenceIsFoundByKey()
{
    Shown shown;
    shown.compare();
    for (QAction* action : shown.page.pageActions()) {
        shown.page.addAction(action);
    }
    QTableView& table = *shown.child<QTableView>("comparePlaces");
    const auto& places = shown.page.comparer().result()->difference.parts.places;
    press(shown.page, Qt::Key_N);
    QCOMPARE(table.currentIndex().row(), 0);
    const auto& first = places.front();
    QVERIFY(!first.ids_b.empty());
    const auto& parts = shown.page.comparer().result()->difference.parts;
    QCOMPARE(shown.lanes().baseState().cursor().value, parts.at_a.value);
    QCOMPARE(shown.lanes().againstState().cursor().value, parts.at_b.value);
    // Either lane says of which run it speaks.
    QVERIFY(shown.lanes().basePlot().accessibleName().startsWith(QStringLiteral("Run A:")));
    QVERIFY(shown.lanes().againstPlot().accessibleName().startsWith(QStringLiteral("Run C:")));
    // Its bytes are lit up in both lanes.
    const auto lit = [](const ViewState& state, StateId at) {
        const auto selection = state.selector().selection();
        return selection ? label::totalOf(selection->bytes.at(at)) : 0;
    };
    QCOMPARE(lit(shown.lanes().againstState(), parts.at_b), first.b.value);
    QCOMPARE(lit(shown.lanes().baseState(), parts.at_a), first.a.value);
    QCOMPARE(shown.lanes().againstState().selected().value, first.ids_b.front().value);
    // Where both make it: the program's own frames, and those of libraries with a click.
    auto* stacks = shown.child<QTableView>("compareStacks");
    const QModelIndex fold = stacks->model()->index(stacks->model()->rowCount() - 1, 0);
    QVERIFY(fold.data().toString().startsWith(QStringLiteral("▸")));
    const int own = fold.row();
    stacks->scrollTo(fold);
    QTest::mouseClick(stacks->viewport(), Qt::LeftButton, {}, stacks->visualRect(fold).center());
    QVERIFY(stacks->model()->rowCount() > own + 1);
    // The stacks take room, but none that a bucket's name needs.
    const auto& buckets = *shown.child<QTableView>("compareBuckets");
    test::Opened::settle();
    QVERIFY(buckets.columnWidth(0)
            >= static_cast<const QAbstractItemView&>(buckets).sizeHintForColumn(0));
    // By mouse, too, the moment stays.
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(table.model()->index(1, 1)).center());
    QCOMPARE(shown.lanes().baseState().cursor().value, parts.at_a.value);
    QTest::mouseClick(table.viewport(), Qt::LeftButton, {},
                      table.visualRect(table.model()->index(0, 1)).center());
    press(shown.page, Qt::Key_N);
    QCOMPARE(table.currentIndex().row(), 1);
    press(shown.page, Qt::Key_N, Qt::ShiftModifier);
    press(shown.page, Qt::Key_N, Qt::ShiftModifier);
    QVERIFY(table.currentIndex().row() > 1); // Round the end, and not on what follows the places.
    QVERIFY(bytesIn(table, table.currentIndex().row(), 5) != 0);
}

/// Several rows may be of one line and bucket: each marks what it says, and what is made like it in
/// other steps.
void TstComparePage::everyRowLightsUpItsBytesAlone()
{
    Shown shown;
    shown.compare();
    const compare::Attribution& parts = shown.page.comparer().result()->difference.parts;
    bool has_more = false;
    for (std::size_t i = 0; i < parts.places.size(); ++i) {
        Q_EMIT shown.page.tables().placeChosen(i);
        const auto check = [&](const ViewState& state, StateId at, Bytes bytes,
                               const std::vector<AllocationId>& ids) {
            QTRY_VERIFY(!state.selector().isBusy());
            const auto selection = state.selector().selection();
            QCOMPARE(selection != nullptr, !ids.empty());
            if (selection != nullptr) {
                QCOMPARE(label::totalOf(selection->bytes.at(at)), bytes.value);
                has_more = has_more || selection->ids.size() > ids.size();
            }
        };
        const compare::PlaceDifference& place = parts.places[i];
        check(shown.lanes().baseState(), parts.at_a, place.a, place.ids_a);
        check(shown.lanes().againstState(), parts.at_b, place.b, place.ids_b);
    }
    QVERIFY(has_more);
}

void TstComparePage::everyTabHasItsTable()
{
    Shown shown;
    shown.compare();
    auto* tabs = shown.child<QTabBar>("compareTabs");
    // The tab of the stacks has none, and that of all runs is there for three and more.
    const std::vector<const char*> names{
        "comparePlaces", "compareChanges",    nullptr,           "compareModules",  "compareSteps",
        "compareFixes",  "comparePrediction", "compareSettings", "compareAllocator"};
    QCOMPARE(tabs->count(), static_cast<int>(names.size()) + 1);
    QVERIFY(!tabs->isTabVisible(CompareTables::all_runs));
    for (int i = 0; i < static_cast<int>(names.size()); ++i) {
        const char* const name = names[static_cast<std::size_t>(i)];
        QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(i).center());
        QTRY_VERIFY_WITH_TIMEOUT(!shown.page.isBusy(), test::kPatience);
        if (name != nullptr) {
            auto* table = shown.child<QAbstractItemView>(name);
            QVERIFY2(table->isVisible(), name);
            QVERIFY(table->model()->rowCount() > 1);
        }
    }
    // A filter says how many it lists, and cannot be chosen where it would list none.
    tabs->setCurrentIndex(CompareTables::differences);
    const auto* chip = shown.child<QToolButton>("placeFilter1");
    const auto& runs = *shown.page.comparer().result();
    QVERIFY(chip->text().startsWith(QStringLiteral("only in A")));
    for (int i = 0; i <= static_cast<int>(PlaceFilter::equal); ++i) {
        auto* each = shown.child<QToolButton>(qPrintable(QStringLiteral("placeFilter%1").arg(i)));
        const auto count = countPlaces(runs, static_cast<PlaceFilter>(i));
        QVERIFY(each->text().endsWith(QString::number(count)));
        QCOMPARE(!each->isHidden(), count > 0 || i == 0);
        if (!each->isHidden() && i > 0) {
            QTest::mouseClick(each, Qt::LeftButton);
            const int rows = shown.child<QTableView>("comparePlaces")->model()->rowCount();
            QCOMPARE(rows, static_cast<int>(count) + 1); // With what they are together.
        }
    }
}

void TstComparePage::otherMomentsAreCompared()
{
    Shown shown;
    shown.compare();
    auto* choice = shown.child<QComboBox>("momentChoice");
    const int forward = choice->findText(QStringLiteral("forward"), Qt::MatchContains);
    QVERIFY(forward > 0);
    choice->setCurrentIndex(forward);
    Q_EMIT choice->activated(forward);
    QTRY_VERIFY_WITH_TIMEOUT(!shown.page.isBusy(), kPatience);
    const auto runs = shown.page.comparer().result();
    QVERIFY(runs->moment.phase == label::Phase::forward);
    const QTableView& table = *shown.child<QTableView>("comparePlaces");
    const int last = table.model()->rowCount() - 1;
    QCOMPARE(bytesIn(table, last, 5), qint64{(runs->againstBytes() - runs->baseBytes()).value});
    // At the cursor: follows it once it stands still.
    const int cursor = choice->findText(QStringLiteral("the cursor"));
    choice->setCurrentIndex(cursor);
    Q_EMIT choice->activated(cursor);
    QTRY_VERIFY_WITH_TIMEOUT(!shown.page.isBusy(), kPatience);
    shown.lanes().baseState().setCursor(StateId{40});
    QTRY_COMPARE_WITH_TIMEOUT(shown.page.comparer().result()->difference.parts.at_a.value, 40U,
                              kPatience);
    QCOMPARE(choice->currentIndex(), cursor);
}

void TstComparePage::theCursorSaysWhatBothRunsHoldThere()
{
    Shown shown;
    shown.compare();
    ViewState& base = shown.lanes().baseState();
    base.setCursor(base.replay().peak);
    QTest::qWait(40); // It follows at a bounded rate.
    test::Opened::settle();
    QVERIFY(shown.child<QLabel>("compareCursorTitle")->text().contains(QStringLiteral("step")));
    const QTableView& table = *shown.child<QTableView>("compareBuckets");
    const int total = table.model()->rowCount() - 2;
    QCOMPARE(bytesIn(table, total, 1), qint64{base.replay().activeAt(base.cursor()).value});
    const ViewState& against = shown.lanes().againstState();
    QCOMPARE(bytesIn(table, total, 2), qint64{against.replay().activeAt(against.cursor()).value});
    QVERIFY(shown.child<QLabel>("compareCursorWhere")->text().contains(QStringLiteral("matched")));
    // The bars take no room that the names need.
    const int bars = table.model()->columnCount() - 1;
    for (const int width : {1300, 1440, 1600, 2200}) {
        shown.page.resize(width, 860);
        test::Opened::settle();
        const int name = static_cast<const QAbstractItemView&>(table).sizeHintForColumn(0);
        QVERIFY(table.isColumnHidden(bars) || table.columnWidth(0) >= name);
    }
    QVERIFY(!table.isColumnHidden(bars));
}

void TstComparePage::warningsAreSeen()
{
    Shown shown;
    shown.against = runOf({.hidden = 384, .feed_forward = 1100, .heads = 6, .vocabulary = 3000},
                          QStringLiteral("B"));
    shown.compare();
    auto* label = shown.child<QLabel>("compareWarnings");
    QVERIFY(label != nullptr);
    QVERIFY(label->isVisible());
    QVERIFY(label->text().contains(QStringLiteral("different models")));
}

void TstComparePage::threeFilesKeepTheirLetters()
{
    const QTemporaryDir folder;
    QStringList paths;
    for (const char* name : {"run-one.pickle", "run-two.pickle", "run-three.pickle"}) {
        paths << folder.filePath(QString::fromLatin1(name));
        QVERIFY(QFile::copy(test::examplePath(), paths.back()));
    }
    test::Opened opened({1400, 860});
    opened.show();
    opened.window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&opened.window));
    opened.open(paths);
    MainWindow& window = opened.window;
    QVERIFY(window.isComparing());
    QTRY_VERIFY_WITH_TIMEOUT(!window.comparePage().isBusy(), kPatience);
    const auto letter_of = [&](FileId id) { return opened.session.find(id)->letter; };
    const auto& files = opened.session.files();
    QCOMPARE(letter_of(files[0].id) % letter_of(files[1].id) % letter_of(files[2].id),
             QStringLiteral("ABC"));
    QCOMPARE(letter_of(window.baseFile()), QStringLiteral("A"));
    QCOMPARE(letter_of(window.againstFile()), QStringLiteral("C"));
    auto* choice = opened.child<QComboBox>("baseChoice");
    QVERIFY(choice->isVisible());
    QCOMPARE(choice->count(), 3);
    QCOMPARE(choice->itemText(1), QStringLiteral("B  two"));
    // Another base; the letters of the view are those of the files.
    Q_EMIT choice->activated(1);
    test::Opened::settle();
    QCOMPARE(letter_of(window.baseFile()), QStringLiteral("B"));
    QCOMPARE(opened.child<RunEdge>("baseLetter")->letter(), QStringLiteral("B"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.comparePage().isBusy(), kPatience);
    QVERIFY(opened.child<QLabel>("compareHeadline")->text().startsWith(QStringLiteral("B and C")));
    const QTableView& places = *opened.child<QTableView>("comparePlaces");
    QCOMPARE(places.model()->headerData(3, Qt::Horizontal).toString().section(u',', 0, 0),
             QStringLiteral("B"));
    // Swapped, each keeps its letter.
    press(window, Qt::Key_X);
    QCOMPARE(letter_of(window.baseFile()), QStringLiteral("C"));
    QCOMPARE(letter_of(window.againstFile()), QStringLiteral("B"));
    QTRY_VERIFY_WITH_TIMEOUT(!window.comparePage().isBusy(), kPatience);
    QVERIFY(opened.child<QLabel>("compareHeadline")->text().startsWith(QStringLiteral("C and B")));
    // Looked at alone and back: the same two at the same place, and nothing is computed again.
    ViewState& state = window.comparePage().lanes().baseState();
    state.setRange({100, 400});
    const auto before = window.comparePage().comparer().result();
    press(window, Qt::Key_C);
    QVERIFY(!window.isComparing());
    press(window, Qt::Key_X); // Keys of a page that is not seen do nothing.
    QVERIFY(!window.isComparing());
    press(window, Qt::Key_C);
    QCOMPARE(letter_of(window.baseFile()), QStringLiteral("C"));
    QVERIFY((state.range() == Interval<double>{100, 400}));
    QCOMPARE(window.comparePage().comparer().result(), before);
    // A file that goes takes its letter along; a new one may have it.
    opened.session.remove(files[0].id);
    test::Opened::settle();
    QCOMPARE(opened.session.files()[0].letter, QStringLiteral("B"));
    QVERIFY(opened.child<QWidget>("fileChip_A") == nullptr);
    QVERIFY(opened.child<QWidget>("fileChip_C") != nullptr);
    QVERIFY(!opened.child<QComboBox>("baseChoice")->isVisible());
    opened.session.addFiles({paths[0]});
    QCOMPARE(opened.session.files().back().letter, QStringLiteral("A"));
    opened.session.cancelAll();
}

void TstComparePage::everyTabIsAView()
{
    const QTemporaryDir folder;
    QStringList paths{test::examplePath()};
    test::Opened opened({1300, 800});
    opened.show();
    opened.open(paths);
    for (const QString& view : MainWindow::comparisonViewNames()) {
        QVERIFY(!opened.window.showView(view, false)); // One file is nothing to compare.
    }
    for (int i = 0; i < 2; ++i) {
        paths << folder.filePath(QStringLiteral("copy%1.pickle").arg(i));
        QVERIFY(QFile::copy(test::examplePath(), paths.back()));
    }
    opened.open({paths[1]});
    const QStringList views = MainWindow::comparisonViewNames();
    for (const QString& view : views) {
        QCOMPARE(opened.window.showView(view, false), view != views.back());
    }
    opened.open({paths[2]});
    QVERIFY(opened.window.showView(views.back(), false)); // The table of all runs.
    const auto& tabs = *opened.child<QTabBar>("compareTabs");
    QCOMPARE(tabs.count(), static_cast<int>(views.size()));
    QCOMPARE(tabs.currentIndex(), static_cast<int>(views.size()) - 1);
    QVERIFY(!opened.window.showView(QStringLiteral("compare-none"), false));
}

void TstComparePage::aFileOpenedByItselfIsNotCompared()
{
    const QTemporaryDir folder;
    const QString other = folder.filePath(QStringLiteral("other.pickle"));
    QVERIFY(QFile::copy(test::examplePath(), other));
    test::Opened opened({1300, 800});
    opened.show();
    opened.open({test::examplePath()});
    opened.window.openFiles({other}, MainWindow::Opened::alone);
    QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
    test::Opened::settle();
    QVERIFY(!opened.window.isComparing());
    QCOMPARE(opened.window.currentFile(), opened.session.files()[1].id);
    // Compared all the same when that is asked for: with the file that was there first.
    opened.window.setComparing(true);
    QCOMPARE(opened.window.baseFile(), opened.session.files()[0].id);
    QCOMPARE(opened.window.againstFile(), opened.session.files()[1].id);
    const QString example = QFileInfo(test::examplePath()).fileName();
    QCOMPARE(opened.window.windowTitle(),
             QStringLiteral("%1 vs. other.pickle – Tidemark").arg(example));
}

void TstComparePage::aWindowClosesWhileItCompares()
{
    auto shown = std::make_unique<Shown>();
    shown->page.show(shown->base, shown->against);
    QVERIFY(shown->page.isBusy());
    shown.reset(); // Stops and joins.
    // What is replaced before it is finished never arrives.
    Shown other;
    other.page.show(other.base, other.against);
    other.page.clear();
    QVERIFY(!other.page.isBusy());
    QTest::qWait(50);
    QVERIFY(other.page.comparer().result() == nullptr);
    QVERIFY(!other.page.isShowing());
}

void TstComparePage::realRunsAddUpToTheByte()
{
    const auto folder = test::ownData() / "modern";
    test::Opened opened({1024, 700});
    opened.show();
    opened.open({QString::fromStdString((folder / "hf_llama.pickle.xz").string()),
                 QString::fromStdString((folder / "hf_llama_eager.pickle.xz").string())});
    QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), kPatience);
    const auto& runs = opened.window.comparePage().comparer().result();
    QVERIFY(runs != nullptr);
    const QTableView& table = *opened.child<QTableView>("comparePlaces");
    qint64 sum = 0;
    const int last = table.model()->rowCount() - 1;
    for (int row = 0; row < last; ++row) {
        sum += bytesIn(table, row, 5);
    }
    QCOMPARE(sum, bytesIn(table, last, 5));
    QCOMPARE(sum, qint64{runs->difference.headline.delta().value});
    // In the smallest window, too, all three lanes have room for their bands.
    CompareLanes& lanes = opened.window.comparePage().lanes();
    test::Opened::settle();
    const int window = opened.window.height();
    QVERIFY2(lanes.height() * 100 >= 45 * window, qPrintable(QString::number(lanes.height())));
    const int plots =
        lanes.basePlot().height() + lanes.againstPlot().height() + lanes.delta().height();
    QVERIFY2(plots * 100 >= 40 * window, qPrintable(QString::number(plots)));
    const int answer = opened.child<CompareAnswer>("compareAnswer")->height();
    QVERIFY2(answer <= CompareAnswer::kMostHeight, qPrintable(QString::number(answer)));
    QVERIFY2(lanes.basePlot().bandRect().height() >= 36,
             qPrintable(QString::number(lanes.basePlot().bandRect().height())));
    QVERIFY(lanes.delta().height() >= 30);
    QVERIFY(lanes.rect().contains(lanes.delta().geometry()));
    // No cause loses its figure to a longer one.
    for (const SentenceLabel* label : opened.window.findChildren<SentenceLabel*>()) {
        const int kept = label->fontMetrics().averageCharWidth() * 50;
        const bool is_cause = label->objectName() == QStringLiteral("compareSentence")
            && !label->property("kind").isValid();
        QVERIFY2(!is_cause || label->width() >= std::min(label->sizeHint().width(), kept),
                 qPrintable(label->text()));
    }
    // Modules are nested, and no name begins with that of the one it is in.
    opened.window.comparePage().tables().showTab(CompareTables::modules);
    QTRY_VERIFY_WITH_TIMEOUT(!opened.window.comparePage().isBusy(), kPatience);
    const QAbstractItemModel& modules = *opened.child<QTreeView>("compareModules")->model();
    int nested = 0;
    for (int row = 0; row < modules.rowCount(); ++row) {
        const QModelIndex outer = modules.index(row, 0);
        for (int i = 0; i < modules.rowCount(outer); ++i) {
            ++nested;
            const QString inner = modules.index(i, 0, outer).data().toString();
            QVERIFY(!inner.startsWith(outer.data().toString()));
        }
    }
    QVERIFY(nested > 0);
    // The picture is of the lanes.
    const QTemporaryDir folder_of_pictures;
    const QSize size = lanes.size(); // The notice of the first one takes some room.
    for (const char* name : {"lanes.png", "lanes.svg", "lanes.pdf"}) {
        const QString path = folder_of_pictures.filePath(QString::fromLatin1(name));
        QVERIFY2(opened.window.exportPicture(path), name);
        QVERIFY(QFileInfo(path).size() > 1000);
    }
    const QImage picture(folder_of_pictures.filePath(QStringLiteral("lanes.png")));
    QCOMPARE(picture.size(), size * 2);
}

TIDEMARK_TEST(TstComparePage)

} // namespace tidemark::tst_compare_page

#include "tst_compare_page.moc"
