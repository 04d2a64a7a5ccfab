// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>

/// Letters and digits of ASCII, in every locale, unlike <cctype>. Other bytes are neither and stay
/// as they are.
namespace tidemark {

constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

constexpr char lowered(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool isLetter(char c)
{
    return lowered(c) >= 'a' && lowered(c) <= 'z';
}

inline std::string lowered(std::string_view text)
{
    std::string made(text);
    for (char& c : made) {
        c = lowered(c);
    }
    return made;
}

/// Its letters and digits alone, lowered: "AdamW-8bit" is "adamw8bit".
inline std::string loweredAlphanumeric(std::string_view text)
{
    std::string made;
    for (const char c : text) {
        if (isLetter(c) || isDigit(c)) {
            made += lowered(c);
        }
    }
    return made;
}

/// Without blanks and line ends around it.
constexpr std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos
        ? std::string_view()
        : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

} // namespace tidemark
