// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/models/fixes_model.h"
#include "ui/models/source_places.h"
#include "ui/models/text.h"
#include "ui/models/what_if_trial.h"
#include "ui/views/look/item_delegate.h"
#include "ui/views/panels/fixes_panel.h"
#include "ui/views/panels/verdict_card.h"
#include "ui/views/panels/what_if_panel.h"

#include <QtCore/QPointer>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QStandardItemModel>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QTableView>
#include <QtWidgets/QToolButton>

namespace tidemark::tst_fixes_panel {

using namespace tidemark::ui;
using tidemark::test::diagnosedAnalysisOf;
using tidemark::test::smallRun;

namespace {

/// A set of two that fits together, and one fix that is not enough.
diagnose::Analysis withASet()
{
    diagnose::Analysis analysis = diagnosedAnalysisOf(smallRun());
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnose::DeviceDiagnosis& device = diagnosis.devices.front();
    diagnose::Fix first = device.fixes.front();
    first.cost = "Slower by a little.";
    first.verify = "Where BatchNorm is used.";
    first.conflicts = {"Not with no_sync.", "Not with a contrastive loss."};
    first.apply = "micro-batch=0.5,accumulation=2,optimizer=adamw8bit";
    first.alone = {"micro-batch=0.5,accumulation=2", kGiB, Bytes{3 * kGiB.value}, kGiB};
    diagnose::Fix second = first;
    second.id = "optimizer-8bit";
    second.cost_rank = 7;
    second.title = "8-bit Adam";
    second.changes_science = true;
    second.conflicts.clear();
    second.needs = {"2.1", "Ampere or newer", "package bitsandbytes", Bytes{2 * kGiB.value}};
    second.alone = {"optimizer=adamw8bit", kMiB, Bytes{4 * kGiB.value}, Bytes{2 * kGiB.value}};
    second.how = {{"PyTorch", "bnb.AdamW8bit(params)"}};
    diagnose::Fix third = second;
    third.id = "bf16";
    third.title = "bf16 autocast";
    third.status = diagnose::FixStatus::not_enough;
    third.short_by = kGiB;
    third.apply = "precision=bf16";
    third.alone = {};
    third.how.clear();
    device.fixes = {first, second, third};
    diagnose::Answer answer;
    answer.fixes = {"micro-batch", "optimizer-8bit"};
    answer.apply = first.apply;
    answer.fits = true;
    answer.new_reserved = Bytes{2 * kGiB.value};
    answer.available = device.capacity;
    answer.margin = Bytes{kGiB.value / 2};
    answer.batch = "16 sequences per step, unchanged";
    answer.sentence = "A sentence.";
    device.answer = answer;
    device.limits.micro_batch = diagnose::SizeLimit{0.875, 7, "micro-batch=0.875"};
    device.limits.gpus = {{1, std::nullopt}, {3, 4}};
    device.fix_headline = "Cheapest fixes together: " + first.title + " + 8-bit Adam";
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    return analysis;
}

QString termsOf(const QWidget& panel)
{
    QStringList lines;
    for (const QLabel* label :
         panel.findChild<QWidget*>(QStringLiteral("fixTerms"))->findChildren<QLabel*>()) {
        lines << label->text();
    }
    return lines.join(u'|');
}

} // namespace

class TstFixesPanel : public test::UiTest {
    Q_OBJECT

