// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tidemark::diagnose {

// Words that posts have for something, in all languages: the lists of resources/post_words.json. A
// word that begins or ends with a letter is a whole one; "train*" is each word that begins so.

/// Requires that the list exists. Parsed once; thread-safe.
std::span<const std::string> postWords(std::string_view list);

/// `small` is in lower case. O(it).
std::size_t countWord(std::string_view small, std::string_view word);
/// Of all words of a list. O(small · list), as below.
std::size_t countWords(std::string_view small, std::string_view list);
bool namesAnyOf(std::string_view small, std::string_view list);

/// A word of another language at the beginning of `text`, the longest that is known, and what it is
/// in English; `length` 0: none.
struct ForeignWord {
    std::size_t length = 0;
    std::string_view english;
};
ForeignWord foreignWordAt(std::string_view text);

} // namespace tidemark::diagnose
