// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/report/text_tools.h"

#include "core/base/ascii.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace tidemark::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::uint8_t byteAt(std::string_view text, std::size_t i)
{
    return static_cast<std::uint8_t>(text[i]);
}

/// Length of the valid UTF-8 sequence at `i`, 0 for an invalid one. Source: RFC 3629, section 4.
std::size_t sequenceLength(std::string_view text, std::size_t i)
{
    const std::uint8_t first = byteAt(text, i);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || i + length > text.size()) {
        return 0;
    }
    for (std::size_t k = 1; k < length; ++k) {
        if ((byteAt(text, i + k) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    const std::uint8_t second = byteAt(text, i + 1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second > 0x9F;
    const bool beyond = first == 0xF4 && second > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

/// C0 and C1 controls, DEL, the marks that change the direction of what follows, and those that
/// show nothing themselves: what is looked for would not be found.
bool isControl(std::string_view sequence)
{
    if (sequence.size() == 1) {
        return byteAt(sequence, 0) < 0x20 || byteAt(sequence, 0) == 0x7F;
    }
    if (sequence.size() == 2) {
        return (byteAt(sequence, 0) == 0xC2 && byteAt(sequence, 1) < 0xA0)
            || sequence == "\xD8\x9C"; // U+061C
    }
    // U+200B to U+200F, U+2028 to U+202E, U+2060 to U+206F, U+FEFF.
    return (sequence >= "\xE2\x80\x8B" && sequence <= "\xE2\x80\x8F")
        || (sequence >= "\xE2\x80\xA8" && sequence <= "\xE2\x80\xAE")
        || (sequence >= "\xE2\x81\xA0" && sequence <= "\xE2\x81\xAF") || sequence == "\xEF\xBB\xBF";
}

/// Of a valid sequence of up to three bytes.
unsigned codePoint(std::string_view sequence)
{
    const auto rest = [&](std::size_t i) { return byteAt(sequence, i) & 0x3FU; };
    switch (sequence.size()) {
    case 1:
        return byteAt(sequence, 0);
    case 2:
        return (byteAt(sequence, 0) & 0x1FU) << 6U | rest(1);
    default:
        return (byteAt(sequence, 0) & 0x0FU) << 12U | rest(1) << 6U | rest(2);
    }
}

/// Of the first word, or of a figure with its unit, which stay on one line.
std::size_t endOfWord(std::string_view text)
{
    static constexpr std::array<std::string_view, 8> kUnits{"B",   "KiB", "MiB", "GiB",
                                                            "TiB", "%",   "s",   "ms"};
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos || space == 0 || !isDigit(text[space - 1])) {
        return space;
    }
    const std::size_t end = text.find_first_of(" .,;:)", space + 1);
    const std::string_view next = text.substr(space + 1, end - space - 1);
    return std::ranges::find(kUnits, next) == kUnits.end() ? space : text.find(' ', space + 1);
}

} // namespace

std::string visibleText(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequenceLength(text, i);
        const std::string_view sequence = text.substr(i, std::max<std::size_t>(length, 1));
        if (sequence == "\n" || sequence == "\t" || sequence == "\r") {
            out += ' ';
        } else if (length == 0 || isControl(sequence)) {
            out += kReplacement;
        } else {
            out += sequence;
        }
        i += sequence.size();
    }
    return out;
}

std::string escapeJsonControls(std::string json)
{
    // The first bytes of all that is escaped, DEL itself among them.
    static constexpr std::string_view kFirst = "\x7F\xC2\xD8\xE2\xEF";
    std::size_t found = json.find_first_of(kFirst);
    if (found == std::string::npos) {
        return json;
    }
    std::string out;
    std::size_t copied = 0;
    for (; found != std::string::npos; found = json.find_first_of(kFirst, found)) {
        const std::size_t length = std::max<std::size_t>(sequenceLength(json, found), 1);
        const std::string_view sequence = std::string_view(json).substr(found, length);
        if (isControl(sequence)) {
            out.append(json, copied, found - copied);
            out += fmt::format("\\u{:04x}", codePoint(sequence));
            copied = found + length;
        }
        found += length;
    }
    return out.append(json, copied);
}

std::size_t characterCount(std::string_view text)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::string> wrapText(std::string_view text, std::size_t width)
{
    std::vector<std::string> lines(1);
    std::size_t used = 0;
    while (!text.empty()) {
        const std::size_t space = endOfWord(text);
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
        if (word.empty()) {
            continue;
        }
        const std::size_t length = characterCount(word);
        if (used > 0 && used + 1 + length > width) {
            lines.emplace_back();
            used = 0;
        }
        if (used > 0) {
            lines.back() += ' ';
            ++used;
        }
        lines.back() += word;
        used += length;
    }
    return lines;
}

std::string escapeMarkdown(std::string_view text)
{
    static constexpr std::string_view kSpecial = "\\`*_<>[]|~#";
    const std::string shown = visibleText(text);
    std::string out;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const char next = i + 1 < shown.size() ? shown[i + 1] : ' ';
        const bool is_entity = shown[i] == '&' && (next == '#' || isLetter(next));
        if (is_entity || kSpecial.find(shown[i]) != std::string_view::npos) {
            out += '\\';
        }
        out += shown[i];
    }
    return out;
}

std::string escapeHtml(std::string_view text)
{
    std::string out;
    for (const char c : visibleText(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

} // namespace tidemark::report
