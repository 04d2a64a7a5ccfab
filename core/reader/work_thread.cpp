// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/work_thread.h"

#include <utility>

namespace tidemark::reader {

WorkThread::~WorkThread()
{
    std::unique_lock lock(m_mutex);
    m_leaving = true;
    if (m_current != nullptr) {
        m_current->stop.request_stop();
    }
    m_changed.notify_all();
    m_changed.wait(lock, [&] { return m_callers == 0; });
    lock.unlock();
    if (m_thread.joinable()) {
        m_thread.join();
    }
}

bool WorkThread::run(const Work& work, const std::stop_token& stop, std::function<void()> tidy)
{
    Job job{work, std::move(tidy)};
    const std::stop_callback forward(stop, [&job] { job.stop.request_stop(); });
    std::unique_lock lock(m_mutex);
    if (!m_thread.joinable()) {
        m_thread = std::thread([this] { serve(); });
    }
    ++m_callers;
    m_queue.push_back(&job);
    m_changed.notify_all();
    m_changed.wait(lock, stop, [&] { return job.started || m_leaving; });
    if (job.started) {
        m_changed.wait(lock, [&] { return job.done; });
    } else {
        std::erase(m_queue, &job);
    }
    --m_callers;
    m_changed.notify_all();
    if (job.failure) {
        lock.unlock();
        std::rethrow_exception(job.failure);
    }
    return job.started;
}

void WorkThread::serve()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_changed.wait(lock, [&] { return m_leaving || !m_queue.empty(); });
        if (m_leaving) {
            return;
        }
        Job& job = *m_queue.front();
        m_queue.pop_front();
        job.started = true;
        m_current = &job;
        m_changed.notify_all();
        lock.unlock();
        try {
            job.work(job.stop.get_token());
        } catch (...) {
            job.failure = std::current_exception();
        }
        const std::function<void()> tidy = std::move(job.tidy);
        lock.lock();
        m_current = nullptr;
        job.done = true; // From here on the job may be gone.
        m_changed.notify_all();
        if (tidy) {
            lock.unlock();
            tidy();
            lock.lock();
        }
    }
}

} // namespace tidemark::reader
