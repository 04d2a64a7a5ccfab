// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/csv.h"

#include "core/base/joined.h"
#include "core/report/text_tools.h"

#include <fmt/format.h>

namespace tidemark::report {

std::string csvField(std::string_view text)
{
    const bool is_formula =
        !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string_view::npos;
    if (!is_formula && text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = is_formula ? "\"'" : "\"";
    for (const char c : text) {
        quoted.append(c == '"' ? 2U : 1U, c);
    }
    return quoted + '"';
}

std::string csvLine(std::span<const std::string> cells)
{
    return joined(cells, ",", [](const std::string& cell) { return csvField(visibleText(cell)); });
}

std::filesystem::path csvTableFile(const std::filesystem::path& file, std::string_view table)
{
    std::filesystem::path name = file;
    return name.replace_extension(fmt::format(".{}.csv", table));
}

} // namespace tidemark::report
