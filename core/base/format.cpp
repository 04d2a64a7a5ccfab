// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"

#include "core/base/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tidemark {
namespace {

constexpr std::string_view kMinus = "−";

struct UnitSize {
    double bytes;
    std::string_view name;
};
constexpr std::array<UnitSize, 4> kUnits{
    {{0x1p0, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}}}; // No TiB, as torch.
constexpr int kMostDecimals = 2;

/// Digits with marks: "1234.50", "12,345".
std::string marked(std::string digits)
{
    constexpr std::size_t kUngrouped = 4;
    const std::size_t end = std::min(digits.find('.'), digits.size());
    digits = withDecimalMark(std::move(digits));
    if (end > kUngrouped) {
        for (std::size_t i = end; i > 3;) {
            i -= 3;
            digits.insert(i, 1, language().group_mark);
        }
    }
    return digits;
}

std::string grouped(std::int64_t value)
{
    std::string digits = fmt::format("{}", value);
    return value < 0 ? std::string(kMinus) + marked(digits.substr(1)) : marked(std::move(digits));
}

template <class... Args>
std::string number(fmt::format_string<Args...> text, Args&&... args)
{
    return withDecimalMark(fmt::format(text, std::forward<Args>(args)...));
}

std::string withSign(std::int64_t sign, std::string_view plus, const std::string& digits)
{
    return std::string(sign < 0 ? kMinus : plus) + digits;
}

double unitsOf(Bytes bytes, std::size_t unit)
{
    return std::abs(static_cast<double>(bytes.value)) / kUnits[unit].bytes;
}

/// As many as make three digits of a number, at most two.
int decimalsOf(double units)
{
    return units < 9.995 ? kMostDecimals : units < 99.95 ? 1 : 0;
}

/// The largest one in which the rounded figure is at least 1: 1023.99 MiB reads 1.00 GiB.
std::size_t unitOf(Bytes bytes)
{
    std::size_t unit = kUnits.size() - 1;
    while (unit > 0 && unitsOf(bytes, unit - 1) < (unit == 1 ? 1024 : 1023.5)) {
        --unit;
    }
    return unit;
}

Bytes largestOf(std::span<const Bytes> figures)
{
    Bytes largest{};
    for (const Bytes figure : figures) {
        largest.value = std::max(largest.value, std::abs(figure.value));
    }
    return largest;
}

/// An interval's unit, and two digits of its width.
class Ends {
public:
    Ends(Bytes least, Bytes most)
        : m_unit(unitOf(largestOf(std::array{least, most})))
    {
        const double width = unitsOf(most - least, m_unit);
        const int deserved = width < 1 ? kMostDecimals : width < 10 ? 1 : 0;
        const int possible = unitsOf(most, m_unit) < 99.95 ? kMostDecimals : 1;
        m_decimals = m_unit == 0 ? 0 : std::min(deserved, possible);
        m_reads_alike = digits(least) == digits(most);
    }
    [[nodiscard]] std::string digits(Bytes bytes) const
    {
        std::string shown = fmt::format("{:.{}f}", unitsOf(bytes, m_unit), m_decimals);
        const bool is_zero = shown.find_first_not_of("0.") == std::string::npos;
        return is_zero ? "0" : withSign(bytes.value, "", marked(std::move(shown)));
    }
    [[nodiscard]] std::string text(Bytes least, Bytes most) const
    {
        return least.value < 0 ? say("{} to {}", digits(least), digits(most))
                               : fmt::format("{}–{}", digits(least), digits(most));
    }
    [[nodiscard]] std::string_view name() const
    {
        return kUnits[m_unit].name;
    }
    [[nodiscard]] bool readAlike() const
    {
        return m_reads_alike;
    }

private:
    std::size_t m_unit;
    int m_decimals = 0;
    bool m_reads_alike = false;
};

/// Too few digits to say something beside others.
bool hasFewDigits(const OneUnit& unit, Bytes bytes)
{
    return unit.size().value > 1 && std::abs(unit.rounded(bytes)) < 10;
}

} // namespace

std::string formatKnown(const std::optional<Bytes>& bytes)
{
    return bytes ? formatBytes(*bytes) : say("unknown");
}

