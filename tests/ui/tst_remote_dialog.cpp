// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/text.h"
#include "ui/views/dialogs/remote_dialog.h"

#include <QtCore/QMimeData>
#include <QtGui/QClipboard>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QDropEvent>
#include <QtTest/QSignalSpy>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>

#include <atomic>
#include <chrono>
#include <thread>

namespace tidemark::tst_remote_dialog {

using namespace tidemark::ui;

class TstRemoteDialog : public test::UiTest {
    Q_OBJECT

    template <class T>
    [[nodiscard]] static T* child(const RemoteDialog& dialog, const char* name)
    {
        return dialog.findChild<T*>(QString::fromLatin1(name));
    }
    [[nodiscard]] static QString words(const RemoteDialog& dialog)
    {
        return child<QLabel>(dialog, "remoteWords")->text();
    }
    static void type(RemoteDialog& dialog, const char* address)
    {
        auto* line = child<QLineEdit>(dialog, "remoteAddress");
        line->selectAll();
        QTest::keyClicks(line, QString::fromLatin1(address));
        QTest::keyClick(line, Qt::Key_Return);
    }
    static void shown(RemoteDialog& dialog)
    {
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    }
    /// A machine with these dumps in the folder `runs`; what it is asked for is added to `asked`.
    static RemoteDialog::Fetch folderWith(std::vector<remote::FarFile> dumps,
                                          std::vector<std::string>& asked)
    {
        return [dumps = std::move(dumps),
                &asked](const remote::Address& address, const remote::FetchOptions&,
                        const std::stop_token&) -> Result<remote::Fetched> {
            asked.push_back(address.path);
            remote::Fetched fetched;
            if (address.path == "runs") {
                fetched.listing = dumps;
            } else {
                fetched.file = "/copies/" + address.fileName();
            }
            return fetched;
        };
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CACHE_HOME", QByteArray("/nonexistent"));
    }
    void aFileThatArrivesIsOpened()
    {
        remote::Address asked;
        RemoteDialog dialog(nullptr,
                            [&](const remote::Address& address, const remote::FetchOptions&,
                                const std::stop_token&) -> Result<remote::Fetched> {
                                asked = address;
                                remote::Fetched fetched;
                                fetched.file = "/copies/run.pickle";
                                fetched.broken = "The connection was lost.";
                                return fetched;
                            });
        shown(dialog);
        QSignalSpy arrived(&dialog, &RemoteDialog::arrived);
        type(dialog, "me@box:runs/run.pickle");
        QTRY_COMPARE(arrived.size(), 1);
        QCOMPARE(arrived[0][0].toStringList(), QStringList{QStringLiteral("/copies/run.pickle")});
        QCOMPARE(arrived[0][1], arrived[0][0]); // Nothing of it was here before.
        QCOMPARE(arrived[0][2].toString(), QStringLiteral("run.pickle: The connection was lost."));
        QCOMPARE(asked, (remote::Address{"box", "me", "", "runs/run.pickle"}));
        QVERIFY(!dialog.isVisible());
    }

