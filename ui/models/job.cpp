// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/job.h"

#include <utility>

namespace tidemark::ui {

Job::Job()
    : m_thread([this](const std::stop_token& closing) { work(closing); })
{
}

Job::~Job()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting.clear();
        m_running.request_stop();
    }
    m_thread.request_stop();
    m_thread.join();
}

std::stop_source Job::start(Task task)
{
    std::stop_source stop;
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting.push_back({std::move(task), stop});
    }
    m_wake.notify_one();
    return stop;
}

void Job::work(const std::stop_token& closing)
{
    while (true) {
        Task task;
        std::stop_token stop;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, closing, [this] { return !m_waiting.empty(); });
            if (closing.stop_requested()) {
                return;
            }
            task = std::move(m_waiting.front().task);
            m_running = m_waiting.front().stop;
            stop = m_running.get_token();
            m_waiting.pop_front();
        }
        if (!stop.stop_requested()) {
            task(stop);
        }
    }
}

} // namespace tidemark::ui
