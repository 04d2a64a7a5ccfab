// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// What stands around the bands: the legend's lines, the panel at the right.
#include "core/replay/replay.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/window/analysis_page.h"

#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QSplitter>
#include <QtWidgets/QToolButton>

#include <cstdlib>

namespace tidemark::tst_beside_the_bands {

using namespace tidemark::ui;
using tidemark::test::examplePath;
using tidemark::test::Opened;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what anything here takes.

} // namespace

class TstBesideTheBands : public test::UiTest {
    Q_OBJECT

private Q_SLOTS:
    void theLegendTakesTheCurveOfAWhatIfAway()
    {
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        auto* entry = opened.child<AnalysisPage>("analysisPage")
                          ->findChild<QToolButton*>(QStringLiteral("legend_ghost"));
        QVERIFY(!entry->isVisible());
        opened.child<QToolButton>("tryFix")->click();
        const ViewState& state = opened.window.viewState();
        QTRY_VERIFY_WITH_TIMEOUT(state.ghost() != nullptr, kPatience);
        QVERIFY(opened.window.showView(QStringLiteral("allocations"), false)); // In any tab.
        QTRY_VERIFY(entry->isVisible());
        QCOMPARE(entry->text(), QString::fromUtf8("With this fix  ✕"));
        QCOMPARE(entry->accessibleName(), QStringLiteral("Remove the line: With this fix"));
        QTest::mouseClick(entry, Qt::LeftButton);
        QVERIFY(state.ghost() == nullptr && !entry->isVisible());
        auto* page = opened.child<AnalysisPage>("analysisPage");
        QVERIFY(page->trial().changes().empty());
        opened.child<QToolButton>("tryFix")->click(); // It can be tried again.
        QTRY_VERIFY_WITH_TIMEOUT(state.ghost() != nullptr && entry->isVisible(), kPatience);
    }

    void thePanelSaysWhichMomentItIs()
    {
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        ViewState& state = opened.window.viewState();
        const auto* title = opened.child<QLabel>("cursorTitle");
        const auto isAt = [&](const char* words) {
            return title->text().contains(QString::fromLatin1(words));
        };
        state.setCursor(StateId::before(state.replay().ooms.front()));
        QTRY_VERIFY(isAt("At the OOM"));
        state.setCursor(state.replay().peak);
        QTRY_VERIFY(isAt("At the peak"));
        state.setCursor(StateId::after(state.replay().ooms.front()));
        QTRY_VERIFY(isAt("At the OOM"));
        state.setCursor(StateId(state.replay().peak.value + 1));
        QTRY_VERIFY(isAt("At event"));
        // The map and the list name it the same.
        state.setCursor(StateId::after(state.replay().ooms.front()));
        opened.window.showView(QStringLiteral("memory"), false);
        const auto* map = opened.child<QLabel>("memoryMapMoment");
        QTRY_VERIFY(map->text().contains(QStringLiteral("At the OOM")));
        opened.window.showView(QStringLiteral("allocations"), false);
        const auto* list = opened.child<QLabel>("allocationSummary");
        QTRY_VERIFY(list->text().contains(QStringLiteral("At the OOM")));
    }

    void thePanelGrowsWithTheWindowUntilItIsDragged()
    {
        Opened opened({1280, 860});
        opened.show();
        opened.open({examplePath()});
        auto* columns = opened.child<QSplitter>("plotColumns");
        const auto width = [&] {
            Opened::settle();
            return columns->sizes().at(1);
        };
        const auto isAbout = [&](int wanted) { return std::abs(width() - wanted) <= 3; };
        QVERIFY(isAbout(300));
        opened.window.resize(2560, 1400);
        QTRY_VERIFY(width() > 380);
        auto* page = opened.child<AnalysisPage>("analysisPage");
        Q_EMIT columns->splitterMoved(0, 1); // As it is, a person wants it.
        const int dragged = width();
        opened.window.resize(1800, 1000);
        QVERIFY(isAbout(dragged));
        const QByteArray layout = page->saveLayout();
        page->resetLayout();
        QTRY_VERIFY(isAbout(300));
        page->restoreLayout(layout);
        QTRY_VERIFY(isAbout(dragged));
    }
};

TIDEMARK_TEST(TstBesideTheBands)

} // namespace tidemark::tst_beside_the_bands

#include "tst_beside_the_bands.moc"
