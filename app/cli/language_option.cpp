// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "app/cli/language_option.h"

#include "app/cli/arguments.h"
#include "core/base/language.h"
#include "core/base/languages.h"

#include <algorithm>
#include <string_view>

namespace tidemark::cli {
namespace {

constexpr std::string_view kOption = "--language";

Result<Done> use(const std::string& words)
{
    if (!words.ends_with(".json")) {
        return useLanguage(words);
    }
    auto text = textOrFile('@' + words);
    if (!text.has_value()) {
        return text.error();
    }
    auto catalogue = readCatalogue(text.value());
    if (!catalogue.has_value()) {
        return catalogue.error();
    }
    useCatalogue(std::move(catalogue).value());
    return Done{};
}

} // namespace

Result<Done> useLanguageIn(std::vector<std::string>& arguments)
{
    const auto begin = std::ranges::find_if(arguments, [](std::string_view word) {
        return word == kOption || (word.starts_with(kOption) && word[kOption.size()] == '=');
    });
    if (begin == arguments.end()) {
        return Done{};
    }
    auto end = begin + 1;
    std::string words;
    if (begin->size() > kOption.size()) {
        words = begin->substr(kOption.size() + 1);
    } else if (end != arguments.end()) {
        words = *end++;
    }
    arguments.erase(begin, end);
    return use(words);
}

void addLanguageOption(CLI::App& program)
{
    program.add_option_function<std::string>(
        std::string(kOption), [](const std::string& /*words*/) {},
        say("Language of the output: {} (the first is the default), or a translation file",
            languageIds()));
}

} // namespace tidemark::cli
