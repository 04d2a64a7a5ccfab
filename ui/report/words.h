// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QCoreApplication>
#include <QtCore/QString>

namespace tidemark::ui::report {

/// The context of the report's texts for translators.
struct ReportWords {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::Report)
};

} // namespace tidemark::ui::report
