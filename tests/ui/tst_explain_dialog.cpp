// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/views/dialogs/explain_dialog.h"

#include <QtCore/QFile>
#include <QtCore/QFileInfo>
#include <QtCore/QTemporaryDir>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QTextBrowser>

namespace tidemark::tst_explain_dialog {

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
    void severalLogsAreExplainedOneAfterTheOther();
    void theMessageCanBeUsedWithTheSnapshot();
    void theSnapshotIsTheOneInTheWindow();
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
    dialog.explainFiles({file.fileName()});
    QTRY_VERIFY_WITH_TIMEOUT(answer(dialog).contains(QLatin1String("Host memory")), kPatience);
    QVERIFY(dialog.findChild<QPlainTextEdit*>()->toPlainText().isEmpty());
    auto* name = dialog.findChild<QLabel*>(QStringLiteral("explainedFile"));
    QVERIFY(!name->isHidden() && name->text().contains(QLatin1String("train.log")));
    dialog.explainText(message());
    QTRY_VERIFY_WITH_TIMEOUT(answer(dialog).contains(QLatin1String("Fragmentation")), kPatience);
    QVERIFY(name->isHidden());
    dialog.explainFiles({folder.filePath(QStringLiteral("none.log"))});
    QTRY_VERIFY_WITH_TIMEOUT(answer(dialog).contains(QLatin1String("Cannot read the log")),
                             kPatience);
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
    QCOMPARE(ExplainDialog::logsAmong({QStringLiteral("/a/slurm-12.OUT"),
                                       QStringLiteral("/a/snapshot.pickle"),
                                       QStringLiteral("/a/rank1.log")}),
             (QStringList{QStringLiteral("/a/slurm-12.OUT"), QStringLiteral("/a/rank1.log")}));
    QVERIFY(ExplainDialog::logsAmong({QStringLiteral("/a/log.pickle")}).isEmpty());
    QVERIFY(ExplainDialog::logsAmong({QStringLiteral("/a/snapshot.pickle.gz")}).isEmpty());
    QCOMPARE(ExplainDialog::logsAmong({QStringLiteral("/a/rank1.log.gz")}).size(), 1);
}

void TstExplainDialog::severalLogsAreExplainedOneAfterTheOther()
{
    const QTemporaryDir folder;
    const auto write = [&](const char* name, const QByteArray& words) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(words) != words.size()) {
            qFatal("cannot write %s", name);
        }
        return file.fileName();
    };
    const QStringList logs{
        write("rank0.log", "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0\n"),
        write("rank1.log", "step 9\n" + message().toUtf8() + "\n"),
        write("empty.log", "\n"),
        folder.filePath(QStringLiteral("none.log")),
    };
    ExplainDialog dialog;
    dialog.explainFiles(logs);
    QTRY_VERIFY_WITH_TIMEOUT(answer(dialog).contains(QLatin1String("none.log")), kPatience);
    const QString words = answer(dialog);
    QVERIFY(words.indexOf(QLatin1String("rank0.log"))
            < words.indexOf(QLatin1String("Host memory")));
    QVERIFY(words.indexOf(QLatin1String("Host memory"))
            < words.indexOf(QLatin1String("rank1.log")));
    QVERIFY(words.indexOf(QLatin1String("rank1.log"))
            < words.indexOf(QLatin1String("Fragmentation is proven")));
    QVERIFY(words.contains(QLatin1String("No text in it.")));
    QVERIFY(words.contains(QLatin1String("Cannot read the log")));
    QVERIFY(dialog.findChild<QLabel*>(QStringLiteral("explainedFile"))
                ->text()
                .contains(QLatin1String("4 logs")));
}

/// The window behind the dialog can be used meanwhile.
void TstExplainDialog::theSnapshotIsTheOneInTheWindow()
{
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("other.pickle"));
    QVERIFY(QFile::copy(test::examplePath(), copy));
    test::Opened opened({1200, 800});
    opened.show();
    opened.open({test::examplePath()});
    auto* dialog =
        dynamic_cast<ExplainDialog*>(opened.window.openDialog(QStringLiteral("explain")));
    QVERIFY(dialog != nullptr);
    auto* use = dialog->findChild<QPushButton*>(QStringLiteral("useMessage"));
    const QString example = QFileInfo(test::examplePath()).fileName();
    QVERIFY2(use->text().contains(example), qPrintable(use->text()));
    dialog->explainText(message());
    QTRY_VERIFY_WITH_TIMEOUT(use->isEnabled(), kPatience);
    opened.window.openFiles({copy}, MainWindow::Opened::alone);
    QTRY_VERIFY_WITH_TIMEOUT(use->text().contains(QLatin1String("other.pickle")), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);
    use->click();
    QCOMPARE(opened.session.files()[0].input.message, std::string());
    QVERIFY(!opened.session.files()[1].input.message.empty());
    opened.session.remove(opened.session.files()[1].id);
    QVERIFY(use->text().contains(example));
    opened.session.remove(opened.session.files()[0].id);
    QVERIFY(use->isHidden());
}

void TstExplainDialog::theMessageCanBeUsedWithTheSnapshot()
{
    ExplainDialog dialog;
    QSignalSpy used(&dialog, &ExplainDialog::useRequested);
    QSignalSpy explained(&dialog, &ExplainDialog::explained);
    auto* use = dialog.findChild<QPushButton*>(QStringLiteral("useMessage"));
    QVERIFY(use->isHidden());
    dialog.setSnapshot(QStringLiteral("run.pickle"));
    QVERIFY(!use->isHidden() && !use->isEnabled());
    QVERIFY(use->text().contains(QLatin1String("run.pickle")));
    // Of a long log only what stands around the message is kept.
    const QString noise = QStringLiteral("step 1 loss 2.3\n").repeated(20000);
    dialog.explainText(noise + message() + u'\n' + noise);
    QTRY_VERIFY_WITH_TIMEOUT(use->isEnabled(), kPatience);
    use->click();
    QCOMPARE(used.count(), 1);
    const QString taken = used[0][0].toString();
    QVERIFY(taken.contains(message()));
    QVERIFY(taken.size() < 100000);
    dialog.explainText(QStringLiteral("all is well"));
    QTRY_VERIFY_WITH_TIMEOUT(!use->isEnabled(), kPatience);
}

TIDEMARK_TEST(TstExplainDialog)

} // namespace tidemark::tst_explain_dialog

#include "tst_explain_dialog.moc"
