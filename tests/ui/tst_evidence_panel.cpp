// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/models/roles.h"
#include "ui/models/text.h"
#include "ui/views/memory_map/memory_map_panel.h"
#include "ui/views/panels/evidence_panel.h"
#include "ui/views/window/analysis_page.h"

#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QTreeView>

#include <memory>

namespace tidemark::tst_evidence_panel {

using namespace tidemark::ui;
using tidemark::test::diagnosedAnalysisOf;
using tidemark::test::smallRun;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what anything here takes.

/// Evidence of every kind: a place, a stack, both, neither, and one about where blocks lie.
diagnose::Analysis withEvidence()
{
    diagnose::Analysis analysis = diagnosedAnalysisOf(smallRun());
    const replay::DeviceReplay& replay = analysis.replay->devices[0];
    const StateId peak = replay.peak;
    const StackId stack = replay.allocations.stack[replay::liveAt(replay, peak).front().index()];
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnose::DeviceDiagnosis& device = diagnosis.devices[0];
    device.causes = {{diagnose::Cause::activations,
                      0.6,
                      {{"neither", std::nullopt, StackId::none()},
                       {"a place", StateId::start(), StackId::none()},
                       {"a stack", std::nullopt, stack},
                       {"both", peak, stack}},
                      "Record a second step."}};
    device.findings = {{"pinned", {"blocks that lie badly", peak, StackId::none()}, kMiB}};
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    return analysis;
}

} // namespace

class TstEvidencePanel : public test::UiTest {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<AnalysisPage> m_page;

    /// The links behind a sentence, by their words.
    [[nodiscard]] std::vector<QToolButton*> linksOf(const char* sentence) const
    {
        for (const QLabel* label : m_page->findChildren<QLabel*>(QStringLiteral("evidenceText"))) {
            if (label->text() == QString::fromLatin1(sentence)) {
                const auto links = label->parentWidget()->findChildren<QToolButton*>();
                return {links.begin(), links.end()};
            }
        }
        return {};
    }
    [[nodiscard]] QStringList wordsOf(const char* sentence) const
    {
        QStringList words;
        for (const QToolButton* link : linksOf(sentence)) {
            words << link->text();
        }
        return words;
    }
    void follow(const char* sentence, const QString& words) const
    {
        for (QToolButton* link : linksOf(sentence)) {
            if (link->text() == words) {
                QTest::keyClick(link, Qt::Key_Return); // With the keyboard, as with the mouse.
            }
        }
    }

private Q_SLOTS:
    void init()
    {
        UiTest::init();
        m_state = std::make_unique<ViewState>();
        m_page = std::make_unique<AnalysisPage>(*m_state);
        m_page->resize(1400, 900);
        m_page->show();
        m_state->show(withEvidence(), 0);
        m_page->showPanel(QStringLiteral("evidence"));
    }
    void cleanup()
    {
        m_page.reset();
        m_state.reset();
        UiTest::cleanup();
    }

