// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/search_entries.h"
#include "ui/views/dialogs/search_palette.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/window/analysis_page.h"

#include <QtCore/QEventLoop>
#include <QtCore/QPointer>
#include <QtCore/QTimer>
#include <QtGui/QPaintEvent>
#include <QtGui/QRegion>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeWidget>

#include <algorithm>

namespace tidemark::tst_search_palette {

using namespace tidemark::ui;

namespace {

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

class TstSearchPalette : public test::UiTest {
    Q_OBJECT

    /// Opens the palette by its keys and types; the titles that it offers.
    static QStringList typed(test::Opened& opened, Qt::Key key, const QString& words)
    {
        QTest::keyClick(&opened.window, key, Qt::ControlModifier);
        auto* palette = opened.window.findChild<SearchPalette*>();
        if (palette == nullptr) {
            return {};
        }
        QTest::keyClicks(palette->findChild<QLineEdit*>(), words);
        return titles(*palette);
    }
    static QStringList titles(const SearchPalette& palette)
    {
        QStringList result;
        const auto* list = palette.findChild<QTreeWidget*>();
        for (int row = 0; row < list->topLevelItemCount(); ++row) {
            if (list->topLevelItem(row)->flags().testFlag(Qt::ItemIsSelectable)) {
                result << list->topLevelItem(row)->text(0); // No heading of a group.
            }
        }
        return result;
    }
    static void press(test::Opened& opened, Qt::Key key)
    {
        auto* palette = opened.window.findChild<SearchPalette*>();
        QVERIFY(palette != nullptr);
        QTest::keyClick(palette->findChild<QLineEdit*>(), key);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

private Q_SLOTS:
    void lettersInARowAndAtTheBeginningsOfWordsCountMore()
    {
        QCOMPARE(matchScore(QStringLiteral("xyz"), QStringLiteral("Export")), 0);
        QCOMPARE(matchScore(QString(), QStringLiteral("Export")), 0);
        const auto score = [](const char* words, const char* text) {
            return matchScore(QString::fromLatin1(words), QString::fromLatin1(text));
        };
        QVERIFY(score("pdf", "Export PDF Report") > score("pdf", "Plan a different form"));
        QVERIFY(score("epr", "Export PDF Report") > score("epr", "Memory steps by order"));
        QVERIFY(score("PDF", "export pdf") == score("pdf", "Export PDF"));
        QVERIFY(score("pdf export", "Export PDF") == 0); // In this order.
    }

    void anExactWordIsBeforeTheBeginningOfOneBeforeLettersInOrder()
    {
        const auto score = [](const char* words, const char* text) {
            return matchScore(QString::fromLatin1(words), QString::fromLatin1(text));
        };
        QVERIFY(score("softmax", "softmax") > score("softmax", "log softmax"));
        QVERIFY(score("soft", "log soft") > score("soft", "softmax"));
        QVERIFY(score("soft", "softmax") > score("soft", "microsoft"));
        QVERIFY(score("soft", "softmax") > score("soft", "softmax_backward_data"));
        QVERIFY(score("soft", "microsoft") > score("soft", "File > Use a Run's Configuration"));
        QVERIFY(score("soft", "File > Use a Run's Configuration of it") > 0);
    }

    void theBestAreFirstAndAtMostSoMany()
    {
        std::vector<SearchEntry> entries;
        for (const char* title : {"Open", "Compare", "Copy a pattern", "Close"}) {
            entries.push_back({QString::fromLatin1(title), {}, [] {}});
        }
        const auto best = bestEntries(entries, QStringLiteral("comp"), 10);
        QCOMPARE(best.size(), std::size_t{1});
        QCOMPARE(best[0].title, QStringLiteral("Compare"));
        QCOMPARE(bestEntries(entries, {}, 2).size(), std::size_t{2});
        QCOMPARE(bestEntries(entries, QStringLiteral("o"), 2).size(), std::size_t{2});
    }

    void aCommandIsFoundAndRun()
    {
        test::Opened opened({1400, 900});
        opened.show();
        opened.open({test::examplePath()});
        const StateId before = opened.window.viewState().cursor();
        const QStringList titles = typed(opened, Qt::Key_K, QStringLiteral("nepeak"));
        QVERIFY(!titles.isEmpty());
        QVERIFY2(titles[0].contains(QStringLiteral("Next Peak")), qPrintable(titles[0]));
        press(opened, Qt::Key_Return);
        QVERIFY(opened.window.findChild<SearchPalette*>() == nullptr);
        QVERIFY(opened.window.viewState().cursor() != before);
    }

    void whatLivesAtTheCursorIsToldFromTheRun()
    {
        test::Opened opened({1400, 900});
        opened.show();
        opened.open({test::examplePath()});
        const auto detail = [&](StateId cursor) {
            opened.window.viewState().setCursor(cursor);
            const auto at = typed(opened, Qt::Key_K, QStringLiteral("softmax")).isEmpty()
                ? QList<QTreeWidgetItem*>()
                : opened.window.findChild<SearchPalette*>()->findChild<QTreeWidget*>()->findItems(
                    QStringLiteral("softmax"), Qt::MatchExactly);
            const QString found = at.isEmpty() ? QString() : at.front()->text(1);
            press(opened, Qt::Key_Escape);
            return found;
        };
        const StateId oom = StateId::before(opened.window.viewState().replay().ooms.front());
        QCOMPARE(detail(oom), QStringLiteral("12 allocations · 6 at the cursor, 2.25 GiB"));
        QCOMPARE(detail(StateId::start()), QStringLiteral("12 allocations · none at the cursor"));
    }

    void whatIsRunMayWait()
    {
        QWidget window;
        window.resize(800, 600);
        window.show();
        QPointer<QTreeWidget> list;
        bool was_there = false;
        const auto wait = [&] {
            QEventLoop loop;
            QTimer::singleShot(20, &loop, &QEventLoop::quit);
            loop.exec();
            was_there = !list.isNull(); // It still has the click.
        };
        auto* palette = new SearchPalette(
            [&](const QString&) {
                return std::vector<SearchEntry>{{QStringLiteral("Wait"), {}, wait}};
            },
            QStringLiteral("Command"), window);
        palette->setAttribute(Qt::WA_DeleteOnClose);
        palette->show();
        list = palette->findChild<QTreeWidget*>();
        const QRect row = list->visualItemRect(list->currentItem());
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, row.center());
        QVERIFY(was_there);
        QTRY_VERIFY(list.isNull());
    }