std::string formatBytes(Bytes bytes)
{
    const std::size_t unit = unitOf(bytes);
    const double units = unitsOf(bytes, unit);
    const int decimals = unit == 0 ? 0 : decimalsOf(units);
    return withSign(bytes.value, "", marked(fmt::format("{:.{}f}", units, decimals))) + ' '
        + std::string(kUnits[unit].name);
}

std::string formatDifference(Bytes bytes)
{
    return (bytes.value > 0 ? "+" : "") + formatBytes(bytes);
}

std::string formatInterval(Bytes best, Bytes least, Bytes most)
{
    const Ends ends(least, most);
    return ends.readAlike()
        ? formatBytes(best)
        : fmt::format("{} {} ({})", ends.digits(best), ends.name(), ends.text(least, most));
}

std::string formatInterval(Bytes least, Bytes most)
{
    const Ends ends(least, most);
    return ends.readAlike() ? formatBytes(least)
                            : fmt::format("{} {}", ends.text(least, most), ends.name());
}

OneUnit::OneUnit(Bytes largest)
    : m_unit(unitOf(largest))
{
    const double units = unitsOf(largest, m_unit);
    m_decimals = m_unit == 0 ? 0 : units < 99.95 ? kMostDecimals : units < 999.5 ? 1 : 0;
}

OneUnit::OneUnit(std::initializer_list<Bytes> compared)
    : OneUnit(std::span<const Bytes>(compared.begin(), compared.size()))
{
}

OneUnit::OneUnit(std::span<const Bytes> compared)
    : OneUnit(largestOf(compared))
{
    int needed = 0;
    for (const Bytes bytes : compared) {
        if (!hasOwnUnit(bytes)) {
            needed = std::max(needed, decimalsOf(unitsOf(bytes, m_unit)));
        }
    }
    m_decimals = std::min(m_decimals, needed);
}

bool OneUnit::hasOwnUnit(Bytes bytes) const
{
    return hasFewDigits(*this, bytes);
}

std::string OneUnit::digits(Bytes bytes) const
{
    return marked(fmt::format("{:.{}f}", unitsOf(bytes, m_unit), m_decimals));
}

std::int64_t OneUnit::rounded(Bytes bytes) const
{
    return std::llround(static_cast<double>(bytes.value) / kUnits[m_unit].bytes
                        * std::pow(10.0, m_decimals));
}

std::string_view OneUnit::name() const
{
    return kUnits[m_unit].name;
}

Bytes OneUnit::size() const
{
    return {static_cast<std::int64_t>(kUnits[m_unit].bytes)};
}

std::string OneUnit::operator()(Bytes bytes) const
{
    return bytes.value == 0 ? "0"
        : hasOwnUnit(bytes) ? formatBytes(bytes)
                            : fmt::format("{} {}", bare(bytes), name());
}

std::string OneUnit::bare(Bytes bytes) const
{
    return bytes.value == 0 ? "0"
        : hasOwnUnit(bytes) ? formatBytes(bytes)
                            : withSign(bytes.value, "", digits(bytes));
}

std::string OneUnit::difference(Bytes bytes) const
{
    return (bytes.value > 0 ? "+" : "") + (*this)(bytes);
}

std::string OneUnit::number(Bytes bytes) const
{
    const std::string sign(bytes.value < 0 ? kMinus : "");
    return bytes.value == 0   ? "0"
        : rounded(bytes) == 0 ? fmt::format("{} {}{}", bytes.value < 0 ? '>' : '<', sign,
                                            formatNumber(std::pow(10.0, -m_decimals), m_decimals))
                              : sign + digits(bytes);
}

std::string OneUnit::signedNumber(Bytes bytes) const
{
    const std::string shown = number(bytes);
    return bytes.value <= 0 ? shown : rounded(bytes) == 0 ? "< +" + shown.substr(2) : '+' + shown;
}

std::string OneUnit::cell(Bytes bytes) const
{
    return bytes.value == 0 ? "0" : fmt::format("{} {}", number(bytes), name());
}

std::string OneUnit::signedCell(Bytes bytes) const
{
    return bytes.value == 0 ? "0" : fmt::format("{} {}", signedNumber(bytes), name());
}

