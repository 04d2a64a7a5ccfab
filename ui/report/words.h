// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QCoreApplication>
#include <QtCore/QString>

namespace tidemark::diagnose {
struct DeviceDiagnosis;
} // namespace tidemark::diagnose

namespace tidemark::ui::report {

/// The context of the report's texts for translators.
struct ReportWords {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::Report)
};

/// How well a cause is supported: "strong", "likely", "possible", "weak".
[[nodiscard]] QString supportWord(double score);
/// The titles of the recommended fixes, with plus signs between them.
[[nodiscard]] QString recommendedTitles(const diagnose::DeviceDiagnosis& diagnosis);

} // namespace tidemark::ui::report
