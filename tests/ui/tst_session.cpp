// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/diagnosis.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/ui/opened_window.h"
#include "tests/ui/ui_test.h"
#include "ui/models/session.h"
#include "ui/models/text.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QFile>
#include <QtCore/QTemporaryDir>
#include <QtTest/QSignalSpy>
#include <QtTest/QTest>

#include <atomic>

namespace tidemark::tst_session {

using namespace tidemark::ui;
using tidemark::test::examplePath;

namespace {

constexpr int kPatience = 30000; ///< Milliseconds; far above what reading takes.

} // namespace

class TstSession : public test::UiTest {
    Q_OBJECT
private Q_SLOTS:
    void aFileArrivesInParts()
    {
        Session session;
        QSignalSpy loaded(&session, &Session::loaded);
        bool drawable_before_diagnosis = false;
        connect(&session, &Session::analysisChanged, this, [&](quint64 id) {
            const OpenFile* file = session.find(id);
            drawable_before_diagnosis =
                drawable_before_diagnosis || (file->canDraw() && !file->analysis.diagnosis);
        });
        const auto ids = session.addFiles({examplePath()});
        QCOMPARE(ids.size(), 1U);
        QVERIFY(session.isLoading());
        QVERIFY(!session.find(ids[0])->canDraw());
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 1, kPatience);
        const OpenFile* file = session.find(ids[0]);
        QVERIFY(!file->is_loading);
        QVERIFY(file->analysis.diagnosis != nullptr);
        QVERIFY(drawable_before_diagnosis);
        QCOMPARE(file->analysis.replay->devices[0].ooms.size(), 1U);
    }

    void theSameFileIsOpenedOnce()
    {
        Session session;
        const auto first = session.addFiles({examplePath()});
        const auto second = session.addFiles({examplePath()});
        QCOMPARE(first, second);
        QCOMPARE(session.files().size(), 1U);
    }

