// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/document.h"

#include <algorithm>

namespace tidemark::report {

Table factTable(std::vector<std::vector<std::string>> rows)
{
    return {{{"", Align::left}, {"", Align::left}}, std::move(rows), {}};
}

bool isSum(const Table& table, std::size_t row)
{
    return std::ranges::find(table.sums, row) != table.sums.end();
}

void dropEmptyColumn(Table& table, std::size_t column)
{
    const bool is_empty = std::ranges::all_of(table.rows, [column](const auto& row) {
        return row[column].empty() || row[column] == "-";
    });
    if (!is_empty) {
        return;
    }
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) {
        row.erase(row.begin() + at);
    }
}

} // namespace tidemark::report
