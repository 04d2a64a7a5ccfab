// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/export/formats.h"
#include "core/export/tables.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <system_error>

namespace tidemark::exports {
namespace {

struct DatabaseCloser {
    void operator()(sqlite3* database) const
    {
        sqlite3_close(database);
    }
    void operator()(sqlite3_stmt* statement) const
    {
        sqlite3_finalize(statement);
    }
};
using Database = std::unique_ptr<sqlite3, DatabaseCloser>;
using Statement = std::unique_ptr<sqlite3_stmt, DatabaseCloser>;

/// In the system's words, where it is the system that refused.
Error databaseError(sqlite3* database)
{
    const int system = sqlite3_system_errno(database);
    const bool is_systems = sqlite3_errcode(database) == SQLITE_IOERR && system != 0;
    return {ErrorCode::cannotWrite,
            is_systems ? std::generic_category().message(system) : sqlite3_errmsg(database),
            {}};
}

struct Binder {
    sqlite3_stmt* statement = nullptr;
    int column = 0;

    void operator()(std::monostate /*unused*/) const
    {
        sqlite3_bind_null(statement, column);
    }
    void operator()(std::int64_t number) const
    {
        sqlite3_bind_int64(statement, column, number);
    }
    void operator()(double number) const
    {
        sqlite3_bind_double(statement, column, number);
    }
    void operator()(const std::string& text) const
    {
        // It is there until the row is stepped over.
        sqlite3_bind_text(statement, column, text.data(), static_cast<int>(text.size()), nullptr);
    }
};

bool execute(sqlite3* database, const std::string& sql)
{
    return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

bool fillTable(sqlite3* database, const TableInfo& table, const Source& source)
{
    std::string columns;
    std::string marks;
    for (const ColumnInfo& column : table.columns) {
        columns += fmt::format("{} {}, ", column.name, column.type);
        marks += marks.empty() ? "?" : ", ?";
    }
    if (!execute(database,
                 fmt::format("CREATE TABLE {} ({}PRIMARY KEY ({})) WITHOUT ROWID", table.name,
                             columns, table.key))) {
        return false;
    }
    sqlite3_stmt* raw = nullptr;
    const std::string insert = fmt::format("INSERT INTO {} VALUES ({})", table.name, marks);
    if (sqlite3_prepare_v2(database, insert.c_str(), -1, &raw, nullptr) != SQLITE_OK) {
        return false;
    }
    const Statement statement(raw);
    bool is_fine = true;
    table.rows(source, [&](std::span<const Cell> cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            std::visit(Binder{raw, static_cast<int>(i) + 1}, cells[i]);
        }
        is_fine = sqlite3_step(raw) == SQLITE_DONE && sqlite3_reset(raw) == SQLITE_OK;
        return is_fine;
    });
    return is_fine;
}

Result<Done> fillDatabase(sqlite3* database, const Source& source)
{
    // The file has its name only when it is complete, so it needs no journal; `NewFile` syncs it.
    bool is_fine = execute(database, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    for (const TableInfo& table : tables()) {
        is_fine = is_fine && fillTable(database, table, source);
    }
    is_fine = is_fine
        && execute(database,
                   "CREATE INDEX allocations_by_stack ON allocations (stack);"
                   "CREATE VIEW stacks AS SELECT stack, group_concat(name || ' ' || filename || "
                   "':' || ifnull(line, '?'), char(10)) AS text FROM (SELECT stack, depth, name, "
                   "filename, line FROM stack_frames JOIN frames USING (frame) ORDER BY stack, "
                   "depth) GROUP BY stack")
        && execute(database, fmt::format("PRAGMA user_version = {}; COMMIT", kTablesVersion));
    return is_fine ? Result<Done>(Done{}) : Result<Done>(databaseError(database));
}

Result<Database> openDatabase(const std::string& name)
{
    sqlite3* raw = nullptr;
    const int opened =
        sqlite3_open_v2(name.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    Database database(raw);
    if (opened != SQLITE_OK) {
        return databaseError(raw);
    }
    return database;
}

} // namespace

Result<Done> writeSqlite(const std::filesystem::path& file, const Source& source)
{
    const Result<Database> database = openDatabase(file.string());
    return database.has_value() ? fillDatabase(database.value().get(), source)
                                : Result<Done>(database.error());
}

Result<Done> writeSqlite(std::ostream& out, const Source& source)
{
    const Result<Database> database = openDatabase(":memory:");
    if (!database.has_value()) {
        return database.error();
    }
    if (Result<Done> filled = fillDatabase(database.value().get(), source); !filled.has_value()) {
        return filled;
    }
    sqlite3_int64 size = 0;
    unsigned char* const bytes = sqlite3_serialize(database.value().get(), "main", &size, 0);
    if (bytes == nullptr) {
        return databaseError(database.value().get());
    }
    out.write(static_cast<const char*>(static_cast<const void*>(bytes)), size);
    sqlite3_free(bytes);
    return Done{};
}

} // namespace tidemark::exports