    void anEventAStepAndATimeAreGoneTo()
    {
        test::Opened opened({1400, 900});
        opened.show();
        opened.open({test::examplePath()});
        QCOMPARE(typed(opened, Qt::Key_F, QStringLiteral("1234"))[0], QStringLiteral("Go to 1234"));
        press(opened, Qt::Key_Return);
        QCOMPARE(opened.window.viewState().cursor(), StateId::after(EventId(std::uint32_t{1234})));
        const QStringList titles = typed(opened, Qt::Key_F, QStringLiteral("step 2"));
        const qsizetype row = titles.indexOf(QStringLiteral("Step 2"));
        QVERIFY(row >= 0);
        for (qsizetype i = 0; i < row; ++i) {
            QTest::keyClick(opened.window.findChild<SearchPalette*>()->findChild<QLineEdit*>(),
                            Qt::Key_Down);
        }
        press(opened, Qt::Key_Return);
        QCOMPARE(opened.window.viewState().cursor(), StateId::after(EventId(std::uint32_t{4803})));
        // The view goes there, too, with what lies around it.
        const ViewState& state = opened.window.viewState();
        QVERIFY(state.range().begin > state.extent().begin + 100);
        QVERIFY(state.range().begin < 4803);
        QVERIFY(state.range().end > 4803);
    }