    ViewState m_state;
    WhatIfTrial m_trial{m_state};
    SourcePlaces m_places;

private Q_SLOTS:
    void theAnswerIsOnTheCardAndTheLimitsUnderTheLadder();
    void whatDoesNotApplyIsOneClickAway();
    void aFixSaysItsTerms();
    void theChosenFrameworkStaysChosen();
    void linesOfASetAreCopiedTogether();
    void whatIsCopiedIsOfTheFixThatIsNamed();
    void theResultIsSaidInTheLadder();
    void whatIfOpensWithTheSameChanges();
    void whatTheCardNamesStandsInTheLadder();
    void anEmptyLadderSaysWhatTheCardSays();
    void oneFactHasOneFigure();
    void aPeakThatSeveralLeaveStandsAboveTheLadder();
    void everyNameIsReadableInANarrowPanel();
    void aFractionIsNoPath();
    void wrappedWordsAreMeasuredBetweenThePaddingsOfACell();
    void linesOfAFormerFixGoWhenQtIsDoneWithThem();
};

void TstFixesPanel::aPeakThatSeveralLeaveStandsAboveTheLadder()
{
    diagnose::Analysis analysis = withASet();
    label::Labels labels = *analysis.labels;
    labels.devices[0].phases = {{EventId(0U), EventId(2U), label::Phase::optimizer, 1},
                                {EventId(2U), EventId(9U), label::Phase::forward, 2}};
    analysis.labels = std::make_shared<const label::Labels>(std::move(labels));
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnosis.devices[0].moment.state = StateId(5U); // After the optimizer.
    for (diagnose::Fix& fix : diagnosis.devices[0].fixes) {
        fix.fits = false;
        fix.new_need = fix.new_peak = kGiB;
        fix.new_peak_state = StateId(2U);
    }
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    FixCard card(m_state);
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(1300, 500);
    m_state.show(analysis, 0);
    const QString sentence = QStringLiteral("leave about the same peak: 1.00 GiB at event 1");
    const auto* words = card.findChild<QLabel*>(QStringLiteral("fixExplanation"));
    QVERIFY2(words->text().contains(sentence), qPrintable(words->text()));
}

void TstFixesPanel::everyNameIsReadableInANarrowPanel()
{
    diagnose::Analysis analysis = withASet();
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnosis.devices[0].fixes[1].title = "Move evaluation results to the CPU every 16 batches";
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(760, 500);
    panel.show();
    m_state.show(analysis, 0);
    const auto& table = *panel.findChild<QTableView*>(QStringLiteral("fixes"));
    QVERIFY(table.isColumnHidden(FixesModel::CostRank));
    QCOMPARE(table.horizontalScrollBar()->maximum(), 0);
    const auto heightOf = [&](int row) {
        constexpr int kPaddings = 12 + 6; // Of the cell, and of the words in it.
        const QString name = table.model()->index(row, FixesModel::Change).data().toString();
        const QRect room(0, 0, table.columnWidth(FixesModel::Change) - kPaddings, 1000);
        return table.fontMetrics().boundingRect(room, Qt::TextWordWrap, name).height();
    };
    QVERIFY(heightOf(1) > table.fontMetrics().height());
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        QTRY_VERIFY(table.rowHeight(row) >= heightOf(row));
    }
}

void TstFixesPanel::aFractionIsNoPath()
{
    /// What a table would show of a text.
    struct Delegate : ItemDelegate {
        [[nodiscard]] QStyleOptionViewItem optionOf(const QString& words, bool wraps) const
        {
            QStandardItemModel model;
            model.appendRow(new QStandardItem(words));
            QStyleOptionViewItem option;
            option.rect = {0, 0, 300, 20}; // with room for the name of a file
            option.features.setFlag(QStyleOptionViewItem::WrapText, wraps);
            initStyleOption(&option, model.index(0, 0));
            return option;
        }
    };
    const Delegate delegate;
    const auto elided = [&](const char* words) {
        return delegate.optionOf(QString::fromLatin1(words), false).textElideMode;
    };
    QCOMPARE(elided("Micro-batch 1/16, accumulation 16"), Qt::ElideRight);
    QCOMPARE(elided("/home/me/2/3/run.pickle"), Qt::ElideMiddle);
    QCOMPARE(elided("model.py:10 forward"), Qt::ElideMiddle);
    // Where words go on in the next line, long names may be parted at their joints.
    const QString name = QStringLiteral("/runs/gpt_oom_backward.pickle");
    QCOMPARE(delegate.optionOf(name, false).text, name);
    QString parted = delegate.optionOf(name, true).text;
    QVERIFY(parted.contains(QStringLiteral("oom_\u200bbackward")));
    QCOMPARE(parted.remove(QChar(0x200b)), name);
    QCOMPARE(delegate.optionOf(QStringLiteral("1,954 of 2.5"), true).text,
             QStringLiteral("1,954 of 2.5"));
}

void TstFixesPanel::wrappedWordsAreMeasuredBetweenThePaddingsOfACell()
{
    constexpr int kPaddings = 12 + 6; // Of the cell in resources/window.qss, and of the style.
    const QString words = QStringLiteral("Move evaluation results to the CPU every 16 batches");
    QStandardItemModel model;
    model.appendRow(new QStandardItem(words));
    const ItemDelegate delegate;
    QStyleOptionViewItem option;
    option.features.setFlag(QStyleOptionViewItem::WrapText);
    const QFontMetrics metrics(option.font);
    for (int width = 120; width < 400; ++width) {
        option.rect = QRect(0, 0, width, 20);
        const QRect room(0, 0, width - kPaddings, 1000);
        const int needed = metrics.boundingRect(room, Qt::TextWordWrap, words).height();
        QVERIFY2(delegate.sizeHint(option, model.index(0, 0)).height() >= needed,
                 qPrintable(QString::number(width)));
    }
}

