// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_literals.h"

#include "core/base/ascii.h"
#include "core/reader/utf8.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace tidemark::reader {
namespace {

/// `base` only for whole numbers.
template <class Number, class... Base>
std::optional<Number> parsed(std::string_view digits, Base... base)
{
    Number number{};
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, base...);
    if (problem != std::errc() || end != digits.data() + digits.size()) {
        return {};
    }
    return number;
}

bool isDecimal(std::string_view text)
{
    if (text.starts_with('-')) {
        text.remove_prefix(1);
    }
    const bool all_digits = std::ranges::all_of(text, isDigit);
    return !text.empty() && all_digits && (text.size() == 1 || text.front() != '0');
}

/// The character a one-letter escape of a Python string stands for.
std::optional<char> simpleEscape(char letter)
{
    switch (letter) {
    case '\\':
    case '\'':
    case '"':
        return letter;
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return {};
    }
}

} // namespace

Slot integerFromBytes(NativeStore& store, std::string_view bytes)
{
    if (bytes.empty()) {
        return Slot::ofNumber(0);
    }
    const bool is_negative = static_cast<unsigned char>(bytes.back()) >= 0x80;
    const auto filler = static_cast<unsigned char>(is_negative ? 0xff : 0x00);
    std::uint64_t bits = is_negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 8); ++i) {
        const unsigned shift = static_cast<unsigned>(i) * 8;
        bits &= ~(std::uint64_t{0xff} << shift);
        bits |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << shift;
    }
    const std::string_view above = bytes.substr(std::min<std::size_t>(bytes.size(), 8));
    const bool fits =
        std::ranges::all_of(above, [&](char c) { return static_cast<unsigned char>(c) == filler; });
    // Without a sign 64 bits are enough for the addresses of every backend; with one they must
    // leave room for it.
    if (!fits || (is_negative && (bits >> 63U) == 0)) {
        return Slot::of(Slot::Kind::huge_integer);
    }
    return store.integer(static_cast<std::int64_t>(bits));
}

Slot floatFromBytes(NativeStore& store, const unsigned char* bytes)
{
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) {
        bits = (bits << 8U) | bytes[i];
    }
    return store.floating(std::bit_cast<double>(bits));
}

std::optional<Slot> integerFromLine(NativeStore& store, std::string_view line, bool is_long)
{
    if (!is_long && (line == "00" || line == "01")) {
        return Slot::of(Slot::Kind::boolean, line == "01" ? 1 : 0);
    }
    if (is_long && line.ends_with('L')) {
        line.remove_suffix(1);
    }
    if (!isDecimal(line)) {
        return {};
    }
    if (const auto number = parsed<std::int64_t>(line)) {
        return store.integer(*number);
    }
    if (const auto number = parsed<std::uint64_t>(line)) {
        return store.integer(static_cast<std::int64_t>(*number));
    }
    return Slot::of(Slot::Kind::huge_integer);
}

std::optional<Slot> floatFromLine(NativeStore& store, std::string_view line)
{
    const bool is_plain = line.find_first_not_of("0123456789.-e+") == std::string_view::npos;
    const std::optional<double> number = is_plain ? parsed<double>(line) : std::nullopt;
    return number ? std::optional(store.floating(*number)) : std::nullopt;
}

std::optional<Slot> textFromLine(NativeStore& store, std::string_view line)
{
    std::string text;
    for (std::size_t at = 0; at < line.size();) {
        const char c = line[at++];
        if (c != '\\' || at == line.size()) {
            appendUtf8(text, static_cast<unsigned char>(c));
            continue;
        }
        const char letter = line[at++];
        if (letter != 'u' && letter != 'U') {
            text += c;
            appendUtf8(text, static_cast<unsigned char>(letter));
            continue;
        }
        const std::size_t length = letter == 'u' ? 4 : 8;
        const std::string_view digits = line.substr(at, length);
        const auto code = parsed<std::uint32_t>(digits, 16);
        if (digits.size() != length || !code || *code > 0x10ffff) {
            return {};
        }
        appendUtf8(text, *code);
        at += length;
    }
    return store.text(text);
}

std::optional<Slot> textFromQuoted(NativeStore& store, std::string_view line)
{
    if (line.size() < 2 || line.front() != line.back()
        || (line.front() != '\'' && line.front() != '"')) {
        return {};
    }
    const std::string_view inner = line.substr(1, line.size() - 2);
    std::string text;
    for (std::size_t at = 0; at < inner.size(); ++at) {
        if (inner[at] != '\\') {
            text += inner[at];
            continue;
        }
        const std::optional<char> c = ++at < inner.size() ? simpleEscape(inner[at]) : std::nullopt;
        if (!c) {
            return {};
        }
        text += *c;
    }
    return store.strictText(text);
}

} // namespace tidemark::reader
