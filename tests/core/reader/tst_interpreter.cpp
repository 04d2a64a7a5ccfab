// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/sanitizers.h"
#include "core/reader/reader.h"
#include "core/reader/work_thread.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <signal.h>

#include <QtCore/QByteArray>
#include <QtTest/QTest>

#include <atomic>
#include <clocale>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace tidemark::tst_interpreter {

namespace {

Result<trace::Snapshot> readByPython(std::string_view bytes)
{
    reader::ReadOptions options;
    options.reader = reader::ReaderChoice::cpython;
    return test::readString(bytes, options);
}

long residentPages()
{
    // What a reading that failed leaves behind is given up after its answer, before the next one.
    if (!readByPython(test::smallSnapshot().string()).has_value()) {
        QTest::qFail("the small snapshot is not read", __FILE__, __LINE__);
    }
    long all = 0;
    long resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident;
}

} // namespace

class TstInterpreter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // Before the interpreter starts: none of these may reach it.
        ::setenv("PYTHONHOME", "/nonexistent", 1);
        ::setenv("PYTHONPATH", "/nonexistent", 1);
        ::setenv("PYTHONSTARTUP", "/nonexistent", 1);
        QVERIFY(readByPython(test::smallSnapshot().string()).has_value());
    }

    void pythonIsTheSystems()
    {
        const reader::PythonInfo info = reader::pythonInfo();
        qInfo("Python %s, library %s, home %s", info.version.c_str(), info.library.c_str(),
              info.home.c_str());
        QVERIFY(info.version.starts_with("3."));
        QVERIFY2(info.library.starts_with("/usr/lib"), info.library.c_str());
        QCOMPARE(info.home, std::string("/usr"));
    }

    void readingChangesNeitherSignalsNorLocale()
    {
        struct sigaction before { };
        struct sigaction after { };
        QCOMPARE(::sigaction(SIGINT, nullptr, &before), 0);
        const std::string locale = std::setlocale(LC_ALL, nullptr);
        QVERIFY(readByPython(test::smallSnapshot().string()).has_value());
        QCOMPARE(::sigaction(SIGINT, nullptr, &after), 0);
        QVERIFY(before.sa_handler == after.sa_handler);
        QCOMPARE(std::string(std::setlocale(LC_ALL, nullptr)), locale);
    }

    void readingAgainAndAgainTakesNoMoreMemory_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        const auto bytes = [](const std::string& text) { return QByteArray::fromStdString(text); };
        QTest::newRow("a snapshot") << bytes(test::smallSnapshot().string());
        QTest::newRow("not a snapshot") << bytes("\x80\x04](" + std::string(1000, 'N')
                                                 + "\x8c\x01x"
                                                   "e.");
        QTest::newRow("damage that Python finds") << bytes("\x80\x04}(\x8c\x02\xff\xfeNu.");
        QTest::newRow("a list that holds itself")
            << bytes("\x80\x04]\x94(h" + std::string(1, '\0') + std::string(1000, 'N') + "e.");
    }
    void readingAgainAndAgainTakesNoMoreMemory()
    {
        if constexpr (kSanitized) {
            QSKIP("a sanitizer keeps freed memory");
        }
        QFETCH(QByteArray, bytes);
        const auto read = [&](int times) {
            for (int i = 0; i < times; ++i) {
                static_cast<void>(
                    readByPython({bytes.data(), static_cast<std::size_t>(bytes.size())}));
            }
        };
        read(200);
        const long before = residentPages();
        read(1000);
        const long pages = residentPages() - before;
        QVERIFY2(pages < 128, qPrintable(QString::number(pages))); // 512 B per reading
    }

    void severalThreadsReadAtOnce()
    {
        const std::string bytes = test::smallSnapshot().string();
        std::atomic<int> read = 0;
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t) {
                threads.emplace_back([&] {
                    for (int i = 0; i < 25; ++i) {
                        const auto result = readByPython(bytes);
                        read += result.has_value() && result.value().devices[0].events.count() == 2
                            ? 1
                            : 0;
                    }
                });
            }
        }
        QCOMPARE(read.load(), 100);
    }

    void whatWorkThrowsReachesTheCaller()
    {
        reader::WorkThread worker;
        const auto fail = [](const std::stop_token&) { throw std::bad_alloc(); };
        QVERIFY_THROWS_EXCEPTION(std::bad_alloc, static_cast<void>(worker.run(fail, {})));
        bool has_run = false;
        QVERIFY(worker.run([&](const std::stop_token&) { has_run = true; }, {}));
        QVERIFY(has_run); // The thread goes on.
    }

    void aStopEndsTheWaitForTheThreadToo()
    {
        reader::WorkThread worker;
        std::atomic<bool> is_running = false;
        std::stop_source first_stop;
        std::jthread first([&] {
            const bool ran = worker.run(
                [&](const std::stop_token& stop) {
                    is_running = true;
                    while (!stop.stop_requested()) {
                        std::this_thread::yield();
                    }
                },
                first_stop.get_token());
            QVERIFY(ran);
        });
        QTRY_VERIFY(is_running);
        std::stop_source second_stop;
        second_stop.request_stop();
        bool has_run = false;
        QVERIFY(
            !worker.run([&](const std::stop_token&) { has_run = true; }, second_stop.get_token()));
        QVERIFY(!has_run);
        first_stop.request_stop();
        first.join();
        QVERIFY(worker.run([&](const std::stop_token&) { has_run = true; }, {}));
        QVERIFY(has_run);
    }

    void nobodyWaitsForTheTidyingUp()
    {
        std::atomic<bool> has_answer = false;
        bool is_tidy = false;
        {
            reader::WorkThread worker;
            bool has_run = false;
            QVERIFY(worker.run([&](const std::stop_token&) { has_run = true; }, {},
                               [&] {
                                   while (!has_answer) {
                                       std::this_thread::yield();
                                   }
                                   is_tidy = true;
                               }));
            QVERIFY(has_run);
            has_answer = true;
        }
        QVERIFY(is_tidy);
    }

    void theEndOfTheThreadStopsItsWork()
    {
        std::atomic<bool> is_running = false;
        bool was_stopped = false;
        std::jthread caller;
        {
            reader::WorkThread worker;
            caller = std::jthread([&] {
                static_cast<void>(worker.run(
                    [&](const std::stop_token& stop) {
                        is_running = true;
                        while (!stop.stop_requested()) {
                            std::this_thread::yield();
                        }
                        was_stopped = true;
                    },
                    {}));
            });
            QTRY_VERIFY(is_running);
        }
        QVERIFY(was_stopped);
    }
};

TIDEMARK_TEST(TstInterpreter)

} // namespace tidemark::tst_interpreter

#include "tst_interpreter.moc"
