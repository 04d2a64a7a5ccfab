// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/report/simulation.h"
#include "ui/models/newest_job.h"
#include "ui/models/view_state.h"

#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <atomic>
#include <memory>
#include <optional>

namespace tidemark::ui {

/// Replays a device's requests under other allocator settings, off the window's thread, the newest
/// request only.
class Simulator : public QObject {
    Q_OBJECT
public:
    explicit Simulator(QObject* parent = nullptr);

    /// Requires replay and block sizes in the analysis, and a device with a GPU's memory.
    void study(const diagnose::Analysis& analysis, std::size_t device,
               const allocator::StudyOptions& options);
    /// Where everything lies in one of a study's simulations.
    void layOut(const diagnose::Analysis& analysis, std::size_t device,
                const allocator::Simulation& simulation);
    /// Forgets what is under way.
    void cancel();
    void cancelLayout(); ///< That of `layOut` alone.
    [[nodiscard]] bool isStudying() const
    {
        return m_clock.isActive();
    }

Q_SIGNALS:
    void studied(const std::shared_ptr<const tidemark::report::SimulatedDevice>& device);
    void laidOut(const std::shared_ptr<const tidemark::ui::SimulatedRun>& run);
    void progressed(double fraction); ///< Of a study.

private:
    std::shared_ptr<std::atomic<double>> m_fraction;
    QTimer m_clock; ///< Runs during a study.
    NewestJob m_layouts;
    NewestJob m_studies; ///< Last: joined before the rest is gone.
};

} // namespace tidemark::ui