void TstFixesPanel::linesOfAFormerFixGoWhenQtIsDoneWithThem()
{
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(1300, 500);
    panel.show();
    m_state.show(withASet(), 0);
    auto* table = panel.findChild<QTableView*>(QStringLiteral("fixes"));
    const auto* names = panel.findChild<QWidget*>(QStringLiteral("fixFrameworks"));
    table->setCurrentIndex(table->model()->index(0, 0));
    const QPointer<QToolButton> button = names->findChildren<QToolButton*>().back();
    table->setCurrentIndex(table->model()->index(1, 0));
    QVERIFY(!button.isNull() && !button->isVisible());
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(button.isNull());
}

void TstFixesPanel::whatTheCardNamesStandsInTheLadder()
{
    diagnose::Analysis analysis = diagnosedAnalysisOf(smallRun());
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnose::DeviceDiagnosis& device = diagnosis.devices[0];
    diagnose::Fix cache; // Frees memory, but is no change that can be tried.
    cache.id = "kv-cache-limit";
    cache.title = "A smaller cache";
    cache.status = diagnose::FixStatus::not_needed;
    cache.saves = Bytes{2 * kGiB.value};
    cache.new_peak = kGiB;
    cache.new_reserved = kGiB;
    diagnose::Fix other = cache;
    other.title = "Something that frees nothing";
    other.saves = {};
    device.fixes = {cache, other};
    device.answer.reset();
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    FixesModel model;
    model.setDiagnosis(analysis.diagnosis, 0);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.index(0, FixesModel::Change).data().toString(), text(cache.title));
    QCOMPARE(model.index(0, FixesModel::Needs).data().toString(), QStringLiteral("1.00 GiB"));
    QCOMPARE(model.hiddenCount(), 1);
}

void TstFixesPanel::anEmptyLadderSaysWhatTheCardSays()
{
    diagnose::Analysis analysis = diagnosedAnalysisOf(smallRun());
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnosis.devices[0].fixes.clear();
    diagnosis.devices[0].answer.reset();
    diagnosis.devices[0].fix_headline = "No history recorded, so an OOM can't be seen";
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    FixesPanel panel(m_state, m_trial, m_places);
    m_state.show(analysis, 0);
    QCOMPARE(panel.findChild<QLabel*>(QStringLiteral("noFixes"))->text(),
             QStringLiteral("No history recorded, so an OOM can't be seen"));
}

/// What a run needs and what stays free is the same in the card, the ladder and What if.
void TstFixesPanel::oneFactHasOneFigure()
{
    diagnose::Analysis analysis = withASet();
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnose::DeviceDiagnosis& device = diagnosis.devices[0];
    device.fixes[0].new_reserved = device.answer->new_reserved;
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis));
    const diagnose::DeviceDiagnosis& said = analysis.diagnosis->devices[0];
    FixesModel model;
    model.setDiagnosis(analysis.diagnosis, 0);
    const QString needs = model.index(0, FixesModel::Needs).data().toString();
    QCOMPARE(needs, QStringLiteral("2.00 GiB"));
    QCOMPARE(model.index(0, FixesModel::Against).data().toString(),
             QStringLiteral("fits, ≥ 0.50 GiB free"));
    QVERIFY(answerFacts(said).contains(QStringLiteral("Needs 2.00 of 3.00 GiB")));
    QVERIFY(answerFacts(said).contains(QStringLiteral("at least 0.50 GiB free")));
    diagnose::DeviceDiagnosis lifted = said; // A change may make more available.
    lifted.answer->available = Bytes{52 * kGiB.value};
    QVERIFY(answerFacts(lifted).contains(QStringLiteral("of 52.00 GiB")));
    diagnose::Prediction prediction; // Of the same changes.
    prediction.after_reserved = said.answer->new_reserved;
    prediction.capacity = said.capacity;
    prediction.after_reserved_high = *said.capacity - *said.answer->margin;
    prediction.fits = true;
    QCOMPARE(fitSentence(prediction), QStringLiteral("Fits: at least 0.50 GiB free"));
    // Of a fix by itself no upper end is known, so nothing is promised but that it fits.
    diagnose::Fix alone = said.fixes[0];
    alone.id = "another";
    QCOMPARE(againstText(alone, said), QStringLiteral("fits"));
}

