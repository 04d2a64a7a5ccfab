// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace tidemark::reader {

/// One permanent thread that does what several callers ask of it, one after another. It starts with
/// the first piece of work; the destructor asks the current one to stop, gives up those that wait,
/// and returns when all callers have their answer.
class WorkThread {
public:
    using Work = std::function<void(const std::stop_token&)>;

    WorkThread() = default;
    WorkThread(const WorkThread&) = delete;
    WorkThread& operator=(const WorkThread&) = delete;
    ~WorkThread();

    /// Runs `work` there and waits for its end. False, and nothing was run, when `stop` (or the end
    /// of this object) came first. `work` gets a token that `stop` and the end of this object
    /// reach; what it throws is thrown here. `tidy` runs there behind it, while the caller goes on;
    /// what it needs must outlive this object, and it may not throw.
    [[nodiscard]] bool run(const Work& work, const std::stop_token& stop,
                           std::function<void()> tidy = {});

private:
    struct Job {
        const Work& work;
        std::function<void()> tidy;
        std::stop_source stop{};
        bool started = false;
        bool done = false;
        std::exception_ptr failure{};
    };

    void serve();

    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Job*> m_queue;
    Job* m_current = nullptr;
    int m_callers = 0; ///< Inside run().
    bool m_leaving = false;
    std::thread m_thread;
};

} // namespace tidemark::reader
