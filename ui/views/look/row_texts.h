// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <QtCore/QString>

#include <cstdint>

class QTableView;

namespace tidemark::ui {

enum class RowFormat : std::uint8_t {
    plain, ///< Cells with tabs between.
    tsv, ///< The same under the headings.
    markdown, ///< A table; nothing in a cell is mark-up.
};

/// More rows are not copied: a clipboard is no file.
inline constexpr int kMostCopiedRows = 50'000;

struct RowTexts {
    QString text; ///< Ends without a line break.
    int rows = 0;
    int left_out = 0; ///< Beyond `kMostCopiedRows`.
};

/// The selected rows of a table as they are shown, from top to bottom: visible columns in their
/// order. Without a selection the current row. Tabs and line breaks in a cell are spaces.
[[nodiscard]] RowTexts selectedRows(const QTableView& table, RowFormat format);

} // namespace tidemark::ui
