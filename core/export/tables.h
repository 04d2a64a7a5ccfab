// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/export/formats.h"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tidemark::exports {

/// Of SQLite's `meta` and docs/sqlite.md: rises when a table or a column is renamed, removed or
/// means something else. New ones do not raise it.
inline constexpr int kTablesVersion = 1;

/// None, a number, a fraction, or a text without control characters.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct ColumnInfo {
    std::string_view name;
    std::string_view type; ///< INTEGER, REAL or TEXT.
};

/// Takes the cells of one row, valid during the call. False: nothing more is wanted.
using TakeRow = std::function<bool(std::span<const Cell>)>;

struct TableInfo {
    std::string_view name;
    std::string_view key; ///< Columns of SQLite's primary key.
    std::vector<ColumnInfo> columns;
    void (*rows)(const Source& source, const TakeRow& take);
};

/// All tables, in the order of docs/sqlite.md.
const std::vector<TableInfo>& tables();

/// The first line of a table as CSV.
std::string csvHeader(const TableInfo& table);
/// The tables to write and their files: `file`, or for `kAllTables` RUN.TABLE.csv of RUN.csv.
std::vector<std::pair<const TableInfo*, std::filesystem::path>>
csvFiles(const std::filesystem::path& file, std::string_view table);

/// Null: there is none of that name.
const TableInfo* tableNamed(std::string_view name);

} // namespace tidemark::exports