    void aClosedFileIsFreedOffTheThreadOfTheWindow()
    {
        Session session;
        QSignalSpy loaded(&session, &Session::loaded);
        const auto ids = session.addFiles({examplePath()});
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 1, kPatience);
        const std::weak_ptr snapshot = session.find(ids[0])->analysis.snapshot;
        session.remove(ids[0]);
        QVERIFY(session.files().empty());
        QVERIFY(!snapshot.expired()); // Not here.
        QTRY_VERIFY_WITH_TIMEOUT(snapshot.expired(), kPatience);
    }

    void cancelForgetsAFileAtOnceAndWithoutAFailure()
    {
        Session session;
        QSignalSpy loaded(&session, &Session::loaded);
        const auto ids = session.addFiles({examplePath()});
        session.cancel(ids[0]);
        QVERIFY(session.files().empty());
        QVERIFY(!session.isLoading());
        // What the reader may still have posted is dropped.
        QTest::qWait(50);
        QCOMPARE(loaded.count(), 0);
        QVERIFY(session.failures().empty());
        // And the file can be opened again.
        session.addFiles({examplePath()});
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 1, kPatience);
    }

    void cancelLeavesOpenFilesAlone()
    {
        Session session;
        const auto ids = session.addFiles({examplePath()});
        QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), kPatience);
        session.cancel(ids[0]);
        session.cancelAll();
        QVERIFY(session.find(ids[0]) != nullptr);
        session.remove(ids[0]);
        QVERIFY(session.find(ids[0]) == nullptr);
    }

    void closingWhileReadingStopsAndJoins()
    {
        QElapsedTimer timer;
        timer.start();
        {
            Session session;
            session.addFiles({examplePath()});
            QTest::qWait(5);
        }
        // Joined, and not after reading to the end of a long queue.
        QVERIFY(timer.elapsed() < kPatience);
    }

    void quittingInTheMiddleOfWorkEndsIt_data()
    {
        QTest::addColumn<int>("work");
        QTest::newRow("another file is read") << 0;
        QTest::newRow("a capacity is looked at") << 1;
        QTest::newRow("labels are corrected") << 2;
        QTest::newRow("two files are compared") << 3;
    }
    void quittingInTheMiddleOfWorkEndsIt()
    {
        QFETCH(int, work);
        const QTemporaryDir folder;
        const QString other = folder.filePath(QStringLiteral("other.pickle"));
        QVERIFY(QFile::copy(examplePath(), other));
        QElapsedTimer timer;
        {
            test::Opened opened({1000, 700});
            opened.show();
            opened.open(work == 3 ? QStringList{examplePath(), other} : QStringList{examplePath()});
            const FileId id = opened.session.files().front().id;
            if (work == 0) {
                opened.session.addFiles({other});
                QVERIFY(opened.session.isLoading());
            } else if (work == 1) {
                diagnose::UserInput input;
                input.capacity = Bytes{std::int64_t{8} << 30};
                opened.session.setUserInput(id, input);
            } else if (work == 2) {
                label::Correction rule;
                rule.match.bucket = label::Bucket::activation;
                rule.bucket = label::Bucket::kv_cache;
                opened.session.setRules(id, {rule});
            } else {
                opened.window.setComparing(true);
            }
            timer.start();
            QVERIFY(opened.window.close()); // as File > Quit does
            QVERIFY(!opened.window.isVisible());
        }
        QVERIFY(timer.elapsed() < kPatience);
    }

    void whatCannotBeOpenedIsSaidInASentence_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("no snapshot at all\n");
        QTest::newRow("truncated") << QByteArray("\x80\x04}\x94(", 5);
        QTest::newRow("asks for code") << QByteArray("\x80\x02"
                                                     "cos\nsystem\n.",
                                                     14);
    }

    void whatCannotBeOpenedIsSaidInASentence()
    {
        QFETCH(QByteArray, content);
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("bad.pickle"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        Session session;
        QSignalSpy failed(&session, &Session::failuresChanged);
        session.addFiles({path, examplePath()});
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, kPatience);
        QCOMPARE(session.failures().size(), 1U);
        QCOMPARE(session.failures()[0].path, path);
        QVERIFY(session.failures()[0].sentence.endsWith(u'.'));
        // The next file is read all the same.
        QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), kPatience);
        QCOMPARE(session.files().size(), 1U);
        session.dismissFailure(0);
        QVERIFY(session.failures().empty());
        session.dismissFailure(3); // There is none; nothing happens.
    }

    void aFileThatDoesNotExistIsAFailure()
    {
        Session session;
        session.addFiles({QStringLiteral("/nowhere/at/all.pickle")});
        QTRY_COMPARE_WITH_TIMEOUT(session.failures().size(), 1U, kPatience);
        QVERIFY(session.files().empty());
    }

    void newInputMakesANewDiagnosisAndKeepsTheRest()
    {
        Session session;
        const auto ids = session.addFiles({examplePath()});
        QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), kPatience);
        const diagnose::Analysis before = session.find(ids[0])->analysis;
        diagnose::UserInput input;
        input.capacity = Bytes{24 * kGiB.value};
        session.setUserInput(ids[0], {});
        session.setUserInput(ids[0], input); // Only the newest counts.
        QTRY_VERIFY_WITH_TIMEOUT(session.find(ids[0])->analysis.input.capacity == input.capacity,
                                 kPatience);
        const diagnose::Analysis after = session.find(ids[0])->analysis;
        QVERIFY(after.diagnosis != before.diagnosis);
        QVERIFY(after.generation > before.generation);
        QCOMPARE(after.curves, before.curves);
        QCOMPARE(after.snapshot, before.snapshot);
    }

    void progressIsMonotonicWithinAFile()
    {
        Session session;
        QStringList stages;
        connect(&session, &Session::progressChanged, this, [&] {
            for (const OpenFile& file : session.files()) {
                if (file.is_loading && (stages.isEmpty() || stages.last() != file.stage)) {
                    stages << file.stage;
                }
            }
        });
        session.addFiles({examplePath()});
        QTRY_VERIFY_WITH_TIMEOUT(!session.isLoading(), kPatience);
        QCOMPARE(stages.first(), QStringLiteral("waiting"));
        QVERIFY(stages.contains(QStringLiteral("reading")));
        stages.removeDuplicates();
        QVERIFY(stages.size() >= 3);
    }

    void tasksRunInOrderAndStopWhenAsked()
    {
        std::atomic<int> order{0};
        std::atomic<int> first{0};
        std::atomic<int> third{0};
        Job job;
        std::atomic<bool> go{false};
        job.start([&](const std::stop_token&) {
            while (!go) {
                std::this_thread::yield();
            }
            first = ++order;
        });
        std::stop_source second = job.start([&](const std::stop_token&) { order = 1000; });
        job.start([&](const std::stop_token&) { third = ++order; });
        second.request_stop();
        go = true;
        QTRY_COMPARE(third.load(), 2);
        QCOMPARE(first.load(), 1);
    }
};

TIDEMARK_TEST(TstSession)

} // namespace tidemark::tst_session

#include "tst_session.moc"
