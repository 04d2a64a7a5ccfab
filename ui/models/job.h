// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace tidemark::ui {

/// One permanent thread that runs tasks one after another: the bridge between core's synchronous
/// functions and the window. Tasks hand their results over with a queued call of their own. The
/// destructor asks the running task to stop, forgets the waiting ones and joins.
class Job {
public:
    using Task = std::function<void(std::stop_token)>;

    Job();
    ~Job();
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    Job(Job&&) = delete;
    Job& operator=(Job&&) = delete;

    /// Queues a task. The returned source stops it, whether it runs or still waits; a task that was
    /// stopped while waiting is not run at all. An exception out of a task would end the program,
    /// so tasks catch what core may throw.
    std::stop_source start(Task task);
    /// Frees a value on the thread, after what waits there.
    template <class Value>
    void letGo(Value value)
    {
        start([value = std::move(value)](const std::stop_token&) {});
    }

private:
    struct Entry {
        Task task;
        std::stop_source stop;
    };
    void work(const std::stop_token& closing);

    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::deque<Entry> m_waiting;
    std::stop_source m_running;
    std::jthread m_thread;
};

} // namespace tidemark::ui
