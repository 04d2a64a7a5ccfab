// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/diagnose/message/word_finder.h"

#include <algorithm>
#include <cassert>
#include <deque>

namespace tidemark::diagnose {

std::size_t endOfTerminalCode(std::string_view text, std::size_t at)
{
    static constexpr std::size_t kLongest = 24;
    if (text[at] != '\x1b' || at + 1 >= text.size() || text[at + 1] != '[') {
        return at;
    }
    const std::size_t last = std::min(text.size(), at + kLongest);
    for (std::size_t i = at + 2; i < last; ++i) {
        if (text[i] >= '@' && text[i] <= '~') {
            return i + 1;
        }
    }
    return at;
}

std::size_t endOfMarkup(std::string_view text, std::size_t at)
{
    static constexpr std::string_view kBlank = "&nbsp;";
    switch (text[at]) {
    case '\x1b':
        return endOfTerminalCode(text, at);
    case '&':
        return text.substr(at, kBlank.size()) == kBlank ? at + kBlank.size() : at;
    case '\\':
        break;
    default:
        return at;
    }
    std::size_t end = at;
    while (end < text.size() && text[end] == '\\') {
        ++end;
    }
    for (const std::string_view code : {"u001b[", "x1b[", "033["}) {
        if (text.substr(end, code.size()) == code) {
            const std::size_t last = text.find_first_not_of("0123456789;", end + code.size());
            return last == std::string_view::npos ? text.size() : last + 1;
        }
    }
    const bool is_letter =
        end < text.size() && (text[end] == 'n' || text[end] == 'r' || text[end] == 't');
    return is_letter ? end + 1 : end;
}

char squeezed(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return static_cast<char>(c - 'A' + 'a');
    }
    switch (c) {
    case '|':
    case '>':
    case '*':
    case '`':
    case '\\':
    case '&':
        return '\0';
    default:
        return c > ' ' && c < '\x7f' ? c : '\0';
    }
}

WordFinder::WordFinder(std::span<const std::string_view> words)
    : m_word_count(words.size())
{
    for (const std::string_view word : words) {
        for (const char c : word) {
            std::uint8_t& kind = m_kind[static_cast<unsigned char>(c)];
            if (kind == 0) {
                kind = static_cast<std::uint8_t>(m_kinds++);
            }
        }
    }
    m_next.assign(m_kinds, 0);
    m_found.resize(1);
    for (std::size_t i = 0; i < words.size(); ++i) {
        addWord(words[i], i);
    }
    link();
}

void WordFinder::addWord(std::string_view word, std::size_t index)
{
    std::size_t state = 0;
    for (const char c : word) {
        const std::size_t kind = m_kind[static_cast<unsigned char>(c)];
        if (next(state, kind) == 0) {
            assert(m_found.size() < 65535);
            next(state, kind) = static_cast<State>(m_found.size());
            m_found.emplace_back();
            m_next.resize(m_next.size() + m_kinds, 0);
        }
        state = next(state, kind);
    }
    m_found[state].push_back(index);
}

/// Aho and Corasick's failure links, folded into the table of transitions.
void WordFinder::link()
{
    std::vector<State> fallback(m_found.size(), 0);
    std::deque<State> queue;
    for (std::size_t kind = 1; kind < m_kinds; ++kind) {
        if (next(0, kind) != 0) {
            queue.push_back(next(0, kind));
        }
    }
    while (!queue.empty()) {
        const State state = queue.front();
        queue.pop_front();
        const auto& inherited = m_found[fallback[state]];
        m_found[state].insert(m_found[state].end(), inherited.begin(), inherited.end());
        for (std::size_t kind = 1; kind < m_kinds; ++kind) {
            State& target = next(state, kind);
            if (target == 0) {
                target = next(fallback[state], kind);
            } else {
                fallback[target] = next(fallback[state], kind);
                queue.push_back(target);
            }
        }
    }
    for (const auto& found : m_found) {
        m_finds.push_back(!found.empty());
    }
}

std::vector<WordHit> WordFinder::find(std::string_view text) const
{
    struct Kept {
        std::vector<WordHit> first;
        std::vector<WordHit> last; ///< A ring.
        std::size_t count = 0;
    };
    std::vector<Kept> kept(m_word_count);
    std::array<std::uint8_t, 256> kind_of{};
    static constexpr std::uint8_t kSkipped = 255;
    for (std::size_t c = 0; c < kind_of.size(); ++c) {
        const char small = squeezed(static_cast<char>(c));
        kind_of[c] = small == '\0' ? kSkipped : m_kind[static_cast<unsigned char>(small)];
    }
    std::size_t state = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::uint8_t kind = kind_of[static_cast<unsigned char>(text[i])];
        if (kind == kSkipped) {
            const std::size_t end = endOfMarkup(text, i);
            i = end > i ? end - 1 : i;
            continue;
        }
        state = m_next[state * m_kinds + kind];
        if (!m_finds[state]) {
            continue;
        }
        for (const std::size_t word : m_found[state]) {
            Kept& k = kept[word];
            const WordHit hit{word, i + 1};
            if (k.first.size() < kKept) {
                k.first.push_back(hit);
            } else if (k.last.size() < kKept) {
                k.last.push_back(hit);
            } else {
                k.last[k.count % kKept] = hit;
            }
            ++k.count;
        }
    }
    std::vector<WordHit> hits;
    for (const Kept& k : kept) {
        hits.insert(hits.end(), k.first.begin(), k.first.end());
        hits.insert(hits.end(), k.last.begin(), k.last.end());
    }
    std::ranges::sort(hits, {}, &WordHit::end);
    return hits;
}

} // namespace tidemark::diagnose
