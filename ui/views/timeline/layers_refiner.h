// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/projection/allocation_layers.h"
#include "ui/models/newest_job.h"

#include <QtCore/QObject>

#include <memory>

namespace tidemark::ui {

/// Projects allocations off the window's thread, the newest request only: the fine picture after a
/// coarse one.
class LayersRefiner : public QObject {
    Q_OBJECT
public:
    explicit LayersRefiner(QObject* parent = nullptr);
    [[nodiscard]] bool isBusy() const
    {
        return m_job.isBusy();
    }

    void request(const diagnose::Analysis& analysis, std::size_t device,
                 const projection::TimelineProjection& timeline,
                 const projection::LayersRequest& request);
    /// Forgets the request that is under way, so that its result is not delivered.
    void cancel();

Q_SIGNALS:
    void ready(const std::shared_ptr<tidemark::projection::AllocationLayers>& layers);

private:
    NewestJob m_job;
};

} // namespace tidemark::ui
