// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/ui_test.h"
#include "ui/views/explain_dialog.h"

#include <QtCore/QFile>
#include <QtCore/QMimeData>
#include <QtCore/QTemporaryDir>
#include <QtCore/QUrl>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QTextBrowser>

using namespace tidemark;
using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000; ///< Milliseconds; far above what anything here takes.

QString message()
{
    return QStringLiteral(
        "CUDA out of memory. Tried to allocate 5.27 GiB (GPU 0; 15.73 GiB total capacity; 6.50 GiB "
        "already allocated; 1.47 GiB free; 12.69 GiB reserved in total by PyTorch)");
}

} // namespace

class TstExplainDialog : public test::UiTest {
    Q_OBJECT

    [[nodiscard]] static QString answer(const ExplainDialog& dialog)
    {
        return dialog.findChild<QTextBrowser*>()->toPlainText();
    }

private Q_SLOTS:
    void aPastedMessageIsExplained();
    void aLogIsExplainedWithoutBeingShown();
    void onlyAMessageIsTakenFromTheClipboard();
    void onlyLogsAreTakenForLogs();
};

void TstExplainDialog::aPastedMessageIsExplained()
{
    ExplainDialog dialog;
    QSignalSpy explained(&dialog, &ExplainDialog::explained);
    QVERIFY(explained.wait(kPatience));
    QVERIFY(!answer(dialog).contains(QLatin1String("Verdict")));
    dialog.findChild<QPlainTextEdit*>()->insertPlainText(message());
    QVERIFY(explained.wait(kPatience));
    QVERIFY(answer(dialog).contains(QLatin1String("Fragmentation is proven")));
    QVERIFY(answer(dialog).contains(QLatin1String("expandable_segments:True")));
}

void TstExplainDialog::aLogIsExplainedWithoutBeingShown()
{
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("train.log")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("step 1\nslurmstepd: error: Detected 1 oom_kill event in StepId=1.0\n");
    file.close();
    ExplainDialog dialog;
    QSignalSpy explained(&dialog, &ExplainDialog::explained);
    dialog.explainFile(file.fileName());
    QTRY_VERIFY_WITH_TIMEOUT(answer(dialog).contains(QLatin1String("host-memory")), kPatience);
    QVERIFY(dialog.findChild<QPlainTextEdit*>()->toPlainText().isEmpty());
    auto* name = dialog.findChild<QLabel*>(QStringLiteral("explainedFile"));
    QVERIFY(!name->isHidden() && name->text().contains(QLatin1String("train.log")));
    dialog.explainText(message());
    QTRY_VERIFY_WITH_TIMEOUT(answer(dialog).contains(QLatin1String("Fragmentation")), kPatience);
    QVERIFY(name->isHidden());
    dialog.explainFile(folder.filePath(QStringLiteral("none.log")));
    QTRY_VERIFY_WITH_TIMEOUT(answer(dialog).contains(QLatin1String("cannot be read")), kPatience);
}

void TstExplainDialog::onlyAMessageIsTakenFromTheClipboard()
{
    ExplainDialog dialog;
    QGuiApplication::clipboard()->setText(QStringLiteral("a recipe for soup"));
    dialog.explainClipboard();
    QVERIFY(dialog.findChild<QPlainTextEdit*>()->toPlainText().isEmpty());
    QGuiApplication::clipboard()->setText(message());
    dialog.explainClipboard();
    QCOMPARE(dialog.findChild<QPlainTextEdit*>()->toPlainText(), message());
    QGuiApplication::clipboard()->clear();
}

void TstExplainDialog::onlyLogsAreTakenForLogs()
{
    const auto dropped = [](const QStringList& names) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& name : names) {
            urls.push_back(QUrl::fromLocalFile(name));
        }
        data.setUrls(urls);
        return ExplainDialog::logIn(data);
    };
    QCOMPARE(dropped({QStringLiteral("/a/slurm-12.OUT")}), QStringLiteral("/a/slurm-12.OUT"));
    QVERIFY(dropped({QStringLiteral("/a/snapshot.pickle")}).isEmpty());
    QVERIFY(dropped({QStringLiteral("/a/x.log"), QStringLiteral("/a/y.log")}).isEmpty());
}

TIDEMARK_TEST(TstExplainDialog)
#include "tst_explain_dialog.moc"
