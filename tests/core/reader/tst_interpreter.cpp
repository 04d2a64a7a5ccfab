// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"
#include "core/reader/work_thread.h"
#include "tests/core/reader/small_snapshot.h"
#include "tests/support/test_main.h"

#include <signal.h>

#include <QtTest/QTest>

#include <atomic>
#include <clocale>
#include <thread>
#include <vector>

using namespace tidemark;

class TstInterpreter : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        QVERIFY(test::readString(test::smallSnapshot().string()).has_value());
        QCOMPARE(::sigaction(SIGINT, nullptr, &after), 0);
        QVERIFY(before.sa_handler == after.sa_handler);
        QCOMPARE(std::string(std::setlocale(LC_ALL, nullptr)), locale);
    }

    void environmentVariablesOfPythonHaveNoEffect()
    {
        ::setenv("PYTHONHOME", "/nonexistent", 1);
        ::setenv("PYTHONPATH", "/nonexistent", 1);
        QVERIFY(test::readString(test::smallSnapshot().string()).has_value());
        ::unsetenv("PYTHONHOME");
        ::unsetenv("PYTHONPATH");
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
                        const auto result = test::readString(bytes);
                        read += result.has_value() && result.value().devices[0].events.count() == 2
                            ? 1
                            : 0;
                    }
                });
            }
        }
        QCOMPARE(read.load(), 100);
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
#include "tst_interpreter.moc"
