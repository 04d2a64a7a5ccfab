// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/log_window.h"

#include "core/message/word_finder.h"

#include <algorithm>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kWindowBefore =
    900; ///< Bytes of a log that may belong to a message before its
constexpr std::size_t kWindowBehind = 7000; ///< figures, and behind its beginning.

bool isBreak(char c)
{
    return c == '\n' || c == '\r';
}

void appendSqueezed(std::string& out, std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (const std::size_t end = endOfMarkup(text, i); end > i) {
            i = end - 1;
            continue;
        }
        // "0, 24 GB" are two numbers, "0,24 GB" may be one; without the blank they look alike.
        const bool ends_number =
            text[i] == ',' && (i + 1 >= text.size() || text[i + 1] < '0' || text[i + 1] > '9');
        if (const char c = ends_number ? ';' : squeezed(text[i]); c != '\0') {
            out.push_back(c);
        }
    }
}

/// At most about `most` bytes of a text, whole words, with what stands at `kept`.
std::string cutAround(const std::string& text, std::size_t kept, std::size_t most)
{
    if (text.size() <= most) {
        return text;
    }
    const std::size_t ahead = 3 * most / 4; // The text's beginning as long as it has the place.
    std::size_t begin = kept <= ahead ? 0 : std::min(kept - ahead, text.size() - most);
    std::size_t end = begin + most;
    if (begin > 0) {
        const std::size_t blank = text.find(' ', begin - 1);
        begin = blank < kept ? blank + 1 : begin;
    }
    if (end < text.size()) {
        const std::size_t blank = text.rfind(' ', end);
        end = blank != std::string::npos && blank > std::max(kept, begin) ? blank : end;
    }
    return (begin > 0 ? "… " : "") + text.substr(begin, end - begin)
        + (end < text.size() ? " …" : "");
}

} // namespace

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
    const std::size_t first = place > kWindowBefore ? place - kWindowBefore : 0;
    const std::size_t last = std::min(log.size(), place + kWindowBehind);
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
        continues = is_own || prefix.writer == window.prefix.writer
            || (continues && prefix.text.empty() && !window.prefix.text.empty());
        if (continues) {
            const std::string_view body = bodyOf(line, prefix);
            const auto skip = static_cast<std::size_t>(body.data() - line.data());
            const std::size_t split =
                is_own ? std::clamp(place - begin, skip, skip + body.size()) - skip : 0;
            appendSqueezed(window.text, body.substr(0, split));
            window.anchor = is_own ? window.text.size() : window.anchor;
            appendSqueezed(window.text, body.substr(split));
        }
        begin = end + 1;
    }
    return window;
}

std::string shownLine(std::string_view line, std::size_t place, std::size_t most)
{
    const LinePrefix prefix = prefixOf(line);
    if (!prefix.text.empty()) {
        const auto behind =
            static_cast<std::size_t>(prefix.text.data() + prefix.text.size() - line.data());
        line.remove_prefix(behind);
        place -= std::min(place, behind);
    }
    std::string shown;
    std::size_t kept = 0; // where the place is in what is shown
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (i <= place) {
            kept = shown.size();
        }
        const std::size_t end = endOfTerminalCode(line, i);
        if (end > i) {
            i = end - 1;
        } else if (line[i] >= ' ' && line[i] < '\x7f' && !(shown.empty() && line[i] == ' ')) {
            shown.push_back(line[i]);
        }
    }
    return cutAround(shown, kept, most);
}

} // namespace tidemark::diagnose
