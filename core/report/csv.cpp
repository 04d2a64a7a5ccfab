// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/csv.h"

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

} // namespace tidemark::report
