// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/printed_size.h"

#include "core/base/ascii.h"
#include "core/message/line_prefix.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tidemark::diagnose {
namespace {

struct Unit {
    std::string_view name;
    std::int64_t bytes;
    std::int64_t decimal; ///< 0: has no decimal reading.
};
// Longer names before those they begin with.
constexpr std::array<Unit, 9> kUnits{{{"gib", 1LL << 30, 0},
                                      {"mib", 1LL << 20, 0},
                                      {"kib", 1LL << 10, 0},
                                      {"tib", 1LL << 40, 0},
                                      {"bytes", 1, 0},
                                      {"gb", 1LL << 30, 1'000'000'000},
                                      {"mb", 1LL << 20, 1'000'000},
                                      {"kb", 1LL << 10, 1'000},
                                      {"tb", 1LL << 40, 1'000'000'000'000}}};

/// Digits before and behind the point. More than six behind it change no byte of a figure that a
/// person reads.
struct Number {
    std::int64_t digits = 0;
    std::int64_t scale = 1;
    std::size_t end = 0;
};

/// How many digits stand there; counted up to 4.
std::size_t digitsAt(std::string_view text, std::size_t at)
{
    std::size_t count = 0;
    while (count < 4 && at + count < text.size() && isDigit(text[at + count])) {
        ++count;
    }
    return count;
}

std::optional<Number> readNumber(std::string_view text, std::size_t at)
{
    static constexpr std::size_t kMostDigits = 12;
    static constexpr std::int64_t kMostScale = 1'000'000;
    Number number;
    std::size_t before = 0;
    bool fraction = false;
    bool is_grouped = false;
    std::size_t i = at;
    for (; i < text.size(); ++i) {
        const std::size_t behind_comma =
            text[i] == ',' && !fraction && before > 0 ? digitsAt(text, i + 1) : 0;
        if (behind_comma == 3 && (before <= 3 || is_grouped)) {
            is_grouped = true; // "1,024.00"
            continue;
        }
        if ((text[i] == '.' && !fraction && before > 0 && digitsAt(text, i + 1) > 0)
            || (!is_grouped && (behind_comma == 1 || behind_comma == 2))) {
            fraction = true;
            continue;
        }
        if (!isDigit(text[i])) {
            break;
        }
        if (!fraction) {
            if (++before > kMostDigits) {
                return std::nullopt;
            }
        } else if (number.scale >= kMostScale) {
            continue;
        } else {
            number.scale *= 10;
        }
        if (fraction && number.digits > 900'000'000'000) {
            number.scale /= 10; // the rest adds nothing that counts
            continue;
        }
        number.digits = number.digits * 10 + (text[i] - '0');
    }
    number.end = i;
    return before > 0 ? std::optional(number) : std::nullopt;
}

PrintedSize sized(const Number& number, std::int64_t unit, std::size_t begin, std::size_t end)
{
    PrintedSize size{begin, end, std::nullopt, {}, {}, false};
    const std::int64_t whole = number.digits / number.scale;
    if (whole < (1LL << 52) / unit) { // so that sums of many stay far from overflow
        // Whole units and the rest apart, so that nothing overflows and nothing is lost to
        // floating point.
        const std::int64_t rest = (number.digits % number.scale) * unit;
        const std::int64_t bytes = whole * unit + (rest + number.scale / 2) / number.scale;
        const std::int64_t half =
            unit == 1 ? 0 : (unit + 2 * number.scale - 1) / (2 * number.scale);
        size.bytes = Bytes{bytes};
        size.low = Bytes{std::max<std::int64_t>(0, bytes - half)};
        size.high = Bytes{bytes + half};
    }
    return size;
}

/// "24G", "512 Mi": as people shorten it. One letter may begin any word, so the next one must be
/// one that stands behind sizes.
std::optional<PrintedSize> retypedSize(std::string_view text, std::size_t at, const Number& number,
                                       UnitReading reading)
{
    static constexpr std::array<std::string_view, 14> kBehind{
        "total",  "already", "allocated", "isallocated", "reserved", "isreserved", "free",
        "isfree", "cached",  "allowed",   "inuse",       "isinuse",  "ofwhich",    "memory"};
    const std::string_view rest = text.substr(number.end);
    const std::size_t letter =
        rest.empty() ? std::string_view::npos : std::string_view("kmgt").find(rest[0]);
    if (letter == std::string_view::npos) {
        return std::nullopt;
    }
    const auto is_end_of_unit = [](std::string_view behind) {
        return behind.empty()
            || std::string_view("()[];,.:/\"'").find(behind[0]) != std::string_view::npos
            || std::ranges::any_of(kBehind,
                                   [&](std::string_view word) { return behind.starts_with(word); });
    };
    // "M is free" and "Mi free" look alike without blanks.
    const bool is_binary = !is_end_of_unit(rest.substr(1));
    if (is_binary && !(rest.substr(1).starts_with('i') && is_end_of_unit(rest.substr(2)))) {
        return std::nullopt;
    }
    static constexpr std::array<std::string_view, 4> kNames{"kb", "mb", "gb", "tb"};
    const auto* const unit = std::ranges::find(kUnits, kNames[letter], &Unit::name);
    const bool decimal = reading == UnitReading::decimal && !is_binary;
    PrintedSize size =
        sized(number, decimal ? unit->decimal : unit->bytes, at, number.end + (is_binary ? 2 : 1));
    size.is_decimal_unit = !is_binary;
    return size;
}

} // namespace

std::optional<PrintedSize> sizeAt(std::string_view text, std::size_t at, UnitReading reading)
{
    const auto number = readNumber(text, at);
    if (!number) {
        return std::nullopt;
    }
    const auto* const unit = std::ranges::find_if(
        kUnits, [&](const Unit& u) { return text.substr(number->end, u.name.size()) == u.name; });
    if (unit == kUnits.end()) {
        return retypedSize(text, at, *number, reading);
    }
    const bool decimal = reading == UnitReading::decimal && unit->decimal != 0;
    PrintedSize size =
        sized(*number, decimal ? unit->decimal : unit->bytes, at, number->end + unit->name.size());
    size.is_decimal_unit = unit->decimal != 0;
    return size;
}

std::vector<PrintedSize> sizesIn(std::string_view text, UnitReading reading)
{
    std::vector<PrintedSize> sizes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool starts_number = isDigit(text[i]) && (i == 0 || !isDigit(text[i - 1]))
            && !(i >= 2 && (text[i - 1] == '.' || text[i - 1] == ',') && isDigit(text[i - 2]));
        if (!starts_number) {
            continue;
        }
        if (const auto size = sizeAt(text, i, reading)) {
            sizes.push_back(*size);
            i = size->end - 1;
        } else {
            while (i + 1 < text.size() && isDigit(text[i + 1])) {
                ++i; // so that a million digits are looked at once
            }
        }
    }
    return sizes;
}

std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view word)
{
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        std::size_t i = at + word.size();
        std::int64_t number = 0;
        std::size_t count = 0;
        for (; i < text.size() && isDigit(text[i]) && count < 12; ++i, ++count) {
            number = number * 10 + (text[i] - '0');
        }
        if (count > 0) {
            return number;
        }
    }
    return std::nullopt;
}

std::optional<PrintedSize> numberOf(std::string_view text, std::size_t at, double unit)
{
    const auto number = readNumber(text, at);
    if (!number) {
        return std::nullopt;
    }
    const auto scale = static_cast<double>(number->scale);
    const double bytes = static_cast<double>(number->digits) / scale * unit;
    if (bytes >= 0x1p52) {
        return std::nullopt;
    }
    const double half = unit / (2 * scale);
    return PrintedSize{at,
                       number->end,
                       Bytes{std::llround(bytes)},
                       Bytes{std::llround(std::max(0.0, bytes - half))},
                       Bytes{std::llround(bytes + half)},
                       true};
}

} // namespace tidemark::diagnose
