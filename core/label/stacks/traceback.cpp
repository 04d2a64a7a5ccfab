// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/stacks/traceback.h"

#include <algorithm>
#include <charconv>

namespace tidemark::label {

std::vector<TracebackLine> tracebackLines(std::string_view text)
{
    static constexpr std::string_view kFile = "File \"";
    static constexpr std::string_view kLine = "\", line ";
    static constexpr std::string_view kIn = ", in ";
    std::vector<TracebackLine> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t file = line.find(kFile);
        const std::size_t number = line.find(kLine);
        const std::size_t name = line.find(kIn, number == std::string_view::npos ? 0 : number);
        if (file == std::string_view::npos || number == std::string_view::npos
            || name == std::string_view::npos || file + kFile.size() > number) {
            continue;
        }
        TracebackLine found;
        found.file = line.substr(file + kFile.size(), number - file - kFile.size());
        found.name = line.substr(name + kIn.size());
        const std::string_view digits =
            line.substr(number + kLine.size(), name - number - kLine.size());
        std::from_chars(digits.data(), digits.data() + digits.size(), found.line);
        lines.push_back(found);
    }
    return lines;
}

} // namespace tidemark::label
