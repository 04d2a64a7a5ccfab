// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/line_prefix.h"

#include "core/base/ascii.h"
#include "core/message/word_finder.h"

#include <algorithm>
#include <array>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLongestItem = 80;
constexpr int kMostItems = 6;

/// Behind blanks, marks of quoting and colour codes.
std::size_t skipBlank(std::string_view line, std::size_t at)
{
    while (at < line.size()) {
        const std::size_t end = endOfTerminalCode(line, at);
        if (end > at) {
            at = end;
        } else if (line[at] == ' ' || line[at] == '\t' || line[at] == '>') {
            ++at; // '>': quoted in a mail
        } else {
            break;
        }
    }
    return at;
}

/// The digits at the end of "rank 3", "default3", "1,0".
std::optional<std::int64_t> lastNumber(std::string_view text)
{
    std::size_t begin = text.size();
    while (begin > 0 && isDigit(text[begin - 1]) && text.size() - begin < 9) {
        --begin;
    }
    if (begin == text.size()) {
        return std::nullopt;
    }
    std::int64_t number = 0;
    for (const char c : text.substr(begin)) {
        number = number * 10 + (c - '0');
    }
    return number;
}

bool namesRank(std::string_view words)
{
    if (words.empty() || !isDigit(words.back())) {
        return false;
    }
    std::string name = lowered(words);
    std::erase_if(name, [](char c) { return isDigit(c) || c == ' ' || c == ',' || c == '_'; });
    return name.empty() || name == "rank" || name == "localrank" || name == "globalrank"
        || name == "default" || name == "trainer" || name == "worker" || name == "gpu";
}

/// One part of a prefix: where it ends, 0 if there is none, and what it tells.
struct Item {
    std::size_t end = 0;
    std::optional<std::int64_t> rank;
    std::string_view writer;
};

bool isLevel(std::string_view word)
{
    static constexpr std::array<std::string_view, 10> kLevels{
        "info", "warning", "warn", "error", "debug", "critical", "fatal", "err", "trace", "notice"};
    return std::ranges::find(kLevels, lowered(word)) != kLevels.end();
}

/// Digits and what stands between the parts of a time, with a date's or a clock's two separators.
std::size_t timeEnd(std::string_view text)
{
    std::size_t end = 0;
    std::size_t separators = 0;
    while (end < text.size() && end < 40) {
        const char c = text[end];
        const bool is_inside =
            end > 0 && end + 1 < text.size() && isDigit(text[end + 1]) && isDigit(text[end - 1]);
        const bool between = (c == '-' || c == ':' || c == '/') && is_inside;
        const bool part = (c == '.' || c == ',' || c == 'T' || c == '_' || c == '+' || c == ' ')
            && is_inside && separators > 0;
        if (!isDigit(c) && !between && !part) {
            break;
        }
        separators += between ? 1 : 0;
        ++end;
    }
    if (separators < 2) {
        return 0;
    }
    return end + (end < text.size() && text[end] == 'Z' ? 1 : 0);
}

/// "[rank3]:", "[1,0]<stderr>:", "[2024-06-28 06:11:52,123]", "[ERROR]", "[core.py:708]",
/// "[ 81.3]".
Item bracketItem(std::string_view rest)
{
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos || close < 2) {
        return {};
    }
    const std::string_view inside = rest.substr(1, close - 1);
    if (namesRank(inside)) {
        std::size_t end = close + 1;
        for (const std::string_view stream : {"<stderr>", "<stdout>"}) {
            end += rest.substr(end).starts_with(stream) ? stream.size() : 0;
        }
        const bool has_colon = rest.substr(end).starts_with(':');
        if (isDigit(inside[0]) && !has_colon) {
            return {}; // "[0]" alone may be an index of anything
        }
        end += has_colon ? 1 : 0;
        return {end, lastNumber(inside), rest.substr(0, end)};
    }
    const bool is_time = timeEnd(inside) == inside.size() || timeEnd(inside) > 7;
    const std::size_t colon = inside.rfind(':');
    const bool is_place = colon != std::string_view::npos && colon + 1 < inside.size()
        && (inside.substr(0, colon).ends_with(".py") || inside.substr(0, colon).ends_with(".cpp"));
    const bool is_uptime = inside.find_first_not_of(" .0123456789") == std::string_view::npos
        && inside.find('.') != std::string_view::npos;
    return is_time || is_place || is_uptime || isLevel(inside) ? Item{close + 1, {}, {}} : Item{};
}

/// "(WorkerDict pid=4711, ip=10.0.0.1)".
Item processItem(std::string_view rest)
{
    const std::size_t close = rest.find(')');
    const std::size_t pid = rest.find("pid=");
    const bool is_process =
        close != std::string_view::npos && pid < close && pid + 4 < close && isDigit(rest[pid + 4]);
    return is_process ? Item{close + 1, {}, rest.substr(0, close + 1)} : Item{};
}

