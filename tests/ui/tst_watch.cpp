// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "ui/models/folder_watcher.h"
#include "ui/models/text.h"
#include "ui/views/window/watch_actions.h"

#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtGui/QAction>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>
#include <QtWidgets/QLabel>

namespace tidemark::tst_watch {

using namespace tidemark::ui;

namespace {

constexpr int kPatience = 60000;
constexpr int kOften = 20; ///< Milliseconds between two looks.

} // namespace

class TstWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNewDumpOpensByItself()
    {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(test::examplePath(), folder.filePath(QStringLiteral("old.pickle"))));
        test::Opened opened(QSize(1200, 800));
        opened.show();
        WatchActions& watch = opened.window.watchActions();
        watch.watcher().setInterval(kOften);
        watch.watch(folder.path());
        auto* const action = opened.child<QAction>("watchFolder");
        QVERIFY(action->isChecked());
        QTest::qWait(5 * kOften); // what is there is seen, and not opened
        QVERIFY(opened.session.files().empty());
        QVERIFY(QFile::copy(test::examplePath(), folder.filePath(QStringLiteral("new.pickle"))));
        QTRY_COMPARE_WITH_TIMEOUT(opened.session.files().size(), 1UL, kPatience);
        QCOMPARE(opened.session.files()[0].path, folder.filePath(QStringLiteral("new.pickle")));
        QTRY_VERIFY_WITH_TIMEOUT(opened.window.currentFile() == opened.session.files()[0].id,
                                 kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);

        // Written anew it takes its own place.
        const FileId former = opened.session.files()[0].id;
        QFile file(folder.filePath(QStringLiteral("new.pickle")));
        QVERIFY(file.open(QIODevice::Append));
        file.write("\n");
        file.close();
        QTRY_VERIFY_WITH_TIMEOUT(opened.session.find(former) == nullptr, kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(opened.session.files().size(), 1UL, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(!opened.session.isLoading(), kPatience);

        action->trigger();
        QVERIFY(!watch.watcher().isWatching());
        QVERIFY(!action->isChecked());
    }

    void aFolderThatGoesIsNamed()
    {
        FolderWatcher watcher;
        watcher.setInterval(kOften);
        QSignalSpy failed(&watcher, &FolderWatcher::failed);
        auto folder = std::make_unique<QTemporaryDir>();
        const QString path = folder->path();
        watcher.watch(path);
        QTest::qWait(3 * kOften);
        QCOMPARE(failed.count(), 0);
        folder.reset();
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        QCOMPARE(failed.at(0).at(0).toString(), path);
        QVERIFY(!watcher.isWatching());
    }
};

TIDEMARK_TEST(TstWatch)

} // namespace tidemark::tst_watch

#include "tst_watch.moc"
