// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/word_finder.h"

#include "core/base/text_finder.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>

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
    std::map<std::string_view, std::vector<std::size_t>> numbers; // A word may be there twice.
    for (std::size_t i = 0; i < words.size(); ++i) {
        numbers[words[i]].push_back(i);
    }
    std::vector<std::string_view> distinct;
    for (const auto& [word, same] : numbers) {
        distinct.push_back(word);
        for (const char c : word) {
            std::uint8_t& kind = m_kind[static_cast<unsigned char>(c)];
            if (kind == 0) {
                kind = static_cast<std::uint8_t>(m_kinds++);
            }
        }
    }
    const TextFinder finder(distinct);
    const std::vector<TextFinder::Node> table = finder.table(m_kind, m_kinds);
    const std::size_t states = table.size() / m_kinds;
    assert(states <= std::numeric_limits<State>::max());
    m_next.assign(table.begin(), table.end());
    m_found.resize(states);
    std::vector<std::uint32_t> ending;
    for (std::size_t state = 0; state < states; ++state) {
        ending.clear();
        finder.appendEndings(static_cast<TextFinder::Node>(state), ending);
        for (const std::uint32_t text : ending) {
            const std::vector<std::size_t>& same = numbers[distinct[text]];
            m_found[state].insert(m_found[state].end(), same.begin(), same.end());
        }
        m_finds.push_back(!ending.empty());
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
