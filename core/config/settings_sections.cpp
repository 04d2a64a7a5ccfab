// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
// The form that INI and TOML files share: sections in brackets, a name and a value per line.
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/config/settings.h"

#include <algorithm>

namespace tidemark::config {
namespace {

bool isName(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.';
    });
}

/// Without a comment behind it and without its quotes.
std::string plainValue(std::string_view value)
{
    value = trimmed(value);
    if (!value.empty() && (value.front() == '"' || value.front() == '\'')) {
        const std::size_t close = value.find(value.front(), 1);
        return std::string(value.substr(1, close == std::string_view::npos ? close : close - 1));
    }
    return std::string(trimmed(value.substr(0, value.find_first_of("#;"))));
}

} // namespace

std::optional<Settings> settingsFromSections(std::string_view text)
{
    Settings settings{toSay("sections"), {}};
    std::string section;
    bool has_section = false;
    bool is_in_list = false; // a value in brackets goes on over several lines
    for (std::size_t at = 0; at < text.size() && settings.all.size() < kMostSettings;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(text.substr(at, end - at));
        at = end + 1;
        if (is_in_list) {
            is_in_list = line.find(']') == std::string_view::npos;
            continue;
        }
        if (line.empty() || line.front() == '#' || line.front() == ';') {
            continue;
        }
        const std::size_t equals = line.find('=');
        const std::string_view name = trimmed(line.substr(0, equals));
        if (line.front() == '[' && equals == std::string_view::npos) {
            const std::size_t close = line.find(']');
            const std::size_t begin = std::min(line.find_first_not_of('['), line.size());
            section = close == std::string_view::npos || close <= begin
                ? std::string()
                : plainName(trimmed(line.substr(begin, close - begin))) + '.';
            has_section = true;
        } else if (equals != std::string_view::npos && isName(name)) {
            const std::string_view value = line.substr(equals + 1);
            is_in_list =
                trimmed(value).starts_with('[') && value.find(']') == std::string_view::npos;
            settings.all.push_back({section + plainName(name), plainValue(value)});
        } else {
            return std::nullopt;
        }
    }
    return has_section ? std::optional(std::move(settings)) : std::nullopt;
}

} // namespace tidemark::config
