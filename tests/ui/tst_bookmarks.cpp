// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/text.h"
#include "ui/views/compare/compare_lanes.h"
#include "ui/views/compare/compare_page.h"
#include "ui/views/timeline/timeline_plot.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/window/analysis_page.h"
#include "ui/views/window/bookmark_actions.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtTest/QTest>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <memory>

namespace tidemark::tst_bookmarks {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

class TstBookmarks : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Opened> m_opened;

    [[nodiscard]] QString path() const
    {
        return m_folder->filePath(QStringLiteral("run.pickle"));
    }
    [[nodiscard]] ViewState& state() const
    {
        return m_opened->window.viewState();
    }
    [[nodiscard]] TimelinePlot& plot() const
    {
        return m_opened->window.analysisPage().timeline().plot();
    }
    [[nodiscard]] static std::unique_ptr<Opened> open(const QString& path)
    {
        auto opened = std::make_unique<Opened>(QSize(1400, 900));
        opened->session.setRuleOptions({true, {}, {}});
        opened->show();
        opened->open({path});
        return opened;
    }
    /// Asks for a note and answers.
    void mark(StateId at, const QString& note) const
    {
        state().setCursor(at);
        m_opened->child<QAction>("bookmark")->trigger();
        QInputDialog* dialog = nullptr; // Of several the one that was not answered yet.
        for (auto* each : m_opened->window.findChildren<QInputDialog*>()) {
            dialog = each->isVisible() ? each : dialog;
        }
        QVERIFY(dialog != nullptr);
        dialog->setTextValue(note);
        dialog->accept();
        Opened::settle();
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QFile::copy(examplePath(), path()));
        m_opened = open(path());
    }
    void cleanup()
    {
        m_opened.reset();
        m_folder.reset();
        UiTest::cleanup();
    }

    void aKeyMarksTheCursorAndTheListLeadsThere()
    {
        QCOMPARE(m_opened->child<QAction>("bookmark")->shortcut(), QKeySequence(Qt::Key_B));
        mark({200}, QStringLiteral("backward begins"));
        mark({50}, {});
        QCOMPARE(state().bookmarks().size(), 2UL);
        m_opened->window.showView(QStringLiteral("bookmarks"), false);
        auto* table = m_opened->child<QTableView>("bookmarks");
        QCOMPARE(table->model()->rowCount(), 2);
        QCOMPARE(table->model()->index(1, 3).data().toString(), QStringLiteral("backward begins"));
        state().setCursor({1});
        table->setCurrentIndex(table->model()->index(1, 0));
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(state().cursor(), StateId{200});
        // Flags on the timeline, in the same order.
        const auto& flags = plot().scene().marks().flags;
        QTRY_COMPARE(flags.size(), 2UL);
        QCOMPARE(flags[1].words, QStringLiteral("backward begins"));
        QCOMPARE(flags[1].x, state().axisMap().toX({200}));
    }
    void aSecondPressChangesTheNote()
    {
        mark({200}, QStringLiteral("one"));
        mark({200}, QStringLiteral("two"));
        QCOMPARE(state().bookmarks().size(), 1UL);
        QCOMPARE(state().bookmarks()[0].note, std::string("two"));
    }
    void theyAreThereAgainAndGoWhenRemoved()
    {
        mark({200}, QStringLiteral("kept"));
        const QString file = path() + QStringLiteral(".tidemark-bookmarks");
        QVERIFY(QFile::exists(file));
        m_opened = open(path());
        QCOMPARE(state().bookmarks().size(), 1UL);
        QCOMPARE(state().bookmarks()[0].note, std::string("kept"));
        m_opened->window.showView(QStringLiteral("bookmarks"), false);
        auto* table = m_opened->child<QTableView>("bookmarks");
        table->setCurrentIndex(table->model()->index(0, 0));
        QTest::mouseClick(m_opened->child<QToolButton>("removeBookmark"), Qt::LeftButton);
        QVERIFY(state().bookmarks().empty());
        QVERIFY(!QFile::exists(file));
    }
    void inAComparisonTheLaneWithTheKeysIsMarked()
    {
        const QString other = m_folder->filePath(QStringLiteral("other.pickle"));
        QVERIFY(QFile::copy(examplePath(), other));
        m_opened->open({other});
        QVERIFY(m_opened->window.showView(QStringLiteral("compare"), false));
        Opened::settle();
        CompareLanes& lanes = m_opened->window.comparePage().lanes();
        QVERIFY(QTest::qWaitForWindowActive(&m_opened->window));
        lanes.againstPlot().setFocus();
        lanes.againstState().setCursor({70});
        QTest::keyClick(&lanes.againstPlot(), Qt::Key_B);
        auto* dialog = m_opened->child<QInputDialog>("bookmarkNote");
        QVERIFY(dialog != nullptr && dialog->isVisible());
        QCOMPARE(dialog->windowTitle(), QStringLiteral("Bookmark in B"));
        dialog->accept();
        Opened::settle();
        QCOMPARE(lanes.againstState().bookmarks().size(), 1UL);
        QCOMPARE(lanes.againstState().bookmarks()[0].state, StateId{70});
        QVERIFY(lanes.baseState().bookmarks().empty());
        QVERIFY(QFile::exists(other + QStringLiteral(".tidemark-bookmarks")));
        QVERIFY(!QFile::exists(path() + QStringLiteral(".tidemark-bookmarks")));
    }
    void twoWindowsKeepBoth()
    {
        const auto second = open(path());
        mark({200}, QStringLiteral("first window"));
        second->window.bookmarkActions().keeper().set(second->window.currentFile(),
                                                      {state().device(), {300}, "second window"});
        QCOMPARE(second->window.viewState().bookmarks().size(), 2UL);
        m_opened = open(path());
        QCOMPARE(state().bookmarks().size(), 2UL);
    }
    void hostileNotesStayText()
    {
        const QString hostile = QStringLiteral("<img src=x onerror=1><b>bold</b>\x1b[31m\u202e");
        mark({200}, hostile);
        m_opened->window.showView(QStringLiteral("bookmarks"), false);
        auto* table = m_opened->child<QTableView>("bookmarks");
        QVERIFY(table->model()->index(0, 3).data().toString().startsWith(
            QStringLiteral("<img src=x onerror=1><b>bold</b>")));
        QVERIFY(!m_opened->window.grab().isNull());
    }
    void anotherFileHasItsOwn()
    {
        mark({200}, QStringLiteral("of the first"));
        const QString other = m_folder->filePath(QStringLiteral("other.pickle"));
        QVERIFY(QFile::copy(examplePath(), other));
        m_opened->window.openFiles({other}, MainWindow::Opened::alone);
        QTRY_VERIFY_WITH_TIMEOUT(!m_opened->session.isLoading(), 60000);
        QTRY_VERIFY(pathText(state().analysis().file).endsWith(QStringLiteral("other.pickle")));
        QVERIFY(state().bookmarks().empty());
        m_opened->window.showFile(m_opened->session.files()[0].id);
        QCOMPARE(state().bookmarks().size(), 1UL);
    }
};

TIDEMARK_TEST(TstBookmarks)

} // namespace tidemark::tst_bookmarks

#include "tst_bookmarks.moc"
