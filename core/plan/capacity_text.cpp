// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/capacity_text.h"

#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/plan/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace tidemark::plan {
namespace {

constexpr double kMostGiB = 512; ///< A bare number up to here counts GiB; no card has more.
constexpr double kLeastBytes = 0x1p20; ///< A bare number from here on counts bytes.
constexpr double kMostBytes = 0x1p62; ///< Beyond any memory, and far from overflow.

struct Unit {
    std::string_view name; ///< Small letters.
    double bytes;
};

/// Memory is sold in powers of 1024, whatever its unit is written like: the 24 GB of a card are
/// 24 GiB.
constexpr std::array<Unit, 13> kUnits{{{"b", 1},
                                       {"k", 0x1p10},
                                       {"kib", 0x1p10},
                                       {"kb", 0x1p10},
                                       {"m", 0x1p20},
                                       {"mib", 0x1p20},
                                       {"mb", 0x1p20},
                                       {"g", 0x1p30},
                                       {"gib", 0x1p30},
                                       {"gb", 0x1p30},
                                       {"t", 0x1p40},
                                       {"tib", 0x1p40},
                                       {"tb", 0x1p40}}};

/// Bytes per unit of a number without a unit.
std::optional<double> bareUnit(double number)
{
    return number <= kMostGiB   ? std::optional(0x1p30)
        : number >= kLeastBytes ? std::optional(1.0)
                                : std::nullopt;
}

std::optional<double> unitOf(std::string_view name, double number)
{
    if (name.empty()) {
        return bareUnit(number);
    }
    const auto* const unit = std::ranges::find(kUnits, name, &Unit::name);
    return unit == kUnits.end() ? std::nullopt : std::optional(unit->bytes);
}

std::optional<Bytes> amountOf(std::string_view text)
{
    std::string plain = lowered(text);
    // "1,5" is a decimal; "1,024" is more likely a thousand, and neither is guessed.
    const std::size_t comma = plain.find(',');
    if (comma != std::string::npos) {
        plain[comma] = '.';
        const std::size_t end =
            std::min(plain.find_first_not_of("0123456789", comma + 1), plain.size());
        if (end - comma > 3) {
            return std::nullopt;
        }
    }
    double number = 0;
    const char* const last = plain.data() + plain.size();
    const auto parsed = std::from_chars(plain.data(), last, number, std::chars_format::fixed);
    if (parsed.ec != std::errc() || !(number > 0)) {
        return std::nullopt;
    }
    const std::string_view name =
        trimmed({parsed.ptr, static_cast<std::size_t>(last - parsed.ptr)});
    const std::optional<double> unit = unitOf(name, number);
    const double bytes = unit ? number * *unit : 0;
    return bytes >= 1 && bytes < kMostBytes ? std::optional(Bytes{std::llround(bytes)})
                                            : std::nullopt;
}

} // namespace

Result<Bytes> parseCapacity(std::string_view text)
{
    const std::string_view words = trimmed(text);
    if (const KnownCard* const card = findCard(words)) {
        return card->total; // Before amounts: a 4090 is a card.
    }
    if (const std::optional<Bytes> amount = amountOf(words)) {
        return *amount;
    }
    if (!words.empty() && std::ranges::all_of(words, isDigit)) {
        return Error{ErrorCode::badArgument,
                     say("{} is not a known GPU, and more GiB than any GPU has; add a unit, like "
                         "23.65 GiB or 24217 MiB.",
                         words)};
    }
    return Error{ErrorCode::badArgument,
                 say("'{}' is not a size or known GPU; write it like 23.65 GiB, or use one of {}.",
                     text, cardsLike(words)),
                 {}};
}

std::string cardsLike(std::string_view text)
{
    const std::string wanted = plainCardName(text);
    std::vector<std::string_view> all;
    std::vector<std::string_view> alike;
    for (const KnownCard& card : knownCards()) {
        all.emplace_back(card.name);
        if (!wanted.empty() && plainCardName(card.name).starts_with(wanted)) {
            alike.emplace_back(card.name);
        }
    }
    return fmt::format("{}", fmt::join(alike.empty() ? all : alike, ", "));
}

} // namespace tidemark::plan
