// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/message/log_window.h"

#include "core/diagnose/message/word_finder.h"

#include <algorithm>
#include <cctype>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kBefore = 900; ///< Bytes of a log that may belong to a message before its
constexpr std::size_t kBehind = 7000; ///< figures, and behind its beginning.
constexpr std::size_t kLongestPrefix = 60;

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isBreak(char c)
{
    return c == '\n' || c == '\r';
}

/// Behind blanks and colour codes.
std::size_t skipBlank(std::string_view line, std::size_t at)
{
    while (at < line.size()) {
        const std::size_t end = endOfTerminalCode(line, at);
        if (end > at) {
            at = end;
        } else if (line[at] == ' ' || line[at] == '\t') {
            ++at;
        } else {
            break;
        }
    }
    return at;
}

std::string lowered(std::string_view text)
{
    std::string small(text);
    std::ranges::transform(small, small.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return small;
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

/// One prefix at `at`; its end, or `at` if none begins there.
std::size_t onePrefix(std::string_view line, std::size_t at, std::optional<std::int64_t>& rank)
{
    const std::string_view rest = line.substr(at, kLongestPrefix);
    if (rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        if (close == std::string_view::npos || !namesRank(rest.substr(1, close - 1))) {
            return at;
        }
        std::size_t end = close + 1;
        for (const std::string_view stream : {"<stderr>", "<stdout>"}) {
            end += rest.substr(end).starts_with(stream) ? stream.size() : 0;
        }
        const bool plain = isDigit(rest[1]); // "[0]" alone may be an index of anything
        if (plain && !rest.substr(end).starts_with(':')) {
            return at;
        }
        rank = lastNumber(rest.substr(1, close - 1));
        return at + end + (rest.substr(end).starts_with(':') ? 1 : 0);
    }
    if (rest.starts_with('(')) {
        const std::size_t close = rest.find(')');
        const std::size_t pid = rest.find("pid=");
        const bool is_process = close != std::string_view::npos && pid < close && pid + 4 < close
            && isDigit(rest[pid + 4]);
        return is_process ? at + close + 1 : at;
    }
    const std::size_t colon = rest.find(':');
    if (colon != std::string_view::npos && colon <= 12 && namesRank(rest.substr(0, colon))
        && rest.substr(colon).starts_with(": ")) {
        rank = lastNumber(rest.substr(0, colon));
        return at + colon + 1;
    }
    return at;
}

void appendSqueezed(std::string& out, std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            const std::size_t end = endOfTerminalCode(text, i);
            if (end > i) {
                i = end - 1;
                continue;
            }
        }
        if (const char c = squeezed(text[i]); c != '\0') {
            out.push_back(c);
        }
    }
}

} // namespace

LinePrefix prefixOf(std::string_view line)
{
    LinePrefix prefix;
    const std::size_t begin = skipBlank(line, 0);
    std::size_t at = begin;
    for (int i = 0; i < 3; ++i) {
        const std::size_t end = onePrefix(line, at, prefix.rank);
        if (end == at) {
            break;
        }
        prefix.text = line.substr(begin, end - begin);
        at = skipBlank(line, end);
    }
    return prefix;
}

std::string_view lineAt(std::string_view log, std::size_t place, std::size_t most)
{
    place = std::min(place, log.size());
    const std::size_t first = place > most ? place - most : 0;
    const std::size_t last = std::min(log.size(), place + most);
    std::size_t begin = place;
    while (begin > first && !isBreak(log[begin - 1])) {
        --begin;
    }
    std::size_t end = place;
    while (end < last && !isBreak(log[end])) {
        ++end;
    }
    return log.substr(begin, end - begin);
}

std::string squeezedText(std::string_view text)
{
    std::string squeezed;
    appendSqueezed(squeezed, text);
    return squeezed;
}

Window windowAround(std::string_view log, std::size_t place)
{
    Window window;
    const std::size_t first = place > kBefore ? place - kBefore : 0;
    const std::size_t last = std::min(log.size(), place + kBehind);
    // A place right behind the end of its line belongs to that line.
    const bool is_behind = place > 0 && (place >= log.size() || isBreak(log[place]));
    const std::size_t inside = is_behind ? place - 1 : place;
    const std::string_view own_line = lineAt(log, inside);
    const auto own_begin = static_cast<std::size_t>(own_line.data() - log.data());
    window.prefix = prefixOf(own_line);
    bool continues = false; // a line without prefix behind one of ours was wrapped
    std::size_t begin = first;
    while (begin > 0 && begin < own_begin && !isBreak(log[begin - 1])) {
        ++begin; // leave out the half line at the front
    }
    while (begin < last) {
        std::size_t end = begin;
        while (end < last && !isBreak(log[end])) {
            ++end;
        }
        const std::string_view line = log.substr(begin, end - begin);
        const LinePrefix prefix = prefixOf(line);
        const bool is_own = begin <= inside && inside < std::max(end, begin + 1);
        continues = is_own || prefix.text == window.prefix.text
            || (continues && prefix.text.empty() && !window.prefix.text.empty());
        if (continues) {
            const std::size_t skip = prefix.text.empty()
                ? 0
                : static_cast<std::size_t>(prefix.text.data() + prefix.text.size() - line.data());
            const std::size_t split = is_own ? std::clamp(place - begin, skip, line.size()) : skip;
            appendSqueezed(window.text, line.substr(skip, split - skip));
            window.anchor = is_own ? window.text.size() : window.anchor;
            appendSqueezed(window.text, line.substr(split));
        }
        begin = end + 1;
    }
    return window;
}

} // namespace tidemark::diagnose
