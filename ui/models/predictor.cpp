// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/predictor.h"

#include "core/diagnose/diagnose.h"
#include "ui/models/text.h"

#include <new>

namespace tidemark::ui {

Predictor::Predictor(QObject* parent)
    : QObject(parent)
    , m_job(std::make_unique<Job>())
{
}

Predictor::~Predictor()
{
    m_job.reset();
}

void Predictor::request(const diagnose::Analysis& analysis, std::size_t device,
                        const QString& title, const QString& apply)
{
    cancel();
    const auto changes = diagnose::parseChanges(utf8(apply));
    if (!changes.has_value() || changes.value().empty()) {
        return;
    }
    const std::uint64_t number = m_newest;
    m_stop = m_job->start([this, number, analysis, device, title,
                           list = changes.value()](const std::stop_token& stop) {
        std::shared_ptr<Ghost> ghost;
        try {
            ghost = std::make_shared<Ghost>();
            ghost->title = title;
            ghost->prediction = diagnose::predict(analysis, device, list);
            ghost->pyramid = MaxPyramid(ghost->prediction.after_active);
        } catch (const std::bad_alloc&) {
            return; // Without memory for it the curve is simply not drawn.
        }
        if (stop.stop_requested()) {
            return;
        }
        QMetaObject::invokeMethod(
            this,
            [this, number, ghost] {
                if (number == m_newest) {
                    Q_EMIT ready(ghost);
                }
            },
            Qt::QueuedConnection);
    });
}

void Predictor::cancel()
{
    ++m_newest;
    m_stop.request_stop();
}

} // namespace tidemark::ui
