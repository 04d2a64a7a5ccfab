// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/sayings.h"

#include "core/base/ascii.h"
#include "core/message/post_words.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemark::diagnose {
namespace {

constexpr std::size_t kLongestSpoken = 24; ///< Bytes of a word that are compared.
constexpr std::size_t kSpokenWindow = 40; ///< Words that may lie between the parts of a saying.
constexpr std::size_t kShortestBeginning = 2;

struct SpokenWord {
    std::string text;
    std::size_t end = 0; ///< In the post.
    bool ends_sentence = false;
};

bool isSpoken(char c)
{
    return isLetter(c) || isDigit(c) || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

/// A row of a table, an item of a list, a frame of a traceback or a fence begins something new.
bool beginsAnew(std::string_view line)
{
    static constexpr std::array<std::string_view, 8> kNew{"|",   "+-",    "- ",    "* ",
                                                          "```", "file ", "trace", "#"};
    const std::string small = lowered(trimmed(line.substr(0, 80)));
    return small.empty() || std::ranges::any_of(kNew, [&](std::string_view words) {
               return small.starts_with(words);
           });
}

/// Whether a sentence ends somewhere from `at` on, before the next word.
bool endsSentence(std::string_view text, std::size_t at, std::string_view word)
{
    static constexpr std::array<std::string_view, 5> kShortened{"e", "g", "i", "vs", "approx"};
    for (; at < text.size() && !isSpoken(text[at]); ++at) {
        const bool is_mark = text[at] == '.' || text[at] == '!' || text[at] == '?';
        const bool is_last = at + 1 >= text.size() || text[at + 1] == ' ' || text[at + 1] == '\n'
            || text[at + 1] == '\r';
        if (is_mark && is_last && std::ranges::find(kShortened, word) == kShortened.end()) {
            return true;
        }
        if (text[at] == '\n') {
            const std::string_view rest = text.substr(at + 1);
            if (beginsAnew(rest.substr(0, rest.find('\n')))) {
                return true;
            }
        }
    }
    return false;
}

/// `  File "/env/site-packages/x.py", line 3, in f`: nobody says that.
bool isFrameLine(std::string_view line)
{
    return trimmed(line.substr(0, 200)).starts_with("File \"")
        || line.find("-packages/") != std::string_view::npos;
}

/// Typographic quotes, dashes, dots and the marks of Chinese and Japanese as ASCII, each as long as
/// before: "doesn’t" is negated, too.
std::string withPlainMarks(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kMarks{{
        {"\xE2\x80\xA6", ".  "}, // three dots
        {"\xE3\x80\x82", ".\n\n"}, // an ideographic full stop; nothing else parts sentences
        {"\xEF\xBC\x8C", ",  "},
        {"\xE3\x80\x81", ",  "},
        {"\xEF\xBC\x81", "!  "},
        {"\xEF\xBC\x9F", "?  "},
        {"\xEF\xBC\x9A", ":  "},
        {"\xEF\xBC\x88", "(  "},
        {"\xEF\xBC\x89", ")  "},
    }};
    static constexpr std::string_view kGeneral = "\xE2\x80"; // U+2010 to U+203F
    std::string plain(text);
    for (std::size_t at = 0; at + 2 < plain.size(); ++at) {
        if ((static_cast<unsigned char>(plain[at]) & 0xE0U) != 0xE0U) {
            continue;
        }
        const std::string_view mark = std::string_view(plain).substr(at, 3);
        const auto* const known =
            std::ranges::find(kMarks, mark, &std::pair<std::string_view, std::string_view>::first);
        if (known != kMarks.end()) {
            plain.replace(at, 3, known->second);
        } else if (mark.starts_with(kGeneral)) {
            plain.replace(at, 3, "'  ");
        }
    }
    return plain;
}

bool isForeign(char c)
{
    return (static_cast<unsigned char>(c) & 0x80U) != 0;
}

/// "gpu memory" for one word of another language that ends at `end`.
void addForeign(std::string_view text, std::size_t end, std::string_view english,
                std::vector<SpokenWord>& words)
{
    while (!english.empty()) {
        const std::size_t blank = std::min(english.find(' '), english.size());
        words.push_back({std::string(english.substr(0, blank)), end, false});
        english.remove_prefix(std::min(blank + 1, english.size()));
    }
    words.back().ends_sentence = endsSentence(text, end, words.back().text);
}

std::vector<SpokenWord> spokenWords(std::string_view post)
{
    const std::string plain = withPlainMarks(post);
    const std::string_view text = plain;
    std::vector<SpokenWord> words;
    std::size_t line_end = 0;
    bool is_frames_code = false; // the line below a frame
    for (std::size_t at = 0; at < text.size();) {
        if (at >= line_end) {
            line_end = std::min(text.find('\n', at), text.size() - 1) + 1;
            const std::string_view line = text.substr(at, line_end - at);
            const bool is_frame = isFrameLine(line);
            const bool is_skipped = is_frame || (is_frames_code && line.starts_with("    "));
            is_frames_code = is_frame;
            if (is_skipped) {
                at = line_end;
                continue;
            }
        }
        if (!isSpoken(text[at])) {
            ++at;
            continue;
        }
        if (const ForeignWord foreign = foreignWordAt(text.substr(at)); foreign.length > 0) {
            at += foreign.length;
            addForeign(text, at, foreign.english, words);
            continue;
        }
        const std::size_t begin = at;
        while (at < text.size() && isSpoken(text[at])
               && (at == begin || !isForeign(text[at])
                   || foreignWordAt(text.substr(at)).length == 0)) {
            ++at;
        }
        SpokenWord word{lowered(text.substr(begin, std::min(at - begin, kLongestSpoken))), at,
                        false};
        word.ends_sentence = endsSentence(text, at, word.text);
        words.push_back(std::move(word));
    }
    return words;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::ranges::find(words, word) != words.end();
}

/// "not growing", "doesn't grow", "does not keep growing".
bool isDenied(const std::vector<SpokenWord>& words, std::size_t at)
{
    const auto before = [&](std::size_t distance) -> std::string_view {
        return at >= distance ? std::string_view(words[at - distance].text) : std::string_view();
    };
    if (isOneOf(words[at].text, {"no", "not", "without"})) {
        return false;
    }
    return isOneOf(before(1), {"no", "not", "never", "t", "cannot", "without", "nor"})
        || (isOneOf(before(1),
                    {"keep", "be", "get", "seem", "really", "even", "any", "the", "to", "more"})
            && isOneOf(before(2), {"no", "not", "never", "t", "cannot", "nor"}));
}

} // namespace

SayingFinder::SayingFinder(const std::vector<Saying>& sayings)
    : m_sayings(sayings.size())
{
    for (std::size_t s = 0; s < sayings.size(); ++s) {
        m_groups.push_back(sayings[s].groups.size());
        for (std::size_t g = 0; g < sayings[s].groups.size(); ++g) {
            for (const std::string& words : sayings[s].groups[g]) {
                add(words, s, g);
            }
        }
        for (const std::string& words : sayings[s].unless) {
            add(words, s, kUnless);
        }
    }
}

void SayingFinder::add(std::string_view words, std::size_t saying, std::size_t group)
{
    std::vector<Part> parts;
    for (const SpokenWord& word : spokenWords(words)) {
        parts.push_back({word.text, word.end < words.size() && words[word.end] == '*'});
    }
    if (parts.empty()) {
        return;
    }
    const Part first = parts.front();
    parts.erase(parts.begin());
    auto& index = first.is_beginning ? m_beginnings : m_whole;
    index[first.word].push_back({std::move(parts), saying, group});
}

std::vector<std::size_t> SayingFinder::find(std::string_view text) const
{
    struct Heard {
        std::vector<std::size_t> last; ///< Per group the number of its last word, from 1.
        bool is_said = false;
        bool is_denied = false;
    };
    std::vector<Heard> heard(m_sayings);
    std::vector<std::size_t> in_sentence; // the sayings of which something was heard
    for (std::size_t s = 0; s < m_sayings; ++s) {
        heard[s].last.resize(m_groups[s]);
    }
    std::vector<std::size_t> found(m_sayings);
    const std::vector<SpokenWord> words = spokenWords(text);
    const auto hear = [&](const std::vector<Alternative>& alternatives, std::size_t at) {
        for (const Alternative& alternative : alternatives) {
            bool is_there = at + alternative.rest.size() < words.size();
            for (std::size_t i = 0; is_there && i < alternative.rest.size(); ++i) {
                const std::string& word = words[at + 1 + i].text;
                const Part& part = alternative.rest[i];
                is_there = part.is_beginning ? word.starts_with(part.word) : word == part.word;
            }
            if (!is_there
                || (alternative.group != 0 && alternative.group != kUnless
                    && isDenied(words, at))) {
                continue;
            }
            Heard& of = heard[alternative.saying];
            in_sentence.push_back(alternative.saying);
            if (alternative.group == kUnless) {
                of.is_denied = true;
                continue;
            }
            of.last[alternative.group] = at + 1;
            of.is_said = of.is_said || std::ranges::all_of(of.last, [&](std::size_t last) {
                             return last > 0 && last + kSpokenWindow > at;
                         });
        }
    };
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string& word = words[at].text;
        if (const auto whole = m_whole.find(word); whole != m_whole.end()) {
            hear(whole->second, at);
        }
        for (std::size_t length = kShortestBeginning; length <= word.size(); ++length) {
            const auto known = m_beginnings.find(std::string_view(word).substr(0, length));
            if (known != m_beginnings.end()) {
                hear(known->second, at);
            }
        }
        if (words[at].ends_sentence || at + 1 == words.size()) {
            for (const std::size_t s : in_sentence) {
                if (heard[s].is_said && !heard[s].is_denied) {
                    found[s] = words[at].end;
                }
                heard[s].is_said = heard[s].is_denied = false;
                std::ranges::fill(heard[s].last, 0);
            }
            in_sentence.clear();
        }
    }
    return found;
}

} // namespace tidemark::diagnose
