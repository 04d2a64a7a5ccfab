// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/job/job.h"
#include "core/report/document.h"

#include <QtCore/QString>
#include <QtCore/QStringList>

#include <functional>
#include <span>
#include <stop_token>

namespace tidemark::ui {

/// How a report is wished.
struct ReportWish {
    bool redacts = false; ///< Other names of users, hosts and folders.
    tidemark::report::PaperSize paper = tidemark::report::PaperSize::any;
};

/// What the window needs from outside.
struct WindowServices {
    /// Writes the PDF report of one analysis or of two compared, which bear these letters. Called
    /// on a thread of its own; it stops when the window closes.
    std::function<Result<Done>(const QString& path, std::span<const diagnose::Analysis> analyses,
                               const QStringList& letters, const ReportWish& wish,
                               const std::stop_token& stop)>
        write_report;
    QString example_path{}; ///< Empty where no example is installed.
    /// The same of a job of many ranks.
    std::function<Result<Done>(const QString& path, const job::Job& job, const ReportWish& wish,
                               const std::stop_token& stop)>
        write_job_report{};
};

} // namespace tidemark::ui
