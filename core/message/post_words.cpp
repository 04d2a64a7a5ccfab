// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/message/post_words.h"

#include "core/base/ascii.h"
#include "resources/post_words.json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cassert>
#include <map>
#include <vector>

namespace tidemark::diagnose {
namespace {

using WordLists = std::map<std::string, std::vector<std::string>, std::less<>>;

struct PostWords {
    WordLists lists;
    std::map<std::string, std::string, std::less<>> english;
    std::size_t longest = 0; ///< Bytes of a foreign word.
};

PostWords parsePostWords()
{
    PostWords words;
    const auto file = nlohmann::ordered_json::parse(resources::postWordsJson());
    for (const auto& [name, languages] : file.at("lists").items()) {
        for (const auto& list : languages) {
            for (const auto& word : list) {
                words.lists[name].push_back(word);
            }
        }
    }
    for (const auto& language : file.at("english")) {
        for (const auto& [word, english] : language.items()) {
            words.english.emplace(word, english);
            words.longest = std::max(words.longest, word.size());
        }
    }
    return words;
}

const PostWords& allWords()
{
    static const PostWords kWords = parsePostWords();
    return kWords;
}

} // namespace

std::span<const std::string> postWords(std::string_view list)
{
    const auto found = allWords().lists.find(list);
    assert(found != allWords().lists.end());
    return found->second;
}

std::size_t countWord(std::string_view small, std::string_view word)
{
    const bool is_beginning = word.ends_with('*');
    word.remove_suffix(is_beginning ? 1 : 0);
    std::size_t count = 0;
    for (std::size_t at = small.find(word); at != std::string_view::npos;
         at = small.find(word, at + word.size())) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !isLetter(word.front()) || !isLetter(small[at - 1]);
        const bool ends =
            is_beginning || end >= small.size() || !isLetter(word.back()) || !isLetter(small[end]);
        count += begins && ends ? 1 : 0;
    }
    return count;
}

std::size_t countWords(std::string_view small, std::string_view list)
{
    std::size_t count = 0;
    for (const std::string& word : postWords(list)) {
        count += countWord(small, word);
    }
    return count;
}

ForeignWord foreignWordAt(std::string_view text)
{
    for (std::size_t length = std::min(text.size(), allWords().longest); length > 1; --length) {
        const auto known = allWords().english.find(text.substr(0, length));
        if (known != allWords().english.end()) {
            return {length, known->second};
        }
    }
    return {};
}

bool namesAnyOf(std::string_view small, std::string_view list)
{
    return std::ranges::any_of(postWords(list),
                               [&](const std::string& word) { return countWord(small, word) > 0; });
}

} // namespace tidemark::diagnose