    void whereTheCapacityComesFromIsSaid()
    {
        diagnose::Analysis analysis = withEvidence();
        diagnose::Diagnosis diagnosis = *analysis.diagnosis;
        diagnosis.devices[0].capacity_source = "The sentence of the test.";
        analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
        m_state->show(std::move(analysis), 0);
        QCOMPARE(m_page->findChild<QLabel*>(QStringLiteral("inputHint"))->text(),
                 QStringLiteral("Capacity: The sentence of the test."));
    }
    void everyKindOfEvidenceHasItsPlaces()
    {
        QVERIFY(linksOf("neither").empty());
        QCOMPARE(wordsOf("a stack"), QStringList{QStringLiteral("stack")});
        QCOMPARE(wordsOf("a place").size(), 1);
        QCOMPARE(wordsOf("both").mid(1),
                 (QStringList{QStringLiteral("stack"), QStringLiteral("block"),
                              QStringLiteral("module")}));
        QVERIFY(wordsOf("both").front().startsWith(QStringLiteral("event ")));
        QVERIFY(wordsOf("blocks that lie badly").contains(QStringLiteral("map")));
        QVERIFY(!wordsOf("both").contains(QStringLiteral("map")));
        for (const QToolButton* link : linksOf("both")) {
            QVERIFY(link->focusPolicy() & Qt::TabFocus);
            QVERIFY(!link->accessibleName().isEmpty());
            QCOMPARE(link->accessibleDescription(), QStringLiteral("both"));
        }
    }
    void whatWouldMakeItSurerIsSaid()
    {
        QVERIFY(linksOf("To confirm: Record a second step.").empty());
        QStringList sentences;
        for (const QLabel* label : m_page->findChildren<QLabel*>(QStringLiteral("evidenceText"))) {
            sentences << label->text();
        }
        QVERIFY(sentences.contains(QStringLiteral("To confirm: Record a second step.")));
    }
    /// Also what is less than one of it, as far as digits are left.
    void allOfItHasOneUnit()
    {
        test::Opened opened({1440, 900});
        opened.show();
        opened.open({test::examplePath()});
        opened.window.analysisPage().showPanel(QStringLiteral("evidence"));
        test::Opened::settle();
        const auto* evidence = opened.child<QWidget>("evidence");
        int figures = 0;
        for (const QLabel* each : evidence->findChildren<QLabel*>(QStringLiteral("evidenceText"))) {
            figures += int(each->text().count(QStringLiteral(" GiB")));
            QVERIFY2(!each->text().contains(QStringLiteral(" MiB")), qPrintable(each->text()));
        }
        QVERIFY(figures > 4);
    }
    void theFormHasTheMessageInUse()
    {
        auto* form = m_page->findChild<QPlainTextEdit*>(QStringLiteral("oomMessage"));
        QVERIFY(form->toPlainText().isEmpty());
        form->setPlainText(QStringLiteral("half of a mess"));
        diagnose::Analysis analysis = m_state->analysis();
        analysis.input.capacity = kGiB; // Of something else that a person said.
        ++analysis.generation;
        m_state->show(analysis, 0);
        QCOMPARE(form->toPlainText(), QStringLiteral("half of a mess"));
        analysis.input.message = "CUDA out of memory."; // Given in another place.
        ++analysis.generation;
        m_state->show(analysis, 0);
        QCOMPARE(form->toPlainText(), QStringLiteral("CUDA out of memory."));
        const QSignalSpy given(m_page.get(), &AnalysisPage::messageGiven);
        QTest::mouseClick(m_page->findChild<QPushButton*>(QStringLiteral("diagnoseAgain")),
                          Qt::LeftButton);
        QCOMPARE(given.count(), 1);
        QCOMPARE(given.at(0).at(0).toString(), QStringLiteral("CUDA out of memory."));
        diagnose::Analysis other = withEvidence();
        other.file = "/runs/other.pickle";
        m_state->show(other, 0);
        QVERIFY(form->toPlainText().isEmpty());
    }
    void aPlaceIsGoneTo()
    {
        const StateId peak = m_state->replay().peak;
        m_state->setCursor(peak);
        follow("a place", wordsOf("a place").front());
        QCOMPARE(m_state->cursor(), StateId::start());
        follow("both", wordsOf("both").front());
        QCOMPARE(m_state->cursor(), peak);
    }
    void aBlockIsChosenInTheList()
    {
        follow("both", QStringLiteral("block"));
        const auto* table = m_page->findChild<QTableView*>(QStringLiteral("allocations"));
        QTRY_VERIFY_WITH_TIMEOUT(table->isVisible() && table->currentIndex().isValid(), kPatience);
        const auto& replay = m_state->replay();
        const AllocationId largest = replay::liveAt(replay, replay.peak).front();
        QCOMPARE(table->currentIndex().data(AllocationRole).toUInt(), largest.value);
        QCOMPARE(m_state->selected(), largest);
    }
    void aModuleIsChosenAmongTheModules()
    {
        follow("both", QStringLiteral("module"));
        const auto* table = m_page->findChild<QTreeView*>(QStringLiteral("model"));
        QTRY_VERIFY_WITH_TIMEOUT(table->isVisible() && table->currentIndex().isValid(), kPatience);
        // Its size has a row of its own where the module has several.
        const QString own = table->currentIndex().data().toString();
        const QString outer = table->currentIndex().parent().data().toString();
        QVERIFY(QString(own % outer).contains(QStringLiteral("model.py:10")));
        QCOMPARE(m_state->cursor(), m_state->replay().peak);
    }
    void theMapIsShownWhereBlocksLie()
    {
        follow("blocks that lie badly", QStringLiteral("map"));
        QVERIFY(m_page->findChild<MemoryMapPanel*>()->isVisible());
        QCOMPARE(m_state->cursor(), m_state->replay().peak);
    }
};

TIDEMARK_TEST(TstEvidencePanel)

} // namespace tidemark::tst_evidence_panel

#include "tst_evidence_panel.moc"
