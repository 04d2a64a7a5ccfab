// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/allocation_groups_model.h"
#include "ui/models/roles.h"
#include "ui/models/selection.h"
#include "ui/views/look/row_texts.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/query_edit.h"
#include "ui/views/window/analysis_page.h"

#include <QtGui/QClipboard>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QCompleter>
#include <QtWidgets/QHeaderView>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QStyle>
#include <QtWidgets/QStyleOption>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

namespace tidemark::tst_allocations_panel {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

/// The tab Allocations of a window in which the example is open.
struct Tab {
    Opened opened{{1500, 950}};
    AllocationsPanel* panel = opened.child<AllocationsPanel>("allocationsPanel");
    QTableView* table = opened.child<QTableView>("allocations");
    QTableView* groups = opened.child<QTableView>("allocationGroups");
    QueryEdit* query = opened.child<QueryEdit>("allocationFilter");
    QLabel* summary = opened.child<QLabel>("allocationSummary");

    Tab()
    {
        opened.show();
        opened.open({examplePath()});
        opened.window.analysisPage().showPanel(QStringLiteral("allocations"));
        Opened::settle();
    }
    [[nodiscard]] ViewState& state()
    {
        return opened.window.viewState();
    }
    [[nodiscard]] int all()
    {
        return static_cast<int>(state().replay().allocations.count());
    }
    void showRun()
    {
        QTest::mouseClick(opened.child<QToolButton>("allocationsOfRun"), Qt::LeftButton);
        QTRY_COMPARE(table->model()->rowCount(), all());
    }
};

} // namespace