/// "2: ", "rank 1: ", "node-1: ", "trainer-1  | ", "utils.py:827] ", "ERROR ", "INFO: ".
Item wordItem(std::string_view rest)
{
    const std::size_t colon = rest.find(':');
    if (colon != std::string_view::npos && colon <= 12 && namesRank(rest.substr(0, colon))
        && rest.substr(colon).starts_with(": ")) {
        return {colon + 1, lastNumber(rest.substr(0, colon)), rest.substr(0, colon)};
    }
    std::size_t end = 0;
    while (end < rest.size()
           && (isLetter(rest[end]) || isDigit(rest[end]) || rest[end] == '-' || rest[end] == '_'
               || rest[end] == '.')) {
        ++end;
    }
    if (end == 0 || end >= rest.size()) {
        return {};
    }
    const std::string_view word = rest.substr(0, end);
    std::size_t behind = end;
    while (behind < rest.size() && rest[behind] == ' ') {
        ++behind;
    }
    const std::string_view tail = rest.substr(behind);
    if (isLevel(word)) {
        return {behind + (tail.starts_with(':') || tail.starts_with('|') ? 1 : 0), {}, {}};
    }
    if (isLetter(word[0]) && behind > end && tail.starts_with("| ") && isDigit(word.back())) {
        return {behind + 1, {}, word}; // docker compose
    }
    const bool is_numbered = isLetter(word[0]) && isDigit(word.back())
        && word.find_first_of("-_") != std::string_view::npos;
    if (is_numbered && rest.substr(end).starts_with(": ")) {
        return {end + 1, {}, word};
    }
    if (word.ends_with(".py") && rest.substr(end).starts_with(':')) {
        std::size_t close = end + 1;
        while (close < rest.size() && isDigit(rest[close])) {
            ++close;
        }
        return close > end + 1 && rest.substr(close).starts_with(']') ? Item{close + 1, {}, {}}
                                                                      : Item{};
    }
    return {};
}

/// "May  1 10:00:00 host python[4711]: ", as syslog and journalctl write it.
Item syslogItem(std::string_view rest)
{
    static constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const std::size_t month = rest.size() > 3 ? kMonths.find(rest.substr(0, 3)) : 1;
    if (month % 3 != 0 || rest[3] != ' ') {
        return {};
    }
    std::size_t at = rest.find_first_not_of(" 0123456789", 3);
    if (at == std::string_view::npos || rest[at] != ':' || at < 2) {
        return {};
    }
    const std::size_t clock = at - 2;
    at = clock + timeEnd(rest.substr(clock));
    const std::size_t colon = rest.find(": ", at);
    const bool has_host = at > clock && colon != std::string_view::npos && rest[colon - 1] == ']';
    return has_host ? Item{colon + 1, {}, rest.substr(at, colon - at)} : Item{};
}

/// The text of a record: {"log":"…
std::size_t recordEnd(std::string_view rest)
{
    for (const std::string_view key : {"\"log\":", "\"msg\":", "\"message\":", "\"line\":"}) {
        const std::size_t at = rest.find(key);
        if (at == std::string_view::npos) {
            continue;
        }
        const std::size_t quote = rest.find_first_not_of(' ', at + key.size());
        return quote != std::string_view::npos && rest[quote] == '"' ? quote + 1 : 0;
    }
    return 0;
}

Item nextItem(std::string_view rest)
{
    if (rest.empty()) {
        return {};
    }
    switch (rest[0]) {
    case '[':
        return bracketItem(rest);
    case '(':
        return processItem(rest);
    case '{':
        return {recordEnd(rest), {}, {}};
    case '|':
    case '-':
        // between the parts of a prefix
        return rest.size() > 1 && rest[1] == ' ' ? Item{1, {}, {}} : Item{};
    default:
        if (const std::size_t end = timeEnd(rest); end > 0) {
            return {end + (rest.substr(end).starts_with(": ") ? 1 : 0), {}, {}}; // TensorFlow's
        }
        if (const Item item = syslogItem(rest); item.end > 0) {
            return item;
        }
        return wordItem(rest);
    }
}

} // namespace

LinePrefix prefixOf(std::string_view line)
{
    LinePrefix prefix;
    const std::size_t begin = skipBlank(line, 0);
    std::size_t at = begin;
    for (int i = 0; i < kMostItems; ++i) {
        if (i == 0 && at < line.size() && (line[at] == '|' || line[at] == '-')) {
            break;
        }
        const Item item = nextItem(line.substr(at, kLongestItem));
        if (item.end == 0) {
            break;
        }
        prefix.rank = prefix.rank ? prefix.rank : item.rank;
        prefix.writer += item.writer;
        at += item.end;
        prefix.text = line.substr(begin, at - begin);
        at = skipBlank(line, at);
    }
    return prefix;
}

std::string_view bodyOf(std::string_view line, const LinePrefix& prefix)
{
    if (prefix.text.empty()) {
        return line;
    }
    line.remove_prefix(
        static_cast<std::size_t>(prefix.text.data() + prefix.text.size() - line.data()));
    if (prefix.text.starts_with('{') && prefix.text.ends_with('"')) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '\\') {
                ++i;
            } else if (line[i] == '"') {
                return line.substr(0, i);
            }
        }
    }
    return line;
}

} // namespace tidemark::diagnose
