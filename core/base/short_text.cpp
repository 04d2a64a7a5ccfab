// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/short_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tidemark {
namespace {

constexpr std::string_view kEllipsis = "…";

bool continuesCharacter(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Where the character at `begin` ends.
std::size_t characterEnd(std::string_view text, std::size_t begin)
{
    std::size_t end = begin + 1;
    while (end < text.size() && end - begin < 4 && continuesCharacter(text[end])) {
        ++end;
    }
    return end;
}

/// Whether a character of UTF-8 is put onto the one before it: the blocks of combining marks, and
/// variation selectors. Marks of single scripts are not told apart; few of them make a word.
bool isCombining(std::string_view character)
{
    static constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 8> kBlocks{
        {{0x0300, 0x036F},
         {0x0483, 0x0489},
         {0x1AB0, 0x1AFF},
         {0x1DC0, 0x1DFF},
         {0x20D0, 0x20FF},
         {0xFE00, 0xFE0F},
         {0xFE20, 0xFE2F},
         {0xE0100, 0xE01EF}}};
    if (character.size() < 2) {
        return false;
    }
    std::uint32_t code =
        static_cast<unsigned char>(character[0]) & (0xFFU >> (character.size() + 1));
    for (const char c : character.substr(1)) {
        code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    }
    return std::ranges::any_of(
        kBlocks, [code](const auto& block) { return code >= block.first && code <= block.second; });
}

bool isLineBreak(std::string_view character)
{
    return (character.size() == 1 && character[0] >= '\n' && character[0] <= '\r')
        || character == "\u2028" || character == "\u2029" || character == "\u0085";
}

} // namespace

std::string shortName(std::string_view name)
{
    constexpr std::size_t kLongest = 4096;
    if (name.size() <= kLongest) {
        return std::string(name);
    }
    std::size_t end = kLongest;
    while (end > 0 && continuesCharacter(name[end])) {
        --end;
    }
    return std::string(name.substr(0, end)).append(kEllipsis);
}

std::string shownName(std::string_view name)
{
    constexpr std::size_t kMostCharacters = 300;
    constexpr std::size_t kMostMarks = 4;
    std::string shown;
    std::size_t characters = 0;
    std::size_t marks = 0;
    bool breaks = false;
    for (std::size_t i = 0; i < name.size();) {
        const std::size_t end = characterEnd(name, i);
        const std::string_view character = name.substr(i, end - i);
        i = end;
        marks = isCombining(character) ? marks + 1 : 0;
        const bool broke = std::exchange(breaks, isLineBreak(character));
        if (marks > kMostMarks || (broke && breaks)) {
            continue;
        }
        if (++characters > kMostCharacters) {
            return shown.append(kEllipsis);
        }
        shown.append(breaks ? "↵" : character);
    }
    return shown;
}

} // namespace tidemark
