// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/query/words.h"

#include "core/base/language.h"
#include "core/query/values.h"

namespace tidemark::query {
namespace {

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Whether a unit may follow: "size>358.00", not "stack:b".
bool endsInFigure(const Word& word)
{
    const std::size_t figure = word.text.find_last_not_of("0123456789.");
    return !word.is_quoted && figure != std::string::npos && figure + 1 < word.text.size()
        && std::string_view(":=<>,.").find(word.text[figure]) != std::string_view::npos
        && word.text.find_first_of(":=<>") != std::string::npos;
}

} // namespace

std::string quoted(std::string_view text)
{
    // A quotation mark has no other form; a space finds what it stood for but for that place.
    std::string marked = "\"";
    for (const char c : text) {
        marked += c == '"' ? ' ' : c;
    }
    return marked + '"';
}

Result<std::vector<Word>> splitWords(std::string_view text)
{
    std::vector<Word> words;
    bool is_negated = false;
    std::size_t negation = 0;
    for (std::size_t i = 0; i < text.size();) {
        if (isSpace(text[i])) {
            ++i;
            continue;
        }
        Word word;
        word.offset = i;
        if (text[i] == '-' && i + 1 < text.size() && !isSpace(text[i + 1])) {
            word.is_negated = true;
            ++i;
        }
        word.is_quoted = text[i] == '"';
        bool is_open = false;
        for (; i < text.size() && (is_open || !isSpace(text[i])); ++i) {
            if (text[i] == '"') {
                is_open = !is_open;
            } else {
                word.text += text[i];
            }
        }
        if (is_open) {
            return Error{ErrorCode::badArgument,
                         say("A quotation mark is not closed; add the closing one."), word.offset};
        }
        if (!word.is_quoted && !word.is_negated && word.text == "not") {
            is_negated = !is_negated;
            negation = word.offset;
            continue;
        }
        if (word.text.empty()) {
            continue;
        }
        if (!words.empty() && !word.is_negated && !word.is_quoted && isUnit(word.text)
            && endsInFigure(words.back()) && !is_negated) {
            words.back().text += word.text;
            continue;
        }
        word.is_negated = word.is_negated != is_negated;
        is_negated = false;
        words.push_back(std::move(word));
    }
    if (is_negated) {
        return Error{ErrorCode::badArgument,
                     say("Nothing follows “not”; write what to exclude, such as not stack:torch."),
                     negation};
    }
    return words;
}

} // namespace tidemark::query
