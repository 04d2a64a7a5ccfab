// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/sanitizers.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"

#include <malloc.h>

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtWidgets/QLabel>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

namespace tidemark::tst_open_close {

using namespace tidemark::ui;

/// tests/deep/run.sh cycles asks for a thousand.
class TstOpenClose : public test::UiTest {
    Q_OBJECT

    static std::int64_t residentKibibytes()
    {
        malloc_trim(0); // What the C library keeps is not held by the program.
        std::ifstream status("/proc/self/status");
        std::string word;
        std::int64_t kibibytes = 0;
        while (status >> word && word != "VmRSS:") { }
        status >> kibibytes;
        return kibibytes;
    }

private Q_SLOTS:
    void aFailureNamesThePathThatItIsAbout_data()
    {
        QTest::addColumn<QStringList>("names");
        QTest::addColumn<QString>("begin");
        QTest::newRow("one folder") << QStringList{QStringLiteral("empty")}
                                    << QStringLiteral("empty: The folder has no snapshots");
        QTest::newRow("one of several")
            << QStringList{QStringLiteral("there.pickle"), QStringLiteral("gone.pickle"),
                           QStringLiteral("empty")}
            << QStringLiteral("%1/gone.pickle: No such file");
    }
    void aFailureNamesThePathThatItIsAbout()
    {
        QFETCH(const QStringList, names);
        QFETCH(const QString, begin);
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("empty")));
        QVERIFY(QFile::copy(test::examplePath(), folder.filePath(QStringLiteral("there.pickle"))));
        QStringList paths;
        for (const QString& name : names) {
            paths << folder.filePath(name);
        }
        test::Opened opened({1200, 800});
        opened.show();
        opened.window.openFiles(paths);
        QTRY_VERIFY(opened.child<QWidget>("failure") != nullptr);
        const QString words = opened.child<QWidget>("failure")->findChild<QLabel*>()->text();
        const QString wanted = begin.contains(u'%') ? begin.arg(folder.path()) : begin;
        QVERIFY2(words.startsWith(wanted), qPrintable(words));
    }
    void memoryIsFlatOverOpeningAndClosing()
    {
        if (kSanitized) {
            QSKIP("The sanitizers keep what is freed.");
        }
        constexpr int kWarm = 4;
        const int cycles = std::max(24, qEnvironmentVariableIntValue("TIDEMARK_CYCLES"));
        test::Opened opened({1200, 800});
        opened.show();
        std::int64_t before = 0;
        for (int i = 0; i < cycles; ++i) {
            opened.open({test::examplePath()});
            opened.session.remove(opened.session.files()[0].id);
            opened.settle();
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            if (i == kWarm) {
                before = residentKibibytes();
            }
        }
        const std::int64_t grown = residentKibibytes() - before;
        qInfo("%lld KiB more after %d times", static_cast<long long>(grown), cycles - kWarm - 1);
        // One opened example is more than a MiB, so a few that stay are seen at once.
        constexpr std::int64_t kMostKibibytes = 8 << 10;
        QVERIFY2(grown < kMostKibibytes, qPrintable(QString::number(grown)));
    }
};

TIDEMARK_TEST(TstOpenClose)

} // namespace tidemark::tst_open_close

#include "tst_open_close.moc"