class TstAllocationsPanel : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void theWholeRunIsListedAndTheCursorLeavesItAlone()
    {
        Tab tab;
        QTRY_VERIFY(tab.table->model()->rowCount() > 0);
        QVERIFY(tab.table->model()->rowCount() < tab.all());
        tab.showRun();
        QVERIFY(tab.summary->text().contains(QStringLiteral("freed")));
        tab.state().setCursor(StateId(10U));
        QTest::qWait(200);
        QCOMPARE(tab.table->model()->rowCount(), tab.all());
        QTest::mouseClick(tab.opened.child<QToolButton>("allocationsAtCursor"), Qt::LeftButton);
        QTRY_COMPARE(tab.table->model()->rowCount(),
                     static_cast<int>(replay::liveAt(tab.state().replay(), StateId(10U)).size()));
    }

    void aQueryIsTypedWithTheHelpOfCandidates()
    {
        Tab tab;
        tab.showRun();
        tab.query->setFocus();
        QTest::keyClicks(tab.query, QStringLiteral("buck"));
        QTRY_VERIFY(tab.query->completer().popup()->isVisible());
        QTest::keyClick(tab.query->completer().popup(), Qt::Key_Return);
        QCOMPARE(tab.query->text(), QStringLiteral("bucket:"));
        QTRY_VERIFY(tab.query->completer().popup()->isVisible()); // Its values.
        QTest::keyClicks(tab.query, QStringLiteral("activ"));
        QTest::keyClick(tab.query->completer().popup(), Qt::Key_Return);
        QCOMPARE(tab.query->text(), QStringLiteral("bucket:activation "));
        QTRY_VERIFY(tab.table->model()->rowCount() < tab.all());
        QVERIFY(tab.table->model()->rowCount() > 0);
        const int activation = static_cast<int>(label::Bucket::activation);
        for (int row = 0; row < tab.table->model()->rowCount(); ++row) {
            QCOMPARE(tab.table->model()->index(row, 0).data(BucketRole).toInt(), activation);
        }
    }

    void whatIsWrongOrEmptyIsSaid()
    {
        Tab tab;
        tab.showRun();
        tab.query->setText(QStringLiteral("weight:5"));
        QTRY_VERIFY(tab.summary->text().contains(QStringLiteral("“weight” is not a key")));
        QCOMPARE(tab.table->model()->rowCount(), tab.all()); // Not at once: it may be half typed.
        QTRY_COMPARE(tab.table->model()->rowCount(), 0);
        tab.query->setText(QStringLiteral("no_such_word"));
        QTRY_VERIFY(tab.summary->text().contains(QStringLiteral("no allocation matches")));
        QCOMPARE(tab.table->model()->rowCount(), 0);
        tab.query->setText(QStringLiteral("live@99999999"));
        QTRY_VERIFY(tab.summary->text().contains(QStringLiteral("There is no event")));
    }

    void anUnreadableQueryHasFoundNothing()
    {
        Tab tab;
        const auto selection = [&] { return tab.state().selector().selection(); };
        for (const char* wrong : {"bucket:nonsense foo:bar", "live@99999999"}) {
            tab.query->setText(QStringLiteral("bucket:activation size>100MiB softmax"));
            QTRY_VERIFY(selection() != nullptr);
            QTRY_VERIFY(tab.table->model()->rowCount() > 0);
            tab.query->setText(QString::fromLatin1(wrong));
            QTRY_VERIFY(selection() == nullptr);
            QCOMPARE(tab.table->model()->rowCount(), 0);
            QVERIFY(!tab.summary->text().isEmpty());
        }
        tab.panel->setGroupBy(query::GroupBy::bucket);
        tab.query->setText(QStringLiteral("softmax"));
        QTRY_VERIFY(tab.groups->model()->rowCount() > 0);
        tab.query->setText(QStringLiteral("foo:bar"));
        QTRY_COMPARE(tab.groups->model()->rowCount(), 0);
    }

    void theChosenGroupingIsReadWhole()
    {
        for (const QSize size : {QSize(1024, 700), QSize(1440, 900)}) {
            Opened opened(size);
            opened.show();
            opened.open({examplePath()});
            opened.window.analysisPage().showPanel(QStringLiteral("allocations"));
            Opened::settle();
            auto* choice = opened.child<QComboBox>("allocationGroupBy");
            QStyleOptionComboBox option;
            option.initFrom(choice);
            const QRect room = choice->style()->subControlRect(
                QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, choice);
            for (int i = 0; i < choice->count(); ++i) {
                QVERIFY2(choice->fontMetrics().horizontalAdvance(choice->itemText(i)) + 2
                             <= room.width(),
                         qPrintable(choice->itemText(i)));
            }
        }
    }
    void groupsAddUpAndOpen()
    {
        Tab tab;
        tab.showRun();
        tab.panel->setGroupBy(query::GroupBy::bucket);
        QTRY_VERIFY(tab.groups->isVisible() && tab.groups->model()->rowCount() > 1);
        const auto& model = dynamic_cast<const AllocationGroupsModel&>(*tab.groups->model());
        std::int64_t count = 0;
        for (int row = 0; row < model.rowCount(); ++row) {
            count += model.group(row).sums.count;
        }
        QCOMPARE(count, std::int64_t{tab.all()});
        const auto wanted = static_cast<int>(model.group(0).sums.count);
        tab.groups->setFocus();
        tab.groups->setCurrentIndex(model.index(0, 0));
        QTest::keyClick(tab.groups, Qt::Key_Return);
        QVERIFY(tab.query->text().startsWith(QStringLiteral("bucket:")));
        QTRY_VERIFY(tab.table->isVisible());
        QTRY_COMPARE(tab.table->model()->rowCount(), wanted);
    }

    void columnsSortTheWholeRun()
    {
        Tab tab;
        tab.showRun();
        QSignalSpy listed(tab.panel, &AllocationsPanel::listed);
        tab.table->sortByColumn(AllocationsModel::BytesLifetime, Qt::DescendingOrder);
        QTRY_VERIFY(!listed.isEmpty());
        const auto& model = dynamic_cast<const AllocationsModel&>(*tab.table->model());
        const auto table = makeAllocationTable(tab.state().analysis(), tab.state().device());
        QVERIFY(std::ranges::is_sorted(model.order(), std::ranges::greater(),
                                       [&](AllocationId a) { return table->bytesLifetime(a); }));
    }

    void returnLeadsToWhereARowWasMade()
    {
        Tab tab;
        tab.showRun();
        const auto& model = dynamic_cast<const AllocationsModel&>(*tab.table->model());
        const int row = tab.all() - 1;
        tab.table->setFocus();
        tab.table->setCurrentIndex(model.index(row, 0));
        QTest::keyClick(tab.table, Qt::Key_Return);
        const AllocationId id = model.order()[static_cast<std::size_t>(row)];
        QCOMPARE(tab.state().cursor().value,
                 tab.state().replay().allocations.begin[id.index()].value);
        QCOMPARE(tab.state().selected().value, id.value);
    }

    void selectedRowsAreCopiedAsTheyAreShown()
    {
        Tab tab;
        tab.showRun();
        tab.table->setFocus();
        tab.table->setCurrentIndex(tab.table->model()->index(0, 0));
        QTest::keyClick(tab.table, Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(tab.table, Qt::Key_C, Qt::ControlModifier);
        const QStringList rows = QGuiApplication::clipboard()->text().split(u'\n');
        QCOMPARE(rows.size(), 2);
        int visible = 0;
        for (int i = 0; i < AllocationsModel::ColumnCount; ++i) {
            visible += tab.table->isColumnHidden(i) ? 0 : 1;
        }
        QCOMPARE(rows.at(0).split(u'\t').size(), visible);
        QSignalSpy copied(tab.panel, &AllocationsPanel::copied);
        auto* menu = tab.opened.child<QToolButton>("allocationCopy")->menu();
        menu->actions().at(1)->trigger();
        const QStringList table = QGuiApplication::clipboard()->text().split(u'\n');
        QCOMPARE(table.size(), 4); // Headings and the rule, then the rows.
        QVERIFY(table.at(1).startsWith(QStringLiteral("| ---")));
        QCOMPARE(table.at(2).count(QStringLiteral(" | ")), visible - 1);
        QVERIFY(copied.at(0).at(0).toString().startsWith(QStringLiteral("2 rows")));
    }

    void whatWasCopiedStaysWhereNothingIsSelected()
    {
        Tab tab;
        tab.showRun();
        tab.table->setFocus();
        tab.table->clearSelection();
        tab.table->setCurrentIndex({});
        const QString kept = QStringLiteral("kept");
        QGuiApplication::clipboard()->setText(kept);
        QTest::keyClick(tab.table, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), kept);
        QVERIFY(tab.opened.window.showView(QStringLiteral("model"), false));
        auto* tree = tab.opened.child<QWidget>("modelPanel")->findChild<QTreeView*>();
        QVERIFY(tree != nullptr);
        tree->setCurrentIndex({});
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), kept);
    }

    void columnsAreChosenPerScope()
    {
        Tab tab;
        tab.showRun();
        QVERIFY(!tab.table->isColumnHidden(AllocationsModel::BytesLifetime));
        QVERIFY(tab.table->isColumnHidden(AllocationsModel::Expression));
        auto* menu = tab.opened.child<QToolButton>("allocationColumns")->menu();
        menu->actions().at(AllocationsModel::Expression)->trigger();
        QVERIFY(!tab.table->isColumnHidden(AllocationsModel::Expression));
        tab.panel->setScope(AllocationsPanel::Scope::cursor);
        QVERIFY(tab.table->isColumnHidden(AllocationsModel::Expression));
        tab.panel->setScope(AllocationsPanel::Scope::run);
        QVERIFY(!tab.table->isColumnHidden(AllocationsModel::Expression));
    }

    void noGapLiesBetweenColumnsWhereOneIsHidden()
    {
        Tab tab;
        tab.opened.window.resize(1024, 700); // Too narrow for what all columns would like.
        tab.showRun();
        const QHeaderView& header = *tab.table->horizontalHeader();
        QVERIFY(header.isSectionHidden(AllocationsModel::Operation));
        int end = 0;
        for (int i = 0; i < header.count(); ++i) {
            if (!header.isSectionHidden(i)) {
                QCOMPARE(header.sectionPosition(i), end);
                end += header.sectionSize(i);
            }
        }
        QCOMPARE(header.length(), end);
    }
};

TIDEMARK_TEST(TstAllocationsPanel)

} // namespace tidemark::tst_allocations_panel

#include "tst_allocations_panel.moc"
