// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::diagnose {

// Logs wrap lines in the middle of words and numbers, draw boxes around tracebacks and colour them.
// All that is gone in squeezed text: lower case, printable ASCII, no white space, no '|', no
// terminal codes, none of the marks of mails, markdown and JSON ('>', '*', '`', '\', "\n",
// "&nbsp;").

/// Where a terminal's code that begins at `at` ends; `at` itself if none begins there.
std::size_t endOfTerminalCode(std::string_view text, std::size_t at);

/// The same for a terminal's code, "\n" and its like as they are written in JSON, and "&nbsp;".
std::size_t endOfMarkup(std::string_view text, std::size_t at);

/// The squeezed form of one byte, or 0 if it has none.
char squeezed(char c);

/// One of the words found.
struct WordHit {
    std::size_t word = 0; ///< Index into the words.
    std::size_t end = 0; ///< Offset just behind it in the text as it was given.
};

/// Finds many words in squeezed text at once, reading each byte once.
class WordFinder {
public:
    /// `words` in squeezed form, none empty. O(their length · their different bytes).
    explicit WordFinder(std::span<const std::string_view> words);

    /// Hits in order of their ends. Of a word that is found very often the first and the last
    /// `kKept` are kept, so that no text can make the result large. O(text).
    [[nodiscard]] std::vector<WordHit> find(std::string_view text) const;

    static constexpr std::size_t kKept = 400;

private:
    using State = std::uint16_t;

    std::array<std::uint8_t, 256> m_kind{}; ///< Character → column; 0: in no word.
    std::size_t m_kinds = 1;
    std::vector<State> m_next; ///< TextFinder's transitions as a table.
    std::vector<std::vector<std::size_t>> m_found; ///< Per state the words that end there.
    std::vector<bool> m_finds; ///< Per state whether there is any.
    std::size_t m_word_count = 0;
};

} // namespace tidemark::diagnose
