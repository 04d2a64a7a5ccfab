// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/corrections_model.h"
#include "ui/models/corrector.h"
#include "ui/models/session.h"
#include "ui/models/view_state.h"
#include "ui/views/panels/corrections_panel.h"

#include <QtCore/QMimeData>
#include <QtTest/QAbstractItemModelTester>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

#include <memory>
#include <set>

namespace tidemark::tst_corrections_order {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what anything here takes.

/// Rules with ids "a", "b", …; they match everything of at least so many bytes.
std::vector<label::Correction> rulesOf(const char* ids)
{
    std::vector<label::Correction> rules;
    for (const char* id = ids; *id != '\0'; ++id) {
        label::Correction rule;
        rule.id = *id;
        rule.match.min_bytes = Bytes{*id};
        rule.bucket = label::bucketAt(static_cast<std::size_t>(*id - 'a'));
        rules.push_back(rule);
    }
    return rules;
}

std::string idsOf(std::span<const label::Correction> rules)
{
    std::string ids;
    for (const label::Correction& rule : rules) {
        ids += rule.id;
    }
    return ids;
}

std::shared_ptr<const label::Corrections> correctionsOf(const char* ids)
{
    label::Corrections corrections;
    corrections.rules = rulesOf(ids);
    corrections.effects.resize(corrections.rules.size());
    return std::make_shared<const label::Corrections>(std::move(corrections));
}

} // namespace

class TstCorrectionsOrder : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void movingIsOneStepWithAWayBack_data();
    void movingIsOneStepWithAWayBack();
    void laterOnesWin();
    void keysAndButtonsAskForIt();
    void rowsAreDroppedBetweenRows();
};

void TstCorrectionsOrder::movingIsOneStepWithAWayBack_data()
{
    QTest::addColumn<QList<int>>("rows");
    QTest::addColumn<int>("before");
    QTest::addColumn<QString>("after");
    QTest::newRow("up") << QList<int>{2} << 1 << "acbd";
    QTest::newRow("down") << QList<int>{1} << 3 << "acbd";
    QTest::newRow("to the front") << QList<int>{3} << 0 << "dabc";
    QTest::newRow("to the end") << QList<int>{0} << 4 << "bcda";
    QTest::newRow("two at once") << QList<int>{0, 2} << 4 << "bdac";
    QTest::newRow("two to where one stands") << QList<int>{0, 3} << 1 << "adbc";
}

void TstCorrectionsOrder::movingIsOneStepWithAWayBack()
{
    QFETCH(const QList<int>, rows);
    QFETCH(const int, before);
    QFETCH(const QString, after);
    Session session;
    Corrector corrector(session);
    const FileId id = session.addFiles({test::examplePath()}).front();
    QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), kPatience);
    corrector.setCurrent(id);
    corrector.add(id, rulesOf("abcd"), QStringLiteral("add"));
    corrector.move(id, {rows.begin(), rows.end()}, static_cast<std::size_t>(before));
    QCOMPARE(QString::fromStdString(idsOf(corrector.rules(id))), after);
    corrector.undoGroup().undo();
    QCOMPARE(idsOf(corrector.rules(id)), std::string("abcd"));
    corrector.undoGroup().redo();
    QCOMPARE(QString::fromStdString(idsOf(corrector.rules(id))), after);
    // Where it stands already is no step.
    const int steps = corrector.undoGroup().activeStack()->count();
    corrector.move(id, {0}, 1);
    QCOMPARE(corrector.undoGroup().activeStack()->count(), steps);
}

