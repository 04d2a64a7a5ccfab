// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/smi_readings.h"

#include "core/base/ascii.h"
#include "core/message/log_window.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

namespace tidemark::diagnose {
namespace {

constexpr std::string_view kSmiUse = "mib/";
constexpr std::string_view kSmiProcesses = "cipidtypeprocessname";
constexpr std::string_view kSmiOldProcesses = "gpupidtypeprocessname";
constexpr std::string_view kCsvUsed = "memory.total[mib]";
constexpr std::string_view kCsvProcesses = "used_gpu_memory[mib]";

/// Numbers of a line, each with where it ends.
struct LineNumber {
    std::int64_t value = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
};
std::vector<LineNumber> numbersOf(std::string_view line)
{
    std::vector<LineNumber> numbers;
    for (std::size_t i = 0; i < line.size();) {
        if (!isDigit(line[i])) {
            ++i;
            continue;
        }
        LineNumber number{0, i, i};
        while (i < line.size() && isDigit(line[i])) {
            if (i - number.begin < 15) {
                number.value = number.value * 10 + (line[i] - '0');
            }
            ++i;
        }
        number.end = i;
        numbers.push_back(number);
    }
    return numbers;
}

std::optional<std::int64_t> wholeNumber(std::string_view word)
{
    std::int64_t value = 0;
    const auto done = std::from_chars(word.data(), word.data() + word.size(), value);
    return done.ec == std::errc{} && done.ptr == word.data() + word.size() ? std::optional(value)
                                                                           : std::nullopt;
}

void addMiB(std::vector<MemoryReading>& readings, std::string_view what,
            std::optional<std::int64_t> gpu, std::optional<std::int64_t> pid, std::int64_t mib,
            std::size_t place)
{
    if (mib > (1LL << 40)) {
        return;
    }
    // nvidia-smi cuts off.
    readings.push_back({"nvidia-smi", std::string(what), gpu, pid, Bytes{mib << 20},
                        Bytes{mib << 20}, Bytes{((mib + 1) << 20) - 1}, false, place});
}

/// "| 30%  45C  P2  120W / 350W |  15231MiB / 24576MiB |": the index stands in the line above.
void addSmiUse(std::string_view log, std::size_t place, std::vector<MemoryReading>& readings)
{
    const std::string_view line = lineAt(log, place - 1);
    const std::size_t mid = static_cast<std::size_t>(log.data() + place - line.data());
    const std::vector<LineNumber> before = numbersOf(line.substr(0, std::min(mid, line.size())));
    const std::vector<LineNumber> after = numbersOf(line.substr(std::min(mid, line.size())));
    if (before.empty() || after.empty()) {
        return;
    }
    std::optional<std::int64_t> gpu;
    const auto begin = static_cast<std::size_t>(line.data() - log.data());
    if (begin > 1) {
        const std::string_view above = lineAt(log, begin - 1);
        const std::vector<LineNumber> numbers = numbersOf(above);
        if (!numbers.empty() && above.find_first_not_of("| \t") == numbers[0].begin) {
            gpu = numbers[0].value;
        }
    }
    addMiB(readings, "used", gpu, std::nullopt, before.back().value, place);
    addMiB(readings, "total", gpu, std::nullopt, after.front().value, place);
}

/// Rows "|    0   N/A  N/A   2086283      C   python   8231MiB |" below the heading.
void addSmiProcesses(std::string_view log, std::size_t place, std::vector<MemoryReading>& readings)
{
    static constexpr int kMostRows = 64;
    std::size_t at = log.find('\n', place);
    for (int row = 0; row < kMostRows && at < log.size(); ++row) {
        const std::size_t end = std::min(log.find('\n', at + 1), log.size());
        const std::string_view line = log.substr(at + 1, end - at - 1);
        if (const std::optional<SmiProcess> process = smiProcess(line)) {
            addMiB(readings, "process", process->gpu, process->pid, process->mib, at + 1);
        } else if (line.find('|') == std::string_view::npos && row > 2) {
            break;
        }
        at = end;
    }
}

/// Fields of a line of CSV, without the spaces around them.
std::vector<std::string_view> fieldsOf(std::string_view line)
{
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        std::string_view field = line.substr(begin, end - begin);
        const std::size_t first = field.find_first_not_of(" \t\r");
        field = first == std::string_view::npos
            ? std::string_view()
            : field.substr(first, field.find_last_not_of(" \t\r") - first + 1);
        fields.push_back(field);
        begin = end + 1;
    }
    return fields;
}

/// A whole number at the front of a field, "2662 MiB" or "2662".
std::optional<std::int64_t> numberIn(std::string_view field)
{
    const std::vector<LineNumber> numbers = numbersOf(field.substr(0, 24));
    return numbers.empty() || numbers[0].begin != 0 ? std::nullopt
                                                    : std::optional(numbers[0].value);
}

/// Rows below "index, name, memory.used [MiB], memory.total [MiB]" or "pid, process_name,
/// used_gpu_memory [MiB]", as long as they have as many fields.
void addSmiCsv(std::string_view log, std::size_t place, std::vector<MemoryReading>& readings)
{
    static constexpr int kMostRows = 256;
    const std::string_view heading = lineAt(log, place - 1);
    const std::vector<std::string_view> names = fieldsOf(heading);
    std::vector<std::string> columns;
    for (const std::string_view name : names) {
        columns.push_back(squeezedText(name));
    }
    const auto columnOf = [&](std::string_view name) {
        const auto found = std::ranges::find_if(
            columns, [&](const std::string& column) { return column.starts_with(name); });
        return static_cast<std::size_t>(found - columns.begin());
    };
    const std::size_t index = columnOf("index");
    const std::size_t pid = columnOf("pid");
    struct Wanted {
        std::size_t column;
        std::string_view what;
    };
    const std::array<Wanted, 4> wanted{{{columnOf("memory.used"), "used"},
                                        {columnOf("memory.total"), "total"},
                                        {columnOf("memory.free"), "free"},
                                        {columnOf("used_gpu_memory"), "process"}}};
    std::size_t at = static_cast<std::size_t>(heading.data() - log.data()) + heading.size();
    for (int row = 0; row < kMostRows && at < log.size(); ++row) {
        const std::size_t begin = at + 1;
        const std::size_t end = std::min(log.find('\n', begin), log.size());
        const std::vector<std::string_view> fields =
            fieldsOf(log.substr(begin, std::min<std::size_t>(1000, end - std::min(begin, end))));
        if (fields.size() != names.size()) {
            break;
        }
        const auto fieldAt = [&](std::size_t column) {
            return column < fields.size() ? numberIn(fields[column]) : std::nullopt;
        };
        for (const Wanted& w : wanted) {
            const auto mib = fieldAt(w.column);
            const auto process = fieldAt(pid);
            if (mib && (w.what != "process" || process)) {
                addMiB(readings, w.what, fieldAt(index),
                       w.what == "process" ? process : std::nullopt, *mib, begin);
            }
        }
        at = end;
    }
}

} // namespace