    void aFunctionAFileASizeAndABucketListTheirAllocations_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("title");
        QTest::newRow("function") << "softm"
                                  << "softmax";
        QTest::newRow("size") << "size>100MiB"
                              << "Allocations: size>100MiB";
        QTest::newRow("comparison") << ">100MiB"
                                    << "Allocations: >100MiB";
        QTest::newRow("bucket") << "activ"
                                << "Activations";
        QTest::newRow("file and line") << "scenes.py:24"
                                       << "scenes.py:24";
    }
    void aFunctionAFileASizeAndABucketListTheirAllocations()
    {
        QFETCH(QString, words);
        QFETCH(QString, title);
        test::Opened opened({1400, 900});
        opened.show();
        opened.open({test::examplePath()});
        const QStringList titles = typed(opened, Qt::Key_F, words);
        const qsizetype row = titles.indexOf(title);
        QVERIFY2(row >= 0, qPrintable(titles.join(QStringLiteral(" | "))));
        for (qsizetype i = 0; i < row; ++i) {
            QTest::keyClick(opened.window.findChild<SearchPalette*>()->findChild<QLineEdit*>(),
                            Qt::Key_Down);
        }
        press(opened, Qt::Key_Return);
        AllocationsPanel& panel = opened.window.analysisPage().panel<AllocationsPanel>();
        QTRY_VERIFY(panel.isVisible() && !panel.isBusy());
        QCOMPARE(panel.scope(), AllocationsPanel::Scope::run);
        const auto tables = panel.findChildren<QTableView*>();
        QVERIFY(std::ranges::any_of(tables, [](const QTableView* table) {
            return table->isVisible() && table->model()->rowCount() > 0
                && table->model()->rowCount() < 1954; // Not all that there are.
        }));
    }

    void aLineIsCountedAsItIsListed()
    {
        test::Opened opened({1400, 900});
        opened.show();
        opened.open({test::examplePath()});
        // Line 2 of that file is no line of the run; those that begin so are other lines.
        QVERIFY(!typed(opened, Qt::Key_K, QStringLiteral("scenes.py:2"))
                     .contains(QStringLiteral("scenes.py:2")));
        press(opened, Qt::Key_Escape);
        QCOMPARE(typed(opened, Qt::Key_K, QStringLiteral("scenes.py:24")).value(0),
                 QStringLiteral("scenes.py:24"));
        const auto* list = opened.window.findChild<SearchPalette*>()->findChild<QTreeWidget*>();
        const QString counted = list->topLevelItem(1)->text(1).section(u' ', 0, 0);
        press(opened, Qt::Key_Return);
        AllocationsPanel& panel = opened.window.analysisPage().panel<AllocationsPanel>();
        QTRY_VERIFY(panel.isVisible() && !panel.isBusy());
        const auto tables = panel.findChildren<QTableView*>();
        const auto shown = std::ranges::find_if(
            tables, [](const QTableView* table) { return table->isVisible(); });
        QVERIFY(shown != tables.end());
        QTRY_COMPARE(QString::number((*shown)->model()->rowCount()), QString(counted).remove(u','));
    }

