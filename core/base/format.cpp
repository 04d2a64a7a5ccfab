// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/format.h"

#include "core/base/language.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace tidemark {
namespace {

std::string grouped(std::int64_t value)
{
    const char mark = language().group_mark;
    std::string digits = fmt::format("{}", value);
    const std::size_t first = digits.front() == '-' ? 1 : 0;
    for (std::size_t i = digits.size(); i > first + 3;) {
        i -= 3;
        digits.insert(i, 1, mark);
    }
    return digits;
}

template <class... Args>
std::string number(fmt::format_string<Args...> text, Args&&... args)
{
    return withDecimalMark(fmt::format(text, std::forward<Args>(args)...));
}

} // namespace

std::string formatKnown(const std::optional<Bytes>& bytes)
{
    return bytes ? formatBytes(*bytes) : say("unknown");
}

std::string formatBytes(Bytes bytes)
{
    const auto magnitude = std::abs(static_cast<double>(bytes.value));
    struct Unit {
        double size;
        const char* name;
    };
    static constexpr std::array<Unit, 3> kUnits{
        {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};
    // The unit is the one in which the rounded figure is at least 1 (so 1023.999 MiB reads 1.00
    // GiB).
    for (const Unit& unit : kUnits) {
        if (magnitude / unit.size >= 0.99999) {
            return number("{:.2f} {}", static_cast<double>(bytes.value) / unit.size, unit.name);
        }
    }
    return fmt::format("{} B", bytes.value);
}

std::string formatDifference(Bytes bytes)
{
    const std::string size = formatBytes(bytes.value < 0 ? -bytes : bytes);
    return bytes.value == 0 ? size : (bytes.value > 0 ? "+" : "−") + size;
}

std::string formatBytes(Bytes least, Bytes most)
{
    const std::string from = formatBytes(least);
    const std::string to = formatBytes(most);
    return from == to ? from : say("{} to {}", from, to);
}

std::string formatGiB(Bytes bytes)
{
    const double gib = static_cast<double>(bytes.value) / static_cast<double>(kGiB.value);
    return number("{:.2f} GiB", std::abs(gib) < 0.005 ? 0.0 : gib);
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
