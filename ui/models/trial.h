// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "ui/models/newest_job.h"
#include "ui/models/view_state.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <memory>

namespace tidemark::ui {

/// Computes predicted timelines off the window's thread, the newest request only.
class Predictor : public QObject {
    Q_OBJECT
public:
    explicit Predictor(QObject* parent = nullptr);

    /// `apply` in the words of `tidemark-cli predict --apply`. Text that names no change gives
    /// nothing.
    void request(const diagnose::Analysis& analysis, std::size_t device, const QString& title,
                 const QString& apply);
    /// Forgets the request that is under way, so that its result is not delivered.
    void cancel();

Q_SIGNALS:
    void ready(const std::shared_ptr<const tidemark::ui::Ghost>& ghost);

private:
    NewestJob m_job;
};

} // namespace tidemark::ui
