// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tidemark::cli {
namespace {

std::string_view variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string_view() : value;
}

int numberOf(std::string_view text)
{
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

bool hasUnicode()
{
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        if (const std::string_view locale = variable(name); !locale.empty()) {
            return locale.find("UTF-8") != std::string_view::npos
                || locale.find("utf8") != std::string_view::npos
                || locale.find("UTF8") != std::string_view::npos
                || locale.find("utf-8") != std::string_view::npos;
        }
    }
    return false;
}

report::ColourDepth depthHere()
{
    const std::string_view term = variable("TERM");
    if (!variable("NO_COLOR").empty() || term.empty() || term == "dumb") {
        return report::ColourDepth::none;
    }
    const std::string_view more = variable("COLORTERM");
    if (more == "truecolor" || more == "24bit" || term.ends_with("-direct")) {
        return report::ColourDepth::full;
    }
    return term.find("256") != std::string_view::npos ? report::ColourDepth::palette
                                                      : report::ColourDepth::sixteen;
}

} // namespace

bool isTerminal()
{
    return isatty(STDOUT_FILENO) == 1;
}

report::Terminal terminalHere()
{
    static constexpr int kUsualColumns = 80;
    static constexpr int kUsualLines = 24;
    static constexpr int kBeside = 10; // lines for what stands around the plot
    static constexpr int kMostPlotRows = 16;
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        const int columns = numberOf(variable("COLUMNS"));
        const int lines = numberOf(variable("LINES"));
        size.ws_col = static_cast<unsigned short>(columns > 0 ? columns : kUsualColumns);
        size.ws_row = static_cast<unsigned short>(lines > 0 ? lines : kUsualLines);
    }
    report::Terminal terminal;
    terminal.columns = size.ws_col;
    terminal.rows = std::clamp(size.ws_row - kBeside, 4, kMostPlotRows);
    terminal.depth = depthHere();
    terminal.has_unicode = hasUnicode();
    return terminal;
}

} // namespace tidemark::cli
