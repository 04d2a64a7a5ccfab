// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/language.h"

#include "core/base/beside.h"
#include "core/base/json_depth.h"
#include "core/base/languages.h"
#include "resources/languages/languages.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <list>
#include <mutex>
#include <set>

namespace tidemark {
namespace {

const Catalogue& english()
{
    static const Catalogue kEnglish{"en", '.', ',', false, {}};
    return kEnglish;
}

std::atomic<const Catalogue*>& inUse()
{
    static std::atomic<const Catalogue*> in_use{&english()};
    return in_use;
}

/// "0", "1:.2f" and "«name" of the arguments in a template, each once; empty braces take their
/// number. A brace without its partner is there as such.
std::set<std::string> argumentsOf(std::string_view text)
{
    static constexpr std::string_view kOpen = "«";
    static constexpr std::string_view kClose = "»";
    std::set<std::string> arguments;
    std::size_t number = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("{{") || rest.starts_with("}}")) {
            ++i;
        } else if (rest.starts_with(kOpen)) {
            arguments.emplace(rest.substr(0, rest.find(kClose)));
        } else if (const std::size_t end = rest.find('}');
                   rest.front() == '{' && end < rest.size()) {
            const std::string inside(rest.substr(1, end - 1));
            const bool has_number = !inside.empty() && inside.front() != ':';
            arguments.insert(has_number ? inside : std::to_string(number++) + inside);
            i += end;
        } else if (rest.front() == '{' || rest.front() == '}') {
            arguments.emplace(rest.substr(0, 1));
        }
    }
    return arguments;
}

char markOf(const nlohmann::json& file, const char* key, char otherwise)
{
    const std::string mark = file.value(key, std::string(1, otherwise));
    return mark.size() == 1 ? mark.front() : otherwise;
}

} // namespace

namespace language_detail {
namespace {

Together*& togetherHere()
{
    static thread_local Together* here = nullptr;
    return here;
}

} // namespace

Together::Together()
    : m_is_first(togetherHere() == nullptr)
{
    if (m_is_first) {
        togetherHere() = this;
    }
}

Together::~Together()
{
    if (m_is_first) {
        togetherHere() = nullptr;
    }
}

void Together::decide()
{
    m_is_decided = true;
}

OneUnit Together::unitOf(std::span<const Bytes> figures)
{
    Together* const here = togetherHere();
    if (here == nullptr) {
        const Bytes* const largest = Beside::largestHere();
        const OneUnit own(figures);
        const OneUnit unit = largest == nullptr ? own : unitBeside(figures, *largest);
        return unit.name() == own.name() ? own : unit; // Its own has all digits.
    }
    if (here->m_is_decided) {
        return unitBeside(figures, here->m_largest);
    }
    for (const Bytes figure : figures) {
        here->m_largest.value = std::max(here->m_largest.value, std::abs(figure.value));
    }
    return OneUnit(figures);
}

} // namespace language_detail

Result<Catalogue> readCatalogue(std::string_view json)
{
    Catalogue catalogue;
    try {
        const auto file = nlohmann::json::parse(json, limitJsonDepth);
        catalogue.id = file.at("language");
        catalogue.decimal_mark = markOf(file, "decimal_mark", '.');
        catalogue.group_mark = markOf(file, "group_mark", ',');
        catalogue.has_capital_nouns = file.value("capital_nouns", false);
        catalogue.texts = file.at("texts").get<decltype(catalogue.texts)>();
    } catch (const std::exception& error) {
        return Error{ErrorCode::badArgument,
                     say("It is no catalogue of texts ({}).", error.what())};
    }
    for (const auto& [template_text, text] : catalogue.texts) {
        if (argumentsOf(template_text) != argumentsOf(text)) {
            return Error{ErrorCode::badArgument,
                         say("The text for “{}” does not take the same arguments.", template_text)};
        }
    }
    return catalogue;
}

void useCatalogue(Catalogue catalogue)
{
    static std::mutex mutex;
    static std::list<Catalogue> kept; // views of their texts may be anywhere
    const std::scoped_lock lock(mutex);
    inUse() = &kept.emplace_back(std::move(catalogue));
}

const std::vector<BuiltInLanguage>& builtInLanguages()
{
    static const std::vector<BuiltInLanguage> kBuiltIn = [] {
        std::vector<BuiltInLanguage> all{{english().id, "English"}};
        for (const resources::EmbeddedLanguage& each : resources::kLanguages) {
            all.push_back({each.id, each.name});
        }
        return all;
    }();
    return kBuiltIn;
}

std::string languageIds()
{
    std::vector<std::string_view> ids;
    std::ranges::transform(builtInLanguages(), std::back_inserter(ids), &BuiltInLanguage::id);
    return fmt::format("{}", fmt::join(ids, ", "));
}

Result<Done> useLanguage(std::string_view id)
{
    if (id == english().id) {
        inUse() = &english();
        return Done{};
    }
    const auto* const found =
        std::ranges::find(resources::kLanguages, id, &resources::EmbeddedLanguage::id);
    if (found == resources::kLanguages.end()) {
        return Error{
            ErrorCode::badArgument,
            say("'{}' is no language of this program; choose from {}.", id, languageIds())};
    }
    auto catalogue = readCatalogue(found->json());
    if (!catalogue.has_value()) {
        return catalogue.error();
    }
    useCatalogue(std::move(catalogue).value());
    return Done{};
}

const Catalogue& language()
{
    return *inUse().load();
}

std::string_view translated(std::string_view english_text)
{
    const Catalogue& catalogue = language();
    const auto found = catalogue.texts.find(english_text);
    return found == catalogue.texts.end() ? english_text : std::string_view(found->second);
}

std::string withDecimalMark(std::string number)
{
    std::ranges::replace(number, '.', language().decimal_mark);
    return number;
}

} // namespace tidemark
