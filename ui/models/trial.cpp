// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "ui/models/predictor.h"

#include "core/diagnose/diagnose.h"
#include "ui/models/text.h"

namespace tidemark::ui {

Predictor::Predictor(QObject* parent)
    : QObject(parent)
{
}

void Predictor::request(const diagnose::Analysis& analysis, std::size_t device,
                        const QString& title, const QString& apply)
{
    cancel();
    const auto changes = diagnose::parseChanges(utf8(apply));
    if (!changes.has_value() || changes.value().empty()) {
        return;
    }
    m_job.start(
        this,
        [analysis, device, title, list = changes.value()](const std::stop_token&) {
            Ghost ghost;
            ghost.title = title;
            ghost.prediction = diagnose::predict(analysis, device, list);
            ghost.pyramid = MaxPyramid(ghost.prediction.after_active);
            return ghost;
        },
        [this](const std::shared_ptr<const Ghost>& ghost) { Q_EMIT ready(ghost); });
}

void Predictor::cancel()
{
    m_job.cancel();
}

} // namespace tidemark::ui