std::optional<SmiProcess> smiProcess(std::string_view line)
{
    static constexpr std::size_t kLongest = 400;
    static constexpr std::string_view kBetween = " \t|\r";
    line = line.substr(0, kLongest);
    static constexpr std::string_view kUnit = "MiB";
    if (const std::size_t bar = line.find('|');
        bar != std::string_view::npos && line.find(kUnit, bar) != std::string_view::npos) {
        line.remove_prefix(bar); // The prefix of a log.
    }
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t begin = line.find_first_not_of(kBetween, at);
        if (begin == std::string_view::npos) {
            break;
        }
        at = std::min(line.find_first_of(kBetween, begin), line.size());
        words.push_back(line.substr(begin, at - begin));
    }
    if (words.size() < 5 || !words.back().ends_with(kUnit)) {
        return std::nullopt;
    }
    const auto type = std::ranges::find_if(words, [](std::string_view word) {
        return word == "C" || word == "G" || word == "C+G" || word == "M+C";
    });
    if (type == words.begin() || type == words.end()) {
        return std::nullopt;
    }
    const auto gpu = wholeNumber(words.front());
    const auto pid = wholeNumber(*(type - 1));
    const auto mib = wholeNumber(words.back().substr(0, words.back().size() - kUnit.size()));
    return gpu && pid && mib ? std::optional(SmiProcess{*gpu, *pid, *mib, *type != "G"})
                             : std::nullopt;
}

std::span<const std::string_view> smiAnchors()
{
    static constexpr std::array<std::string_view, 5> kAnchors{
        kSmiUse, kSmiProcesses, kSmiOldProcesses, kCsvUsed, kCsvProcesses};
    return kAnchors;
}

bool addSmiReadings(std::string_view log, std::size_t place, std::string_view anchor,
                    std::vector<MemoryReading>& readings)
{
    if (anchor == kSmiUse) {
        addSmiUse(log, place, readings);
    } else if (anchor == kSmiProcesses || anchor == kSmiOldProcesses) {
        addSmiProcesses(log, place, readings);
    } else if (anchor == kCsvUsed || anchor == kCsvProcesses) {
        addSmiCsv(log, place, readings);
    } else {
        return false;
    }
    return true;
}

} // namespace tidemark::diagnose
