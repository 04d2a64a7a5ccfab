// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QCoreApplication>

namespace tidemark::ui {

/// The context for translators of the tables of a comparison.
struct ComparisonWords {
    Q_DECLARE_TR_FUNCTIONS(tidemark::ui::Comparison)
};

} // namespace tidemark::ui
