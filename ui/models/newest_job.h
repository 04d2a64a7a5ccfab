// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "ui/models/job.h"

#include <QtCore/QObject>

#include <cstdint>
#include <memory>
#include <new>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace tidemark::ui {

/// Computes one thing after another off the window's thread of which only the newest matters: a
/// request stops the one before and its result is forgotten. A member of the object that receives
/// the results, behind what they are delivered to.
class NewestJob {
public:
    NewestJob() = default;

    /// `compute(stop)` runs on a thread of its own, `deliver(result)` afterwards on that of
    /// `receiver`, the result as a shared pointer; not at all where another request or cancel()
    /// came meanwhile, or the memory did not suffice.
    template <class Compute, class Deliver>
    void start(QObject* receiver, Compute compute, Deliver deliver)
    {
        cancel();
        m_is_busy = true;
        if (!m_job) {
            m_job = std::make_unique<Job>(); // Many a view never needs its thread.
        }
        const std::uint64_t number = m_newest;
        m_stop = m_job->start([this, number, receiver, compute = std::move(compute),
                               deliver = std::move(deliver)](const std::stop_token& stop) {
            using Value = std::invoke_result_t<const Compute&, const std::stop_token&>;
            std::shared_ptr<Value> result; // None where the memory did not suffice.
            try {
                result = std::make_shared<Value>(compute(stop));
            } catch (const std::bad_alloc&) {
                result.reset(); // What is shown stays.
            }
            if (stop.stop_requested()) {
                return;
            }
            QMetaObject::invokeMethod(
                receiver,
                [this, number, result, deliver] {
                    if (number != m_newest) {
                        return;
                    }
                    m_is_busy = false;
                    if (result != nullptr) {
                        deliver(result);
                    }
                },
                Qt::QueuedConnection);
        });
    }
    /// Forgets the request that is under way.
    void cancel()
    {
        ++m_newest;
        m_is_busy = false;
        m_stop.request_stop();
    }
    /// Whether a result is still to come.
    [[nodiscard]] bool isBusy() const
    {
        return m_is_busy;
    }

private:
    std::uint64_t m_newest = 0;
    bool m_is_busy = false;
    std::stop_source m_stop;
    std::unique_ptr<Job> m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
