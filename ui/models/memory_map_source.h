// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/projection/memory_map.h"
#include "core/replay/memory_state.h"
#include "ui/models/job.h"

#include <QtCore/QObject>

#include <cstdint>
#include <memory>
#include <optional>

namespace tidemark::ui {

/// The memory of a device in one state, ready to be laid out and painted.
struct MemoryScene {
    std::shared_ptr<const trace::Snapshot> snapshot; ///< With `device`, whose memory it is.
    std::size_t device = 0;
    replay::MemoryState memory;
    projection::MapLayout layout;
    replay::Fragmentation fragmentation;
    bool is_exact = true; ///< All block sizes are; else the active bytes are the least they can be.
};

/// Computes memory states off the window's thread, at most one at a time: while one is being
/// computed only the newest further request is kept, so that following the mouse neither piles up
/// work nor shows nothing.
class MemoryMapSource : public QObject {
    Q_OBJECT
public:
    explicit MemoryMapSource(QObject* parent = nullptr);
    ~MemoryMapSource() override;

    /// Requires replay and block sizes in the analysis.
    void request(const diagnose::Analysis& analysis, std::size_t device, StateId state);
    /// Forgets all requests: nothing of them is delivered any more.
    void cancel();
    [[nodiscard]] bool isBusy() const
    {
        return m_is_busy;
    }

Q_SIGNALS:
    void ready(const std::shared_ptr<const tidemark::ui::MemoryScene>& scene);

private:
    struct Request {
        diagnose::Analysis analysis;
        std::size_t device = 0;
        StateId state;
    };
    void start(Request request);
    void finish(std::uint64_t round, const std::shared_ptr<const MemoryScene>& scene);

    bool m_is_busy = false;
    std::uint64_t m_round = 0; ///< Counts cancellations.
    std::optional<Request> m_next;
    std::unique_ptr<Job> m_job; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
