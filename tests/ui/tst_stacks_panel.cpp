// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/text.h"
#include "ui/views/panels/allocations_panel.h"
#include "ui/views/panels/icicle_view.h"
#include "ui/views/panels/stacks_panel.h"
#include "ui/views/window/analysis_page.h"

#include <QtGui/QClipboard>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include <memory>

namespace tidemark::tst_stacks_panel {

using namespace tidemark::ui;
using tidemark::test::analysisOf;

namespace {

const char* const kScript =
    "stack a = linear /x/site-packages/torch/nn/functional.py:5; forward /me/model.py:10; "
    "main /me/train.py:4\n"
    "stack b = relu /x/site-packages/torch/nn/functional.py:7; forward /me/model.py:11; "
    "main /me/train.py:4\n"
    "live w 1M\n"
    "a +6M @a\nb +2M @b\nb -\nc +1M @b\n";

/// A panel that shows a run.
struct Shown {
    ViewState state;
    StacksPanel panel{state};

    Shown()
    {
        panel.resize(900, 300);
        panel.show();
        QSignalSpy shown(&panel, &StacksPanel::treeShown);
        state.show(analysisOf(kScript), 0);
        QVERIFY(shown.wait());
    }
    [[nodiscard]] IcicleView& icicle()
    {
        return panel.icicle();
    }
    template <class Widget>
    [[nodiscard]] Widget& child(const char* name) const
    {
        return *panel.findChild<Widget*>(QString::fromLatin1(name));
    }
    [[nodiscard]] std::uint32_t node(const std::string& name)
    {
        const auto& nodes = icicle().tree()->nodes;
        const auto found = std::ranges::find(nodes, name, &curves::StackNode::name);
        return found == nodes.end() ? 0 : static_cast<std::uint32_t>(found - nodes.begin());
    }
    void click(const char* name)
    {
        QSignalSpy shown(&panel, &StacksPanel::treeShown);
        child<QToolButton>(name).click();
        QVERIFY(shown.wait());
    }
};

} // namespace

class TstStacksPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thePageIsBusyUntilTheTreeIsShown()
    {
        test::Opened opened(QSize(1400, 900));
        opened.show();
        opened.open({test::examplePath()});
        AnalysisPage& page = opened.window.analysisPage();
        QTRY_VERIFY(!page.isBusy());
        QSignalSpy shown(&page.panel<StacksPanel>(), &StacksPanel::treeShown);
        opened.window.showView(QStringLiteral("stacks"), true);
        QVERIFY(page.isBusy() || !shown.isEmpty());
        while (page.isBusy()) {
            QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        }
        QVERIFY(!shown.isEmpty());
    }
    void nothingOfTheOldDeviceIsChosenUntilTheNewTreeIsThere()
    {
        Shown shown;
        QVERIFY(shown.icicle().tree() != nullptr);
        QSignalSpy again(&shown.panel, &StacksPanel::treeShown);
        shown.state.show(analysisOf("live w 1M\n"), 0);
        QVERIFY(shown.icicle().tree() == nullptr);
        QTest::mouseClick(shown.icicle().viewport(), Qt::LeftButton, {}, {400, 30});
        QVERIFY(shown.state.selected().isNone());
        shown.state.select(
            AllocationId(std::size_t{7})); // as any other list might that was not filled anew yet
        QVERIFY(shown.state.selected().isNone());
        QVERIFY(again.wait());
        QVERIFY(shown.icicle().tree() != nullptr);
    }
    void callsAreAsWideAsTheirBytes()
    {
        Shown shown;
        const std::uint32_t main = shown.node("train.py:4 main");
        const QRectF all = shown.icicle().rectOf(0);
        const QRectF rect = shown.icicle().rectOf(main);
        // At the peak 8 of 9 MiB; what has no stack stands beside them.
        QVERIFY(std::abs(rect.width() / all.width() - 8.0 / 9) < 0.01);
        QCOMPARE(rect.top(), all.bottom());
        QCOMPARE(shown.node("torch"), 0U);
        QVERIFY(shown.icicle().rectOf(shown.node("model.py:10 forward")).top() > rect.top());
        QVERIFY(callTip(*shown.icicle().tree(), main).contains(QStringLiteral("8,388,608 B")));
    }

