// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/plan/capacity_text.h"

#include "core/base/ascii.h"
#include "core/base/language.h"

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

constexpr double kLeastBytes = 0x1p20; ///< A bare number from here on counts bytes.
constexpr double kMostBytes = 0x1p62; ///< Beyond any memory, and far from overflow.

struct Unit {
    std::string_view name; ///< Small letters.
    double bytes;
};

/// "gb" is no unit here: GPUs are sold by it, and none has as much (`soldAs`).
constexpr std::array<Unit, 12> kUnits{{{"b", 1},
                                       {"k", 0x1p10},
                                       {"kib", 0x1p10},
                                       {"kb", 0x1p10},
                                       {"m", 0x1p20},
                                       {"mib", 0x1p20},
                                       {"mb", 0x1p20},
                                       {"g", 0x1p30},
                                       {"gib", 0x1p30},
                                       {"t", 0x1p40},
                                       {"tib", 0x1p40},
                                       {"tb", 0x1p40}}};

std::optional<double> unitOf(std::string_view name, double number)
{
    if (name.empty()) {
        return number >= kLeastBytes ? std::optional(1.0) : std::nullopt;
    }
    const auto* const unit = std::ranges::find(kUnits, name, &Unit::name);
    return unit == kUnits.end() ? std::nullopt : std::optional(unit->bytes);
}

struct Amount {
    double number = 0;
    std::string unit; ///< Small letters; empty: none.
};

std::optional<Amount> amountOf(std::string_view text)
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
    Amount amount;
    const char* const last = plain.data() + plain.size();
    const auto parsed =
        std::from_chars(plain.data(), last, amount.number, std::chars_format::fixed);
    if (parsed.ec != std::errc() || !(amount.number > 0)) {
        return std::nullopt;
    }
    amount.unit = trimmed({parsed.ptr, static_cast<std::size_t>(last - parsed.ptr)});
    return amount;
}

std::optional<Bytes> bytesOf(const Amount& amount)
{
    const std::optional<double> unit = unitOf(amount.unit, amount.number);
    const double bytes = unit ? amount.number * *unit : 0;
    return bytes >= 1 && bytes < kMostBytes ? std::optional(Bytes{std::llround(bytes)})
                                            : std::nullopt;
}

GivenCapacity capacityOf(const KnownCard& card)
{
    const Between gpu{card.total, card.most};
    GivenCapacity given = capacityOfGpu(gpu, &card);
    given.source = say("{}: torch reports {}; CUDA's context takes {}.", card.name, gpu,
                       Between{kContextBytes.low, kContextBytes.high});
    return given;
}

/// GPUs that are sold with so many GB.
std::optional<GivenCapacity> soldAs(double gigabytes)
{
    constexpr double kMostGigabytes = 512; ///< No GPU has more.
    if (gigabytes < 2 || gigabytes > kMostGigabytes) {
        return std::nullopt; // Hardly more than the context, or no GPU.
    }
    std::optional<Between> seen;
    for (const KnownCard& card : knownCards()) {
        if (static_cast<double>(card.sold_gb) == gigabytes) {
            seen = seen
                ? Between{std::min(seen->least, card.total), std::max(seen->most, card.most)}
                : Between{card.total, card.most};
        }
    }
    const Between gpu = seen.value_or(
        Between{Bytes{std::llround(gigabytes * 1e9)}, Bytes{std::llround(gigabytes * 0x1p30)}});
    GivenCapacity given = capacityOfGpu(gpu);
    given.source =
        say("A GPU sold with {} GB: torch reports {}; CUDA's context takes {}.",
            fmt::format("{:g}", gigabytes), gpu, Between{kContextBytes.low, kContextBytes.high});
    return given;
}

bool isNumber(std::string_view words)
{
    return !words.empty()
        && std::ranges::all_of(words, [](char c) { return isDigit(c) || c == '.' || c == ','; });
}

} // namespace

GivenCapacity capacityOfGpu(Between gpu, const KnownCard* card)
{
    GivenCapacity given;
    given.gpu = gpu.least;
    given.bytes = gpu.least - kContextBytes.high;
    given.unsure = gpu.most - kContextBytes.low - given.bytes;
    given.card = card;
    return given;
}

std::vector<std::string> capacityReadings(std::string_view text)
{
    const std::string_view words = trimmed(text);
    const std::optional<Amount> amount = isNumber(words) ? amountOf(words) : std::nullopt;
    std::vector<std::string> readings;
    if (!amount || bytesOf(*amount)) {
        return readings;
    }
    if (const KnownCard* const card = findCard(words)) {
        readings.push_back(card->name);
    }
    const bool is_sold = std::ranges::any_of(knownCards(), [&](const KnownCard& card) {
        return static_cast<double>(card.sold_gb) == amount->number;
    });
    if (is_sold) {
        readings.push_back(fmt::format("{}GB", words));
    }
    readings.push_back(fmt::format("{}GiB", words));
    return readings;
}

Result<GivenCapacity> parseCapacity(std::string_view text)
{
    const std::string_view words = trimmed(text);
    if (const std::vector<std::string> readings = capacityReadings(words); !readings.empty()) {
        return Error{ErrorCode::badArgument,
                     readings.size() == 1 ? say("{} needs a unit or a GPU's name; write {}.", words,
                                                readings.front())
                                          : say("{} may be a GPU or an amount; write {}.", words,
                                                fmt::join(readings, " / "))};
    }
    std::optional<GivenCapacity> given;
    if (const KnownCard* const card = findCard(words)) {
        given = capacityOf(*card);
    } else if (const std::optional<Amount> amount = amountOf(words)) {
        if (amount->unit == "gb") {
            given = soldAs(amount->number);
        } else if (const std::optional<Bytes> bytes = bytesOf(*amount)) {
            given = GivenCapacity{*bytes, *bytes, {}, nullptr, {}, {}};
        }
    }
    if (given) {
        given->words = words;
        return *given;
    }
    return Error{ErrorCode::badArgument,
                 say("'{}' is not a size or known GPU; write it like 23.65 GiB, or use one of {}.",
                     text, cardsLike(words)),
                 {}};
}

Result<Bytes> parseBytes(std::string_view text)
{
    if (std::optional<Amount> amount = amountOf(trimmed(text)); amount && amount->unit == "gb") {
        amount->unit = "gib";
        if (const std::optional<Bytes> bytes = bytesOf(*amount)) {
            return *bytes;
        }
    }
    const Result<GivenCapacity> given = parseCapacity(text);
    return given.has_value() ? Result<Bytes>(given.value().bytes) : Result<Bytes>(given.error());
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