    void whatIsTypedLeadsSomewhereAndTheViewMoves_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<QString>("first");
        QTest::newRow("function") << "soft"
                                  << "softmax";
        QTest::newRow("peak") << "peak"
                              << "Peak";
        QTest::newRow("oom") << "oom"
                             << "OOM";
        QTest::newRow("event") << "event 5000"
                               << "Go to event 5000";
        QTest::newRow("step") << "step 2"
                              << "Step 2";
        QTest::newRow("line") << "scenes.py:24"
                              << "scenes.py:24";
        QTest::newRow("address") << "address"
                                 << "0x";
    }
    void whatIsTypedLeadsSomewhereAndTheViewMoves()
    {
        QFETCH(QString, words);
        QFETCH(QString, first);
        test::Opened opened({1024, 700});
        opened.show();
        opened.open({test::examplePath()});
        ViewState& state = opened.window.viewState();
        const replay::Allocations& all = state.replay().allocations;
        if (words == QStringLiteral("address")) { // Of one that is made later.
            std::size_t id = 0;
            while (all.begin[id] < StateId{4000}) {
                ++id;
            }
            words = QStringLiteral("0x%1").arg(all.address[id], 0, 16);
        }
        state.setCursor(StateId::start());
        state.setRange({0, 20});
        const QStringList titles = typed(opened, Qt::Key_K, words);
        QVERIFY(!titles.isEmpty());
        QVERIFY2(titles[0].startsWith(first), qPrintable(titles.join(QStringLiteral(" | "))));
        // A heading is over it, how many and how much stands beside it, and a row can be read.
        auto* list = opened.window.findChild<SearchPalette*>()->findChild<QTreeWidget*>();
        QVERIFY(!list->topLevelItem(0)->flags().testFlag(Qt::ItemIsSelectable));
        QTreeWidgetItem* const row = list->topLevelItem(1);
        QVERIFY(!row->text(1).isEmpty());
        QVERIFY(list->visualItemRect(row).height() >= 26);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(row).center());
        const bool has_moved = state.cursor() != StateId::start() && state.range().end > 20;
        QVERIFY(has_moved || !state.selected().isNone() || first == QStringLiteral("softmax"));
        QTRY_VERIFY(first != QStringLiteral("softmax")
                    || opened.window.analysisPage().panel<AllocationsPanel>().isVisible());
    }

    void itClosesWithTheFileThatItIsAbout()
    {
        test::Opened opened({1024, 700});
        opened.show();
        opened.open({test::examplePath()});
        QVERIFY(!typed(opened, Qt::Key_K, QStringLiteral("peak")).isEmpty());
        opened.session.remove(opened.session.files()[0].id);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(opened.window.findChild<SearchPalette*>() == nullptr);
    }

    void theCardIsAsHighAsWhatItOffers()
    {
        test::Opened opened({1024, 700});
        opened.show();
        opened.open({test::examplePath()});
        QVERIFY(!typed(opened, Qt::Key_K, QStringLiteral("e")).isEmpty());
        auto* palette = opened.window.findChild<SearchPalette*>();
        const auto* list = palette->findChild<QTreeWidget*>();
        const auto* card = palette->findChild<QWidget*>(QStringLiteral("searchCard"));
        const QRect before = card->geometry();
        QTRY_VERIFY(palette->isVisible());
        PaintedRegion painted;
        palette->installEventFilter(&painted);
        palette->findChild<QLineEdit*>()->setText(QStringLiteral("step 2"));
        QVERIFY(card->height() < before.height());
        QTRY_VERIFY(painted.region.contains(before.bottomLeft() + QPoint(-8, 8))); // Its shadow.
        const QTreeWidgetItem* last = list->topLevelItem(list->topLevelItemCount() - 1);
        const int row = list->visualItemRect(last).height();
        const int below = list->viewport()->height() - list->visualItemRect(last).bottom();
        QVERIFY2(below >= 0 && below < row, qPrintable(QString::number(below)));
    }
    void thePillOpensItAndAClickBesideItCloses()
    {
        test::Opened opened({1024, 700});
        opened.show();
        QTest::mouseClick(opened.child<QToolButton>("searchPill"), Qt::LeftButton);
        auto* palette = opened.window.findChild<SearchPalette*>();
        QVERIFY(palette != nullptr && palette->isVisible());
        QCOMPARE(palette->window(), &opened.window); // Over what it is about.
        QVERIFY(palette->findChild<QLineEdit*>()->hasFocus());
        QTest::mouseClick(palette, Qt::LeftButton, {}, QPoint(5, 690));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(opened.window.findChild<SearchPalette*>() == nullptr);
    }

    void withoutAFileCommandsAreThere()
    {
        test::Opened opened({1400, 900});
        opened.show();
        const QStringList titles = typed(opened, Qt::Key_K, QStringLiteral("plan"));
        QVERIFY(std::ranges::any_of(titles, [](const QString& title) {
            return title.contains(QStringLiteral("Plan Run"));
        }));
        press(opened, Qt::Key_Escape);
        QVERIFY(opened.window.findChild<SearchPalette*>() == nullptr);
    }
};

TIDEMARK_TEST(TstSearchPalette)

} // namespace tidemark::tst_search_palette

#include "tst_search_palette.moc"