    void aClickChoosesAndADoubleClickMakesWide()
    {
        Shown shown;
        QWidget* view = shown.icicle().viewport();
        const std::uint32_t forward = shown.node("model.py:11 forward");
        const QPoint place = shown.icicle().rectOf(forward).center().toPoint();
        QTest::mouseClick(view, Qt::LeftButton, {}, place);
        QCOMPARE(shown.icicle().chosen(), forward);
        // Its largest allocation is what the other views show.
        QCOMPARE(shown.state.selected(), shown.icicle().tree()->nodes[forward].largest);
        QTest::mouseDClick(view, Qt::LeftButton, {}, place);
        QCOMPARE(shown.icicle().zoomed(), forward);
        QCOMPARE(shown.icicle().rectOf(forward).width(), double(view->width()));
        QTest::keyClick(&shown.icicle(), Qt::Key_Backspace);
        QCOMPARE(shown.icicle().zoomed(), shown.node("train.py:4 main"));
        QTest::keyClick(&shown.icicle(), Qt::Key_Home);
        QCOMPARE(shown.icicle().zoomed(), 0U);
    }

    void keysWalkTheTree()
    {
        Shown shown;
        IcicleView& icicle = shown.icicle();
        QTest::keyClick(&icicle, Qt::Key_Down);
        QCOMPARE(icicle.chosen(), shown.node("train.py:4 main"));
        QTest::keyClick(&icicle, Qt::Key_Down);
        QCOMPARE(icicle.chosen(), shown.node("model.py:10 forward"));
        QTest::keyClick(&icicle, Qt::Key_Right);
        QCOMPARE(icicle.chosen(), shown.node("model.py:11 forward"));
        QTest::keyClick(&icicle, Qt::Key_Right);
        QCOMPARE(icicle.chosen(), shown.node("model.py:11 forward"));
        QTest::keyClick(&icicle, Qt::Key_Up);
        QTest::keyClick(&icicle, Qt::Key_Return);
        QCOMPARE(icicle.zoomed(), shown.node("train.py:4 main"));
        QVERIFY(!icicle.accessibleDescription().isEmpty());
    }

    /// A drawer may be dragged until not one row of calls is left.
    void aCallIsChosenInNoRoom()
    {
        Shown shown;
        IcicleView& icicle = shown.icicle();
        icicle.setMinimumHeight(0);
        icicle.setParent(nullptr);
        icicle.resize(300, 6);
        icicle.show();
        icicle.choose(shown.node("model.py:10 forward"));
        QCOMPARE(icicle.chosen(), shown.node("model.py:10 forward"));
        icicle.setParent(&shown.panel);
    }

    void choicesCountOtherThings()
    {
        Shown shown;
        shown.click("stacksCallees");
        const std::uint32_t forward = shown.node("model.py:10 forward");
        QVERIFY(forward != 0);
        QCOMPARE(shown.icicle().tree()->nodes[forward].parent, 0U);
        shown.click("stacksLibraries");
        QVERIFY(shown.node("functional.py:5 linear") != 0);
        auto& moment = shown.child<QComboBox>("stacksMoment");
        // Without a range its choices cannot be taken.
        QVERIFY(!(moment.model()->index(2, 0).flags() & Qt::ItemIsEnabled));
        QSignalSpy drawn(&shown.panel, &StacksPanel::treeShown);
        shown.state.selectRange(Interval<StateId>{StateId(1U), StateId(5U)});
        QVERIFY(drawn.wait());
        QVERIFY(moment.model()->index(2, 0).flags() & Qt::ItemIsEnabled);
        moment.setCurrentIndex(3);
        Q_EMIT moment.activated(3);
        QVERIFY(drawn.wait());
        QCOMPARE(shown.icicle().tree()->nodes[0].bytes, std::int64_t{1} << 20); // c alone stays
    }

