// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/timeline/layers_refiner.h"

namespace tidemark::ui {

LayersRefiner::LayersRefiner(QObject* parent)
    : QObject(parent)
{
}

void LayersRefiner::request(const diagnose::Analysis& analysis, std::size_t device,
                            const projection::TimelineProjection& timeline,
                            const projection::LayersRequest& request)
{
    m_job.start(
        this,
        [curves = analysis.curves, device, timeline, request](const std::stop_token& stop) {
            return projection::projectAllocations(curves->devices[device], timeline, request, stop);
        },
        [this](const std::shared_ptr<projection::AllocationLayers>& layers) {
            Q_EMIT ready(layers);
        });
}

void LayersRefiner::cancel()
{
    m_job.cancel();
}

} // namespace tidemark::ui