void TstFixesPanel::theAnswerIsOnTheCardAndTheLimitsUnderTheLadder()
{
    FixCard card(m_state);
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(1300, 500);
    panel.show();
    const auto* facts = card.findChild<QLabel*>(QStringLiteral("fixExplanation"));
    const auto* headline = card.findChild<QLabel*>(QStringLiteral("fixHeadline"));
    const auto* limits = panel.findChild<QLabel*>(QStringLiteral("fixLimits"));
    m_state.show(diagnosedAnalysisOf(smallRun()), 0); // Without an answer.
    QVERIFY(limits->text().isEmpty());
    m_state.show(withASet(), 0);
    QVERIFY(headline->text().endsWith(QStringLiteral("+ 8-bit Adam")));
    QVERIFY(facts->text().contains(QStringLiteral("Needs 2.00 of 3.00 GiB")));
    QVERIFY(facts->text().contains(QStringLiteral("at least 0.50 GiB free")));
    QVERIFY(facts->text().contains(QStringLiteral("16 sequences per step, unchanged")));
    QVERIFY(limits->text().contains(QStringLiteral("Micro-batch: at most 7")));
    QVERIFY(limits->text().contains(QStringLiteral("ZeRO stage 3: at least 4 GPUs")));
    QVERIFY(!limits->text().contains(QStringLiteral("stage 1")));
    // Where it is not certain, the whole sentence says why.
    diagnose::Analysis analysis = withASet();
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnosis.devices.front().answer->fits.reset();
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(diagnosis);
    m_state.show(analysis, 0);
    QVERIFY(facts->text().startsWith(QStringLiteral("A sentence.")));
}

void TstFixesPanel::whatDoesNotApplyIsOneClickAway()
{
    diagnose::Analysis analysis = withASet();
    diagnose::Diagnosis diagnosis = *analysis.diagnosis;
    diagnosis.devices.front().fixes.back().status = diagnose::FixStatus::not_applicable;
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(diagnosis);
    m_state.show(analysis, 0);
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(900, 120);
    panel.show();
    auto* link = panel.findChild<QToolButton*>(QStringLiteral("showAllFixes"));
    const auto* rows = panel.findChild<QTableView*>(QStringLiteral("fixes"))->model();
    QVERIFY(link->isVisible());
    QCOMPARE(rows->rowCount(), 2);
    QTest::mouseClick(link, Qt::LeftButton);
    QCOMPARE(rows->rowCount(), 3);
}

void TstFixesPanel::aFixSaysItsTerms()
{
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(1300, 500);
    m_state.show(withASet(), 0);
    auto* table = panel.findChild<QTableView*>(QStringLiteral("fixes"));
    table->setCurrentIndex(table->model()->index(0, 0));
    QCOMPARE(termsOf(panel),
             QStringLiteral("By itself|Saves 1.00 GiB; the run then needs 3.00 GiB: 1.00 GiB "
                            "short.|Cost|Slower by a little.|To verify|Where BatchNorm is "
                            "used.|Caution|Not with no_sync.||Not with a contrastive loss."));
    table->setCurrentIndex(table->model()->index(1, 0));
    QVERIFY(termsOf(panel).endsWith(
        QStringLiteral("Needs|torch 2.1 or later; GPU: Ampere or newer; package bitsandbytes; "
                       "2.00 GiB of host memory")));
    table->setCurrentIndex(table->model()->index(2, 0));
    QVERIFY(!termsOf(panel).contains(QStringLiteral("Alone")));
    QVERIFY(panel.findChild<QLabel*>(QStringLiteral("fixFigures"))
                ->text()
                .startsWith(QStringLiteral("not enough alone, 1.00 GiB short")));
}