void TstCorrectionsOrder::laterOnesWin()
{
    Session session;
    Corrector corrector(session);
    const FileId id = session.addFiles({test::examplePath()}).front();
    QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), kPatience);
    corrector.setCurrent(id);
    corrector.add(id, rulesOf("bd"), QStringLiteral("add"));
    const auto everything = [&] {
        const diagnose::Analysis& analysis = session.find(id)->analysis;
        return analysis.corrections == nullptr
            ? std::set<label::Bucket>()
            : std::set<label::Bucket>(analysis.labels->devices[0].bucket.begin(),
                                      analysis.labels->devices[0].bucket.end());
    };
    QTRY_VERIFY_WITH_TIMEOUT(everything().contains(label::bucketAt(3)), kPatience);
    corrector.move(id, {1}, 0);
    // What is large enough for both is now the other's.
    QTRY_VERIFY_WITH_TIMEOUT(everything().contains(label::bucketAt(1))
                                 && !everything().contains(label::bucketAt(3)),
                             kPatience);
}

void TstCorrectionsOrder::keysAndButtonsAskForIt()
{
    ViewState state;
    CorrectionsPanel panel(state);
    QSignalSpy asked(&panel, &CorrectionsPanel::moveRequested);
    panel.resize(900, 300);
    panel.show();
    diagnose::Analysis analysis = test::analysisOf(test::smallRun());
    analysis.corrections = correctionsOf("abc");
    state.show(analysis, 0);
    QVERIFY(QTest::qWaitForWindowActive(&panel));
    auto* table = panel.findChild<QTableView*>(QStringLiteral("corrections"));
    auto* up = panel.findChild<QToolButton*>(QStringLiteral("moveCorrectionUp"));
    auto* down = panel.findChild<QToolButton*>(QStringLiteral("moveCorrectionDown"));
    QVERIFY(!up->isEnabled() && !down->isEnabled()); // Nothing is chosen.
    table->selectRow(0);
    QVERIFY(!up->isEnabled() && down->isEnabled());
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Up, Qt::AltModifier);
    QCOMPARE(asked.count(), 0);
    QTest::keyClick(table, Qt::Key_Down, Qt::AltModifier);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].value<QList<int>>(), QList<int>{0});
    QCOMPARE(asked[0][1].toInt(), 2);
    // The new order comes with the analysis; the row that was moved stays chosen.
    analysis.corrections = correctionsOf("bac");
    ++analysis.generation;
    state.show(analysis, 0);
    QCOMPARE(table->currentIndex().row(), 1);
    QCOMPARE(panel.model().at(1)->id, std::string("a"));
    QTest::mouseClick(up, Qt::LeftButton);
    QCOMPARE(asked.count(), 2);
    QCOMPARE(asked[1][1].toInt(), 0);
}

void TstCorrectionsOrder::rowsAreDroppedBetweenRows()
{
    CorrectionsModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setCorrections(correctionsOf("abcd"));
    QSignalSpy asked(&model, &CorrectionsModel::moveRequested);
    const std::unique_ptr<QMimeData> dragged(
        model.mimeData({model.index(2, 0), model.index(0, 1), model.index(2, 1)}));
    QVERIFY(!model.dropMimeData(dragged.get(), Qt::MoveAction, 1, 0, model.index(1, 0)));
    QVERIFY(!model.dropMimeData(dragged.get(), Qt::CopyAction, 1, 0, {}));
    QCOMPARE(asked.count(), 0);
    QVERIFY(!model.dropMimeData(dragged.get(), Qt::MoveAction, 3, 0, {}));
    QCOMPARE(asked[0][0].value<QList<int>>(), (QList<int>{0, 2}));
    QCOMPARE(asked[0][1].toInt(), 3);
    model.dropMimeData(dragged.get(), Qt::MoveAction, -1, -1, {}); // Below the last row.
    QCOMPARE(asked[1][1].toInt(), 4);
    QMimeData other;
    other.setText(QStringLiteral("1"));
    QVERIFY(!model.dropMimeData(&other, Qt::MoveAction, 1, 0, {}));
    QCOMPARE(asked.count(), 2);
}

TIDEMARK_TEST(TstCorrectionsOrder)

} // namespace tidemark::tst_corrections_order

#include "tst_corrections_order.moc"
