// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tidemark {

// Every sentence for people goes through here. It is written in English, as one whole template with
// arguments; that template is its id. A catalogue (resources/languages) has the other language's
// template for each. What is for machines (JSON keys, ids, CSV, lines to paste) is never
// translated.

/// One language's texts by their English templates, and how it writes numbers.
struct Catalogue {
    std::string id; ///< Such as "de".
    char decimal_mark = '.';
    char group_mark = ',';
    std::map<std::string, std::string, std::less<>> texts;
};

/// Reads a catalogue: {"language": "de", "decimal_mark": ",", "group_mark": ".", "texts": {English:
/// other}}. Errors: badArgument if it is none, or if a text does not take its template's arguments.
Result<Catalogue> readCatalogue(std::string_view json);

/// From now on texts are made in this language. Catalogues are kept for good, so texts may be in
/// the making on other threads; what was made before stays as it is.
void useCatalogue(Catalogue catalogue);

/// As `useCatalogue`, of a language that is built in: "en", which a program starts with, or "de".
/// Errors: badArgument.
Result<Done> useLanguage(std::string_view id);

/// The catalogue in use; that of English has no texts. Thread-safe.
const Catalogue& language();

/// The text in the language in use; as it is if the catalogue does not have it. O(log n). The
/// result lives as long as `english` and the program.
std::string_view translated(std::string_view english);

/// Marks a text that is given to `translated` later, so that the check of the catalogues finds it.
constexpr const char* toSay(const char* english)
{
    return english;
}

/// Replaces the point in a number such as "1.25" by the language's decimal mark.
std::string withDecimalMark(std::string number);

/// A fraction inside a sentence, written with the language's decimal mark.
struct Fraction {
    double value = 0;
};

namespace language_detail {

template <class T>
decltype(auto) argument(const T& value)
{
    if constexpr (std::is_floating_point_v<T>) {
        return Fraction{static_cast<double>(value)};
    } else {
        return (value);
    }
}

template <class... Args>
std::string formatted(std::string_view text, const Args&... args)
{
    return fmt::vformat(fmt::string_view(text.data(), text.size()), fmt::make_format_args(args...));
}

template <class... Args>
std::string filled(fmt::string_view english, const Args&... args)
{
    return formatted(translated({english.data(), english.size()}), argument(args)...);
}

} // namespace language_detail

/// A text in the language in use. `english` is a literal, which the compiler checks against the
/// arguments; a catalogue may put them in another order ("{1} … {0}").
template <class... Args>
std::string say(fmt::format_string<Args...> english, Args&&... args)
{
    return language_detail::filled(english, args...);
}

/// As `say`, of what is counted: the first template for one, the second for any other number.
template <class... Args>
std::string sayCounted(std::int64_t count, fmt::format_string<Args...> one,
                       fmt::format_string<Args...> other, Args&&... args)
{
    return language_detail::filled(count == 1 ? one : other, args...);
}

} // namespace tidemark

/// With the format of a double, such as "{:.2f}".
template <>
struct fmt::formatter<tidemark::Fraction> {
    constexpr auto parse(fmt::format_parse_context& context)
    {
        const char* end = context.begin();
        while (end != context.end() && *end != '}') {
            ++end;
        }
        spec = std::string_view(context.begin(), static_cast<std::size_t>(end - context.begin()));
        return end;
    }
    template <class Context>
    auto format(const tidemark::Fraction& fraction, Context& context) const
    {
        const std::string number =
            fmt::format(fmt::runtime("{:" + std::string(spec) + '}'), fraction.value);
        return fmt::format_to(context.out(), "{}", tidemark::withDecimalMark(number));
    }

    std::string_view spec;
};
