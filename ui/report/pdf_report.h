// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/job/job.h"
#include "core/pipeline/bookmarks.h"

#include <QtCore/QDateTime>
#include <QtCore/QString>
#include <QtGui/QPageSize>

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace tidemark::ui {

struct PdfOptions {
    QPageSize page_size{QPageSize::A4}; ///< Always portrait.
    /// The date that stands in the report and in the document's properties; unset: that of
    /// SOURCE_DATE_EPOCH in UTC, else now. With a fixed date the same analyses give the same bytes.
    std::optional<QDateTime> date;
    /// What two runs are called: by their order unless given.
    std::array<QString, 2> letters{QStringLiteral("A"), QStringLiteral("B")};
    /// The moments that a person marked in each run.
    std::array<std::vector<pipeline::Bookmark>, 2> bookmarks{};
    bool single_reports = false; ///< Of two runs: the report of each behind the comparison.
    /// What is never written onto; empty: the files of the runs.
    std::vector<std::filesystem::path> inputs{};
    std::stop_token stop{}; ///< Looked at before every section and every page.
};

/// Writes `report::reportDocument` of one run or of two as a PDF with vector figures, embedded
/// fonts and bookmarks. The file appears complete or not at all. Requires a QGuiApplication (the
/// offscreen platform will do). Errors: badArgument (none or more than two analyses, or one that is
/// not complete), cannotWrite, cancelled (nothing was written).
Result<Done> writePdf(const QString& path, std::span<const diagnose::Analysis> analyses,
                      const PdfOptions& options = {});

/// The same of `report::jobReportDocument`, on one page. `inputs`: what is not to be written onto.
Result<Done> writeJobPdf(const QString& path, const job::Job& job,
                         std::span<const std::filesystem::path> inputs,
                         const PdfOptions& options = {});

} // namespace tidemark::ui
