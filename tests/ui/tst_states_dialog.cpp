// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/views/dialogs/states_dialog.h"

#include <QtTest/QTest>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QSpinBox>
#include <QtWidgets/QTextBrowser>

namespace tidemark::tst_states_dialog {

using namespace tidemark::ui;

class TstStatesDialog : public test::UiTest {
    Q_OBJECT

    [[nodiscard]] static QString answer(const StatesDialog& dialog)
    {
        return dialog.findChild<QTextBrowser*>()->toPlainText();
    }

private Q_SLOTS:
    void theAnswerFollowsWhatIsTyped();
    void whatIsNoCountIsSaid();
    void adaptersFollowTheModelsSizes();
};

void TstStatesDialog::theAnswerFollowsWhatIsTyped()
{
    StatesDialog dialog;
    auto* parameters = dialog.findChild<QLineEdit*>(QStringLiteral("statesParameters"));
    parameters->setText(QStringLiteral("1073741824"));
    QVERIFY(answer(dialog).contains(QLatin1String("16.0 GiB in total")));
    QVERIFY(!answer(dialog).contains(QLatin1String("ZeRO-3, FSDP")));
    auto* recipe = dialog.findChild<QComboBox*>();
    recipe->setCurrentIndex(recipe->findData(QStringLiteral("bf16-adam")));
    QVERIFY(answer(dialog).contains(QLatin1String("8.00 GiB in total")));
    dialog.findChild<QSpinBox*>(QStringLiteral("statesGpus"))->setValue(4);
    QVERIFY(answer(dialog).contains(QLatin1String("ZeRO-3, FSDP")));
    dialog.findChild<QDoubleSpinBox*>()->setValue(3);
    QVERIFY(answer(dialog).contains(QLatin1String("short by 5.00 GiB"))); // 8 GiB on each
    QVERIFY(answer(dialog).contains(QLatin1String("short by 2.00 GiB"))); // ZeRO-1: 4 + 4 / 4
}

void TstStatesDialog::whatIsNoCountIsSaid()
{
    StatesDialog dialog;
    dialog.findChild<QLineEdit*>(QStringLiteral("statesParameters"))
        ->setText(QStringLiteral("many"));
    QVERIFY(answer(dialog).contains(QLatin1String("'many' is not a parameter count")));
    dialog.findChild<QLineEdit*>(QStringLiteral("statesParameters"))->setText(QStringLiteral("7B"));
    dialog.findChild<QLineEdit*>(QStringLiteral("statesTrained"))->setText(QStringLiteral("few"));
    QVERIFY(answer(dialog).contains(QLatin1String("'few' is not a parameter count")));
}

void TstStatesDialog::adaptersFollowTheModelsSizes()
{
    StatesDialog dialog;
    dialog.show();
    auto* hidden = dialog.findChild<QSpinBox*>(QStringLiteral("statesHidden"));
    QVERIFY(!hidden->isVisible()); // all parameters are trained
    auto* recipe = dialog.findChild<QComboBox*>();
    recipe->setCurrentIndex(recipe->findData(QStringLiteral("lora-bf16")));
    QVERIFY(hidden->isVisible());
    const auto shows = [&](qint64 trained) {
        return answer(dialog).contains(QLocale(QLocale::English).toString(trained));
    };
    const qint64 per_rank = (3 * (4096 + 4096) + 2 * (4096 + 11018)) * 32; // 2.69 × 4,096 = 11,018
    QVERIFY(!shows(16 * per_rank));
    hidden->setValue(4096);
    QVERIFY(!shows(16 * per_rank)); // the number of blocks is missing
    dialog.findChild<QSpinBox*>(QStringLiteral("statesLayers"))->setValue(32);
    QVERIFY(shows(16 * per_rank));
    dialog.findChild<QSpinBox*>(QStringLiteral("statesRank"))->setValue(8);
    QVERIFY(shows(8 * per_rank));
    recipe->setCurrentIndex(recipe->findData(QStringLiteral("bf16-adam")));
    QVERIFY(!hidden->isVisible());
}

TIDEMARK_TEST(TstStatesDialog)

} // namespace tidemark::tst_states_dialog

#include "tst_states_dialog.moc"
