// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/joined.h"
#include "core/base/new_file.h"
#include "core/export/formats.h"
#include "core/export/tables.h"
#include "core/report/csv.h"

#include <fmt/format.h>

namespace tidemark::exports {
namespace {

struct CsvCell {
    std::string operator()(std::monostate /*unused*/) const
    {
        return {};
    }
    std::string operator()(std::int64_t number) const
    {
        return fmt::format("{}", number);
    }
    std::string operator()(double number) const
    {
        return fmt::format("{}", number);
    }
    std::string operator()(const std::string& text) const
    {
        return report::csvField(text);
    }
};

void writeCsvTable(std::ostream& out, const TableInfo& table, const Source& source)
{
    out << csvHeader(table) << '\n';
    table.rows(source, [&](std::span<const Cell> cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            out << (i == 0 ? "" : ",") << std::visit(CsvCell{}, cells[i]);
        }
        out << '\n';
        return out.good();
    });
}

} // namespace

std::string csvHeader(const TableInfo& table)
{
    return joined(table.columns, ",", &ColumnInfo::name);
}

std::vector<std::pair<const TableInfo*, std::filesystem::path>>
csvFiles(const std::filesystem::path& file, std::string_view table)
{
    std::vector<std::pair<const TableInfo*, std::filesystem::path>> files;
    for (const TableInfo& known : tables()) {
        if (table == known.name) {
            files.emplace_back(&known, file);
        } else if (table == kAllTables) {
            files.emplace_back(&known, report::csvTableFile(file, known.name));
        }
    }
    return files;
}

Result<Done> writeCsv(const std::filesystem::path& file, const Source& source)
{
    NewFiles files;
    for (const auto& each : csvFiles(file, source.wanted.table)) {
        const Result<Done> done = files.add(each.second, [&](std::ostream& out) -> Result<Done> {
            writeCsvTable(out, *each.first, source);
            return Done{};
        });
        if (!done.has_value()) {
            return done;
        }
    }
    return files.commit();
}

} // namespace tidemark::exports