    void aFolderIsListedAndSeveralAreOpenedTogether()
    {
        std::vector<std::string> asked;
        RemoteDialog dialog(nullptr,
                            folderWith({{"<b>1.pickle", 1 << 20, 1'700'000'000},
                                        {"0.pickle", 1 << 20, 1'600'000'000}},
                                       asked));
        shown(dialog);
        QSignalSpy arrived(&dialog, &RemoteDialog::arrived);
        type(dialog, "box:runs");
        auto* dumps = child<QListWidget>(dialog, "remoteDumps");
        QTRY_VERIFY(dumps->isVisible());
        QCOMPARE(dumps->count(), 2);
        QVERIFY(dumps->item(0)->text().contains(QStringLiteral("<b>1.pickle")));
        dumps->selectAll();
        QTest::mouseClick(child<QPushButton>(dialog, "remoteOpen"), Qt::LeftButton);
        QTRY_COMPARE(arrived.size(), 1);
        QCOMPARE(arrived[0][0].toStringList().size(), 2);
        QCOMPARE(asked, (std::vector<std::string>{"runs", "runs/<b>1.pickle", "runs/0.pickle"}));
    }

    void theRanksOfAJobAreOpenedTogetherWithoutChoosing()
    {
        std::vector<std::string> asked;
        RemoteDialog dialog(nullptr,
                            folderWith({{"run.rank1-of-2.pickle", 5, 300},
                                        {"other.pickle", 5, 200},
                                        {"run.rank0-of-2.pickle", 5, 100}},
                                       asked));
        shown(dialog);
        QSignalSpy arrived(&dialog, &RemoteDialog::arrived);
        type(dialog, "box:runs");
        auto* dumps = child<QListWidget>(dialog, "remoteDumps");
        QTRY_VERIFY(dumps->isVisible());
        QVERIFY2(words(dialog).contains(QStringLiteral("2 ranks of job")),
                 qPrintable(words(dialog)));
        QTest::keyClick(dumps, Qt::Key_Return);
        QTRY_COMPARE(arrived.size(), 1);
        QCOMPARE(asked,
                 (std::vector<std::string>{"runs", "runs/run.rank0-of-2.pickle",
                                           "runs/run.rank1-of-2.pickle"}));
    }

    void whatFailsIsSaidAndCanBeTriedAgain()
    {
        RemoteDialog dialog(nullptr,
                            [](const remote::Address&, const remote::FetchOptions&,
                               const std::stop_token&) -> Result<remote::Fetched> {
                                return Error{ErrorCode::cannotOpen, "ssh did not reach box.", {}};
                            });
        shown(dialog);
        type(dialog, "box:a.pickle");
        QTRY_COMPARE(words(dialog), QStringLiteral("ssh did not reach box."));
        QVERIFY(dialog.isVisible());
        QVERIFY(child<QPushButton>(dialog, "remoteOpen")->isEnabled());
        type(dialog, "nothing");
        QVERIFY(words(dialog).contains(QStringLiteral("Not an address")));
    }

    void progressIsShownAndStopEndsIt()
    {
        std::atomic<bool> has_stopped = false;
        RemoteDialog dialog(nullptr,
                            [&](const remote::Address&, const remote::FetchOptions& options,
                                const std::stop_token& stop) -> Result<remote::Fetched> {
                                options.progress({1 << 20, 4 << 20, false, 1 << 20});
                                while (!stop.stop_requested()) {
                                    std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                }
                                has_stopped = true;
                                return Error{ErrorCode::cancelled, "cancelled", {}};
                            });
        shown(dialog);
        QSignalSpy arrived(&dialog, &RemoteDialog::arrived);
        type(dialog, "box:a.pickle");
        QTRY_COMPARE(words(dialog), QStringLiteral("a.pickle: 1.00 of 4.00 MiB received"));
        auto* bar = child<QProgressBar>(dialog, "remoteBar");
        QVERIFY(bar->isVisible());
        QCOMPARE(bar->value() * 4, bar->maximum());
        QTest::mouseClick(child<QPushButton>(dialog, "remoteStop"), Qt::LeftButton);
        QTRY_VERIFY(has_stopped);
        QVERIFY(!bar->isVisible());
        QVERIFY(words(dialog).contains(QStringLiteral("Stopped")));
        QTest::qWait(50);
        QCOMPARE(arrived.size(), 0);
    }

    void addressesAreToldFromFilesAndMessages()
    {
        QVERIFY(RemoteDialog::isAddress(QStringLiteral(" me@box:/a.pickle\n")));
        QVERIFY(RemoteDialog::isAddress(QStringLiteral("ssh://box/a.pickle")));
        QVERIFY(!RemoteDialog::isAddress(QStringLiteral("/runs/a.pickle")));
        QVERIFY(!RemoteDialog::isAddress(QStringLiteral(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")));
        QVERIFY(!RemoteDialog::isAddress(QStringLiteral("INFO:root:CUDA out of memory")));
        QVERIFY(!RemoteDialog::isAddress(QStringLiteral("ssh://box/a.pickle\nsecond line")));
        QVERIFY(!RemoteDialog::isAddress(QStringLiteral("RuntimeError: CUDA out of memory")));
    }

    void anAddressThatIsDroppedOrPastedOpensTheDialog()
    {
        // No ssh here: what matters is who is asked.
        qputenv("PATH", "/nonexistent");
        test::Opened opened({1200, 800});
        opened.show();
        QGuiApplication::clipboard()->setText(QStringLiteral("me@box:runs/a.pickle"));
        QTest::keyClick(&opened.window, Qt::Key_V, Qt::ControlModifier);
        auto* dialog = opened.window.findChild<RemoteDialog*>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(child<QLineEdit>(*dialog, "remoteAddress")->text(),
                 QStringLiteral("me@box:runs/a.pickle"));
        QTRY_VERIFY(words(*dialog).contains(QStringLiteral("ssh is not installed")));

        QMimeData dropped;
        dropped.setText(QStringLiteral("ssh://box/b.pickle"));
        QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &dropped, Qt::LeftButton,
                              Qt::NoModifier);
        QCoreApplication::sendEvent(&opened.window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &dropped, Qt::LeftButton,
                        Qt::NoModifier);
        QCoreApplication::sendEvent(&opened.window, &drop);
        QCOMPARE(child<QLineEdit>(*dialog, "remoteAddress")->text(),
                 QStringLiteral("ssh://box/b.pickle"));
    }
};

TIDEMARK_TEST(TstRemoteDialog)

} // namespace tidemark::tst_remote_dialog

#include "tst_remote_dialog.moc"
