// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/complete.h"

#include "core/base/ascii.h"
#include "core/query/keys.h"
#include "core/query/words.h"

#include <algorithm>

namespace tidemark::query {
namespace {

/// Where the word begins that ends at the cursor; spaces between quotation marks end no word.
std::size_t beginOfWord(std::string_view text)
{
    std::size_t begin = 0;
    bool is_open = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        is_open = is_open != (text[i] == '"');
        if (!is_open && (text[i] == ' ' || text[i] == '\t')) {
            begin = i + 1;
        }
    }
    return begin;
}

std::string_view signOf(KeyKind kind)
{
    switch (kind) {
    case KeyKind::bytes:
        return ">";
    case KeyKind::duration:
        return "<";
    case KeyKind::moment:
        return "@";
    case KeyKind::nothing:
        return "";
    default:
        return ":";
    }
}

void addKeys(Completion& completion, std::string_view prefix)
{
    for (const KeyInfo& info : keyTable()) {
        if (info.name.starts_with(prefix)) {
            std::string text(info.name);
            completion.candidates.push_back(
                {text.append(signOf(info.kind)), info.what, info.example});
        }
    }
}

} // namespace

Completion complete(std::string_view query, std::size_t cursor)
{
    const std::string_view before = query.substr(0, cursor);
    Completion completion;
    completion.begin = beginOfWord(before);
    completion.end = before.size();
    if (completion.begin < completion.end && before[completion.begin] == '-') {
        ++completion.begin;
    }
    const std::string word = lowered(before.substr(completion.begin));
    if (word.starts_with('"')) {
        return completion;
    }
    const std::size_t sign = word.find_first_of(":=<>@");
    if (sign == std::string::npos) {
        addKeys(completion, word);
    } else if (const KeyInfo* const info = findKey(word.substr(0, sign)); info != nullptr) {
        const std::size_t comma = word.rfind(',');
        const std::size_t value = comma == std::string::npos ? sign + 1 : comma + 1;
        for (const std::string_view choice : choicesOf(info->key)) {
            if (choice.starts_with(std::string_view(word).substr(value))) {
                completion.candidates.push_back({std::string(choice), {}, {}});
            }
        }
        completion.begin += value;
    }
    const auto& found = completion.candidates;
    const std::string_view typed = before.substr(completion.begin);
    if (found.size() == 1 && found.front().text == lowered(typed)) {
        completion.candidates.clear();
    }
    return completion;
}

} // namespace tidemark::query
