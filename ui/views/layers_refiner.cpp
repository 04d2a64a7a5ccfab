// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/views/layers_refiner.h"

#include <new>

namespace tidemark::ui {

LayersRefiner::LayersRefiner(QObject* parent)
    : QObject(parent)
{
}

LayersRefiner::~LayersRefiner()
{
    m_job.reset();
}

void LayersRefiner::request(const diagnose::Analysis& analysis, std::size_t device,
                            const projection::TimelineProjection& timeline,
                            const projection::LayersRequest& request)
{
    cancel();
    if (!m_job) {
        m_job = std::make_unique<Job>(); // Most traces never need its thread.
    }
    const std::uint64_t number = m_newest;
    m_stop = m_job->start([this, number, curves = analysis.curves, device, timeline,
                           request](const std::stop_token& stop) {
        std::shared_ptr<projection::AllocationLayers> layers;
        try {
            layers = std::make_shared<projection::AllocationLayers>(
                projection::projectAllocations(curves->devices[device], timeline, request, stop));
        } catch (const std::bad_alloc&) {
            return; // Without memory for it the coarse picture stays.
        }
        if (stop.stop_requested()) {
            return;
        }
        QMetaObject::invokeMethod(
            this,
            [this, number, layers] {
                if (number == m_newest) {
                    Q_EMIT ready(layers);
                }
            },
            Qt::QueuedConnection);
    });
}

void LayersRefiner::cancel()
{
    ++m_newest;
    m_stop.request_stop();
}

} // namespace tidemark::ui
