// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/values.h"

#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/query/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace tidemark::query {
namespace {

struct Unit {
    std::string_view name; ///< In lower case.
    std::int64_t size = 1;
};

constexpr std::array kByteUnits{
    Unit{"", 1},           Unit{"b", 1},         Unit{"kib", 1LL << 10}, Unit{"k", 1LL << 10},
    Unit{"mib", 1 << 20},  Unit{"m", 1LL << 20}, Unit{"gib", 1LL << 30}, Unit{"g", 1LL << 30},
    Unit{"tib", 1LL << 40}};
constexpr std::array kTimeUnits{
    Unit{"ns", 1},         Unit{"us", 1'000},        Unit{"µs", 1'000},
    Unit{"ms", 1'000'000}, Unit{"s", 1'000'000'000}, Unit{"min", 60'000'000'000}};
constexpr std::array kEventUnits{Unit{"ev", 1}, Unit{"event", 1}, Unit{"events", 1}};
constexpr std::array kNoUnits{Unit{"", 1}};

/// A figure as far as it was written: all values of [least, most] are shown so. Of three digits
/// with a unit, "358MiB", only where values are `shown` so: as a limit it is exact.
std::optional<Range> figure(std::string_view text, std::span<const Unit> units, bool shown)
{
    const std::size_t digits = text.find_first_not_of("+-0123456789.");
    const std::string_view number = text.substr(0, digits);
    const std::string unit =
        lowered(digits == std::string_view::npos ? std::string_view() : text.substr(digits));
    const auto known = std::ranges::find(units, unit, &Unit::name);
    double value = 0;
    const char* const last = number.data() + number.size();
    const auto parsed = std::from_chars(number.data(), last, value);
    if (known == units.end() || number.empty() || parsed.ec != std::errc() || parsed.ptr != last) {
        return std::nullopt;
    }
    const std::size_t point = number.find('.');
    std::int64_t whole = 0;
    const bool is_rounded = shown && number.size() >= 3 && known->size > 1;
    if (point == std::string_view::npos && !is_rounded) {
        const auto exact = std::from_chars(number.data(), last, whole);
        const bool is_too_large =
            exact.ec != std::errc() || std::abs(value) * static_cast<double>(known->size) > 9.2e18;
        return is_too_large ? std::nullopt
                            : std::optional(Range{whole * known->size, whole * known->size});
    }
    const double size = static_cast<double>(known->size);
    const double decimals =
        point == std::string_view::npos ? 0 : static_cast<double>(number.size() - point - 1);
    const double half = size * std::pow(10.0, -decimals) / 2;
    if (std::abs(value) * size > 9.2e18) {
        return std::nullopt;
    }
    const auto least = static_cast<std::int64_t>(std::ceil(value * size - half));
    const auto most = static_cast<std::int64_t>(std::floor(value * size + half));
    return Range{least, std::max(least, most)};
}

/// By a figure; what is written as the limit itself is not below or above it.
Range compared(const Range& figure, Comparison comparison)
{
    Range range;
    switch (comparison) {
    case Comparison::equal:
        return figure;
    case Comparison::less:
        range.most = figure.least - 1;
        break;
    case Comparison::less_equal:
        range.most = figure.most;
        break;
    case Comparison::greater:
        range.least = figure.most + 1;
        break;
    case Comparison::greater_equal:
        range.least = figure.least;
        break;
    }
    return range;
}

Result<Range> read(std::string_view value, Comparison comparison, std::span<const Unit> units,
                   std::string_view problem)
{
    const Error error{
        ErrorCode::badArgument, fmt::format(fmt::runtime(translated(problem)), value), {}};
    const std::size_t dots = value.find("..");
    if (dots != std::string_view::npos) {
        const std::string_view first = value.substr(0, dots);
        const std::string_view last = value.substr(dots + 2);
        const std::optional<Range> from = figure(first, units, false);
        const std::optional<Range> to = figure(last, units, false);
        if ((!from && !first.empty()) || (!to && !last.empty()) || (!from && !to)
            || comparison != Comparison::equal) {
            return error;
        }
        Range range;
        range.least = from ? from->least : range.least;
        range.most = to ? to->most : range.most;
        return range;
    }
    const std::optional<Range> one = figure(value, units, comparison == Comparison::equal);
    return one ? Result<Range>(compared(*one, comparison)) : Result<Range>(error);
}

} // namespace

Result<Range> readBytes(std::string_view value, Comparison comparison)
{
    return read(
        value, comparison, kByteUnits,
        toSay("“{}” is not a size; write a number with B, KiB, MiB, GiB or TiB, such as 100MiB."));
}

Result<Range> readDuration(std::string_view value, Comparison comparison)
{
    return read(value, comparison, kTimeUnits,
                toSay("“{}” is not a duration; write a number with ns, us, ms, s or min, such as "
                      "1.5ms, or with events, such as 200events."));
}

std::optional<Result<Range>> readEvents(std::string_view value, Comparison comparison)
{
    Result<Range> range =
        read(value, comparison, kEventUnits, toSay("“{}” is not a number of events."));
    return range.has_value() ? std::optional(std::move(range)) : std::nullopt;
}

Result<Range> readNumber(std::string_view value, Comparison comparison)
{
    return read(value, comparison, kNoUnits, toSay("“{}” is not a number."));
}

Result<Address> readAddress(std::string_view value)
{
    const bool is_hex = value.starts_with("0x") || value.starts_with("0X");
    const std::string_view digits = is_hex ? value.substr(2) : value;
    Address address = 0;
    const char* const last = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), last, address, is_hex ? 16 : 10);
    if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != last) {
        return Error{ErrorCode::badArgument,
                     say("“{}” is not an address; write it like 0x7f0012000000.", value),
                     {}};
    }
    return address;
}

bool isUnit(std::string_view text)
{
    const std::string low = lowered(text);
    return !low.empty()
        && (std::ranges::find(kByteUnits, low, &Unit::name) != kByteUnits.end()
            || std::ranges::find(kTimeUnits, low, &Unit::name) != kTimeUnits.end()
            || std::ranges::find(kEventUnits, low, &Unit::name) != kEventUnits.end());
}

} // namespace tidemark::query
