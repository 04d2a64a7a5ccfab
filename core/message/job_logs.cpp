// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/job_logs.h"

#include "core/base/ascii.h"
#include "core/message/line_prefix.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLookBack = std::size_t{1} << 16;

/// Two or four digits at a place; none where others stand there.
std::optional<int> digitsAt(std::string_view text, std::size_t at, std::size_t count)
{
    if (at + count > text.size()) {
        return std::nullopt;
    }
    int number = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (!isDigit(text[i])) {
            return std::nullopt;
        }
        number = number * 10 + (text[i] - '0');
    }
    return number;
}

/// "2026-11-25 02:10:11,123" at a place.
std::optional<LogTime> timeAt(std::string_view text, std::size_t at)
{
    static constexpr std::size_t kLength = 19;
    static constexpr int kFractionDigits = 6;
    const auto year = digitsAt(text, at, 4);
    const auto month = digitsAt(text, at + 5, 2);
    const auto day = digitsAt(text, at + 8, 2);
    const auto hour = digitsAt(text, at + 11, 2);
    const auto minute = digitsAt(text, at + 14, 2);
    const auto second = digitsAt(text, at + 17, 2);
    if (!year || !month || !day || !hour || !minute || !second) {
        return std::nullopt;
    }
    const bool has_marks = text[at + 4] == text[at + 7]
        && (text[at + 4] == '-' || text[at + 4] == '/')
        && (text[at + 10] == ' ' || text[at + 10] == 'T') && text[at + 13] == ':'
        && text[at + 16] == ':';
    using namespace std::chrono;
    const year_month_day date{std::chrono::year(*year),
                              std::chrono::month(static_cast<unsigned>(*month)),
                              std::chrono::day(static_cast<unsigned>(*day))};
    if (!has_marks || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) {
        return std::nullopt;
    }
    std::int64_t fraction = 0;
    std::size_t end = at + kLength;
    if (end + 1 < text.size() && (text[end] == ',' || text[end] == '.') && isDigit(text[end + 1])) {
        ++end;
        for (int digit = 0; digit < kFractionDigits; ++digit) {
            const bool has_digit = end < text.size() && isDigit(text[end]);
            fraction = fraction * 10 + (has_digit ? text[end] - '0' : 0);
            end += has_digit ? 1 : 0;
        }
    }
    const auto seconds_of_day = hours(*hour) + minutes(*minute) + seconds(*second);
    const auto since = duration_cast<std::chrono::microseconds>(sys_days(date).time_since_epoch()
                                                                + seconds_of_day);
    return LogTime{since.count() + fraction, std::string(text.substr(at, end - at)), at};
}

/// Whether a time stands on the line of a place, or heads the error that the place is in.
bool isOfError(std::string_view log, const LogTime& time, std::size_t place)
{
    const std::string_view between = log.substr(time.begin, place - time.begin);
    const std::size_t end = between.find('\n');
    const std::string line = lowered(between.substr(0, end));
    return end == std::string_view::npos
        || std::ranges::any_of(
               std::array<std::string_view, 4>{"error", "exception", "critical", "traceback"},
               [&](std::string_view word) { return line.find(word) != std::string::npos; });
}

bool failedBefore(const JobLog& a, const JobLog& b)
{
    static constexpr std::int64_t kSecond = 1'000'000;
    static constexpr std::int64_t kClocksAgree = kSecond / 10;
    return a.has_fraction && b.has_fraction ? *b.failed_at - *a.failed_at >= kClocksAgree
                                            : *a.failed_at / kSecond < *b.failed_at / kSecond;
}

} // namespace

std::optional<LogTime> timeBefore(std::string_view log, std::size_t place)
{
    place = std::min(place, log.size());
    const std::size_t from = place - std::min(place, kLookBack);
    // A time is known by its first colon, which is rarer than digits.
    for (std::size_t colon = log.substr(0, place).rfind(':');
         colon != std::string_view::npos && colon >= from + 13;
         colon = log.substr(0, colon).rfind(':')) {
        if (auto time = timeAt(log, colon - 13)) {
            return time;
        }
    }
    return std::nullopt;
}

JobLog explainOfJob(std::string name, std::string_view log, const ExplainOptions& options)
{
    JobLog one{std::move(name), explain(log, options), std::nullopt, {}};
    const LogFindings& findings = one.explanation.findings;
    const std::size_t place = findings.main ? findings.messages[*findings.main].offset
        : findings.events.empty()           ? log.size()
                                            : findings.events.front().offset;
    if (auto time = timeBefore(log, place)) {
        one.failed_at = time->microseconds;
        one.has_own_time = isOfError(log, *time, std::min(place, log.size()));
        one.has_fraction = time->text.find_first_of(",.") != std::string::npos;
        one.failed_at_text = std::move(time->text);
    }
    return one;
}

std::optional<std::size_t> firstToFail(std::span<const JobLog> logs)
{
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < logs.size(); ++i) {
        if (logs[i].hasFailed()) {
            failed.push_back(i);
        }
    }
    const auto has_time = [&](std::size_t i) {
        return logs[i].failed_at.has_value() && logs[i].has_own_time;
    };
    if (failed.size() < 2) {
        return failed.empty() ? std::nullopt : std::optional(failed.front());
    }
    if (!std::ranges::all_of(failed, has_time)) {
        return std::nullopt;
    }
    const std::size_t first =
        *std::ranges::min_element(failed, {}, [&](std::size_t i) { return *logs[i].failed_at; });
    const bool is_sure = std::ranges::all_of(
        failed, [&](std::size_t i) { return i == first || failedBefore(logs[first], logs[i]); });
    return is_sure ? std::optional(first) : std::nullopt;
}

} // namespace tidemark::diagnose