OneUnit unitBeside(std::span<const Bytes> figures, Bytes largest)
{
    const OneUnit own(figures);
    std::vector<Bytes> all(figures.begin(), figures.end());
    all.push_back(largest);
    const OneUnit shared(all);
    for (const Bytes one : figures) {
        if (hasFewDigits(shared, one) && !hasFewDigits(own, one)) {
            return own;
        }
        for (const Bytes other : figures) {
            if (shared(one) == shared(other) && own(one) != own(other)) {
                return own;
            }
        }
    }
    return shared;
}

std::string formatExactBytes(Bytes bytes)
{
    return grouped(bytes.value) + " B";
}

std::string formatCount(std::int64_t count)
{
    return grouped(count);
}

std::string formatPercent(double ratio)
{
    if (ratio > 0 && ratio < 0.005) {
        return "< 1 %";
    }
    return fmt::format("{:.0f} %", ratio * 100);
}

std::string formatRatio(double ratio)
{
    if (ratio >= 1.995) {
        std::string times = fmt::format("{:.{}f}", ratio, decimalsOf(ratio));
        if (times.find('.') != std::string::npos) {
            times.erase(times.find_last_not_of('0') + 1);
            times.erase(times.find_last_not_of('.') + 1);
        }
        return "×" + marked(std::move(times));
    }
    const double percent = std::abs(ratio - 1) * 100;
    // 99.9 % less is not all of it.
    const int decimals = percent < 9.95 || (percent >= 99.5 && percent < 100) ? 1 : 0;
    std::string digits = fmt::format("{:.{}f}", percent, decimals);
    if (digits == "100.0") {
        digits = "99.9";
    }
    return digits == "0.0"
        ? "0 %"
        : (ratio < 1 ? std::string(kMinus) : "+") + withDecimalMark(digits) + " %";
}

std::string formatNumber(double value, int decimals)
{
    const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
    return (value < 0 ? std::string(kMinus) : "") + marked(digits);
}

std::string formatDuration(Duration duration)
{
    const double us = static_cast<double>(duration.count());
    const double magnitude = std::abs(us);
    if (magnitude < 1e3) {
        return fmt::format("{} µs", duration.count());
    }
    if (magnitude < 1e6) {
        return number("{:.1f} ms", us / 1e3);
    }
    if (magnitude < 60e6) {
        return number("{:.2f} s", us / 1e6);
    }
    const std::int64_t seconds = duration.count() / 1000000;
    const std::int64_t minutes = seconds / 60;
    const std::int64_t hours = minutes / 60;
    if (std::abs(minutes) < 100) {
        return fmt::format("{} min {:02} s", minutes, std::abs(seconds % 60));
    }
    if (std::abs(hours) < 100) {
        return fmt::format("{} h {:02} min", hours, std::abs(minutes % 60));
    }
    return say("{} days", grouped(hours / 24));
}

std::string formatEventNumber(std::int64_t event)
{
    return event < 0 ? say("start") : say("event {}", grouped(event));
}

std::string shortenPath(std::string_view path, std::size_t max_chars)
{
    if (path.size() <= max_chars) {
        return std::string(path);
    }
    static constexpr std::string_view kEllipsis = "…";
    const std::string_view name = baseName(path);
    const std::size_t head_end = path.find_first_of("/\\", 1);
    if (head_end == std::string_view::npos || head_end + name.size() + 3 > max_chars) {
        return std::string(kEllipsis) + "/" + std::string(name);
    }
    const std::string_view head = path.substr(0, head_end + 1);
    // Keep as many trailing components as fit behind the first one.
    std::size_t tail_begin = path.size() - name.size();
    while (tail_begin > head_end + 1) {
        const std::size_t previous = path.find_last_of("/\\", tail_begin - 2);
        if (previous == std::string_view::npos || previous <= head_end
            || head.size() + 2 + (path.size() - previous - 1) > max_chars) {
            break;
        }
        tail_begin = previous + 1;
    }
    return fmt::format("{}{}/{}", head, kEllipsis, path.substr(tail_begin));
}

std::string_view baseName(std::string_view path)
{
    const std::size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace tidemark