    void hiddenBandsDoNotCount()
    {
        Shown shown;
        const std::int64_t all = shown.icicle().tree()->nodes[0].bytes;
        const label::Bucket bucket = shown.state.labels().bucket[1];
        QSignalSpy drawn(&shown.panel, &StacksPanel::treeShown);
        shown.state.setBucketVisible(bucket, false);
        QVERIFY(drawn.wait());
        QVERIFY(shown.icicle().tree()->nodes[0].bytes < all);
    }

    void searchSaysWhatItFound()
    {
        Shown shown;
        shown.child<QLineEdit>("stacksSearch").setText(QStringLiteral("MODEL.py"));
        QCOMPARE(shown.icicle().matchedBytes(), std::int64_t{8} << 20);
        QVERIFY(shown.child<QLabel>("stacksWords").text().contains(QStringLiteral("8.00 MiB")));
        shown.child<QLineEdit>("stacksSearch").setText(QStringLiteral("nowhere"));
        QCOMPARE(shown.icicle().matchedBytes(), std::int64_t{0});
    }

    void theTableIsTheSameTree()
    {
        Shown shown;
        shown.child<QToolButton>("stacksAsTable").click();
        auto& tree = shown.child<QTreeView>("stacksTree");
        QVERIFY(tree.isVisible() && !shown.icicle().isVisible());
        QAbstractItemModel& model = *tree.model();
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const auto& nodes = shown.icicle().tree()->nodes;
        QCOMPARE(model.rowCount(), static_cast<int>(nodes[0].children.size()));
        // What calls allocate themselves adds up to everything.
        std::int64_t own = 0;
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            own += nodes[i].bytes;
            for (const std::uint32_t child : nodes[i].children) {
                own -= nodes[child].bytes;
            }
        }
        QCOMPARE(own, nodes[0].bytes);
        // A row chooses the call in the icicle, and the other way round.
        const QModelIndex first = model.index(0, 0);
        tree.setCurrentIndex(first);
        QCOMPARE(shown.icicle().chosen(), nodes[0].children.front());
        QCOMPARE(first.data().toString().toStdString(), nodes[shown.icicle().chosen()].name);
        shown.click("stacksCallees");
        QVERIFY(tree.isVisible());
        QCOMPARE(model.rowCount(),
                 static_cast<int>(shown.icicle().tree()->nodes[0].children.size()));
        shown.child<QToolButton>("stacksAsTable").click();
        QVERIFY(shown.icicle().isVisible());
    }

    void theMenuCopiesAndFilters()
    {
        test::Opened opened(QSize(1400, 900));
        opened.show();
        opened.open({test::examplePath()});
        opened.window.showView(QStringLiteral("stacks"), false);
        auto* panel = opened.window.findChild<StacksPanel*>();
        QTRY_VERIFY_WITH_TIMEOUT(panel->icicle().tree() != nullptr, 60000);
        panel->icicle().choose(panel->icicle().tree()->nodes[0].children.front());
        const auto choose = [&](const QString& words) {
            QTimer::singleShot(0, panel, [panel, words] {
                auto* menu = panel->findChild<QMenu*>(QStringLiteral("stacksMenu"));
                for (QAction* action : menu->actions()) {
                    if (action->text().contains(words)) {
                        action->trigger();
                    }
                }
                menu->close();
            });
            Q_EMIT panel->icicle().menuRequested(QPoint(200, 200));
        };
        choose(QStringLiteral("Folded"));
        const QString folded = QApplication::clipboard()->text();
        QVERIFY(folded.startsWith(QStringLiteral("scenes.py:167 <module>;")));
        choose(QStringLiteral("Filter"));
        auto* filter = opened.window.findChild<QLineEdit*>(QStringLiteral("allocationFilter"));
        QCOMPARE(filter->text(), QStringLiteral("<module>"));
    }
};

TIDEMARK_TEST(TstStacksPanel)

} // namespace tidemark::tst_stacks_panel

#include "tst_stacks_panel.moc"