void TstFixesPanel::theChosenFrameworkStaysChosen()
{
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(1300, 500);
    m_state.show(withASet(), 0);
    auto* table = panel.findChild<QTableView*>(QStringLiteral("fixes"));
    const auto* code = panel.findChild<QPlainTextEdit*>(QStringLiteral("fixLine"));
    const auto* names = panel.findChild<QWidget*>(QStringLiteral("fixFrameworks"));
    table->setCurrentIndex(table->model()->index(0, 0));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // Those shown before.
    QCOMPARE(code->toPlainText(), QStringLiteral("loss = loss / 2"));
    QCOMPARE(names->findChildren<QToolButton*>().size(), 2);
    names->findChildren<QToolButton*>().at(1)->click();
    QCOMPARE(code->toPlainText(), QStringLiteral("batch_size=4"));
    panel.findChild<QToolButton*>(QStringLiteral("fixCopy"))->click();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("batch_size=4"));
    table->setCurrentIndex(table->model()->index(1, 0)); // It has none for that framework.
    QCOMPARE(code->toPlainText(), QStringLiteral("bnb.AdamW8bit(params)"));
    table->setCurrentIndex(table->model()->index(0, 0));
    QCOMPARE(code->toPlainText(), QStringLiteral("batch_size=4"));
}

void TstFixesPanel::linesOfASetAreCopiedTogether()
{
    FixCard card(m_state);
    m_state.show(withASet(), 0);
    const QString title = QStringLiteral("Micro-batch 1/2, accumulation 2");
    for (const QToolButton* button : {card.findChild<QToolButton*>(QStringLiteral("copyLines"))}) {
        const QList<QAction*> actions = button->menu()->actions();
        QCOMPARE(actions.size(), 2);
        QCOMPARE(actions[1]->text(), QStringLiteral("HF Trainer"));
        actions[0]->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("# %1\nloss = loss / 2\n\n# 8-bit Adam\nbnb.AdamW8bit(params)")
                     .arg(title));
        actions[1]->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("# %1\nbatch_size=4\n\n# 8-bit Adam (PyTorch)\n"
                                "bnb.AdamW8bit(params)")
                     .arg(title));
    }
}

void TstFixesPanel::whatIsCopiedIsOfTheFixThatIsNamed()
{
    m_state.show(withASet(), 0);
    FixCard card(m_state);
    FixesPanel panel(m_state, m_trial, m_places);
    auto* table = panel.findChild<QTableView*>(QStringLiteral("fixes"));
    table->setCurrentIndex(table->model()->index(1, 0));
    const auto* copy = panel.findChild<QToolButton*>(QStringLiteral("fixCopy"));
    QCOMPARE(copy->text(), QStringLiteral("Copy Code"));
    panel.findChild<QToolButton*>(QStringLiteral("fixCopy"))->click();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("bnb.AdamW8bit(params)"));
    // That of the strip above says that it is of both.
    const auto* both = card.findChild<QToolButton*>(QStringLiteral("copyLines"));
    QCOMPARE(both->toolTip(),
             QStringLiteral("Copy the code of Micro-batch 1/2, accumulation 2 + 8-bit Adam"));
}

void TstFixesPanel::theResultIsSaidInTheLadder()
{
    FixesModel model;
    const diagnose::Analysis analysis = withASet();
    model.setDiagnosis(analysis.diagnosis, 0);
    const auto result = [&](int row) {
        return model.index(row, FixesModel::Science).data().toString();
    };
    QCOMPARE(result(0), QStringLiteral("to verify"));
    QCOMPARE(result(1), QStringLiteral("other experiment"));
    model.setDiagnosis(diagnosedAnalysisOf(smallRun()).diagnosis, 0);
    QCOMPARE(result(0), QStringLiteral("same result"));
}

void TstFixesPanel::whatIfOpensWithTheSameChanges()
{
    FixesPanel panel(m_state, m_trial, m_places);
    panel.resize(1300, 500);
    panel.show();
    m_state.show(withASet(), 0);
    const QSignalSpy asked(&panel, &FixesPanel::panelRequested);
    auto* table = panel.findChild<QTableView*>(QStringLiteral("fixes"));
    table->setCurrentIndex(table->model()->index(2, 0));
    QCOMPARE(m_trial.applyText(), QStringLiteral("precision=bf16"));
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(asked.count(), 1);
    QTest::keyClick(table, Qt::Key_Escape);
    QVERIFY(m_trial.changes().empty());
    // Nothing is chosen, but the recommended one is shown.
    panel.findChild<QToolButton*>(QStringLiteral("fixWhatIf"))->click();
    QCOMPARE(asked.count(), 2);
    QCOMPARE(m_trial.applyText(),
             QStringLiteral("micro-batch=0.5,accumulation=2,optimizer=adamw8bit"));
}

TIDEMARK_TEST(TstFixesPanel)

} // namespace tidemark::tst_fixes_panel

#include "tst_fixes_panel.moc"
