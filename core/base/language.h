// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/format.h"
#include "core/base/result.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
    bool has_capital_nouns = false; ///< Nouns are capitalized within a sentence, too.
    std::map<std::string, std::string, std::less<>> texts;
};

/// Reads a catalogue: {"language": "de", "decimal_mark": ",", "group_mark": ".", "capital_nouns":
/// true, "texts": {English: other}}. Errors: badArgument if it is none, or if a text does not take
/// its template's arguments.
Result<Catalogue> readCatalogue(std::string_view json);

/// From now on texts are made in this language. Catalogues are kept for good, so texts may be in
/// the making on other threads; what was made before stays as it is.
void useCatalogue(Catalogue catalogue);

/// As `useCatalogue`, of a language that is built in (`builtInLanguages`): "en", which a program
/// starts with, or "de".
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

inline Bytes largestOf(Bytes bytes)
{
    return bytes;
}
inline Bytes largestOf(const Bare& bare)
{
    return bare.bytes;
}
inline Bytes largestOf(const Signed& difference)
{
    return difference.bytes;
}
inline Bytes largestOf(const Between& ends)
{
    return ends.most;
}
inline Bytes largestOf(const Around& interval)
{
    return interval.best;
}

inline Bytes largestOf(const std::optional<Bytes>& known)
{
    return known.value_or(Bytes{});
}

inline std::string shown(Bytes bytes, const OneUnit& unit)
{
    return unit(bytes);
}
inline std::string shown(const std::optional<Bytes>& known, const OneUnit& unit)
{
    return known ? unit(*known) : formatKnown(known);
}
inline std::string shown(const Bare& bare, const OneUnit& unit)
{
    return unit.bare(bare.bytes);
}
inline std::string shown(const Signed& difference, const OneUnit& unit)
{
    return unit.difference(difference.bytes);
}
inline std::string shown(const Between& ends, const OneUnit& unit)
{
    return ends.least == ends.most ? unit(ends.least) : formatInterval(ends.least, ends.most);
}
inline std::string shown(const Around& e, const OneUnit& unit)
{
    return e.least == e.most ? unit(e.best) : formatInterval(e.best, e.least, e.most);
}

template <class T>
constexpr bool kIsBytes = requires(const T& value, const OneUnit& unit)
{
    shown(value, unit);
};

/// The amounts of a text that is composed twice, first to find the largest of them. One per thread;
/// within another it is part of that.
class Together {
public:
    Together();
    ~Together();
    Together(const Together&) = delete;
    Together& operator=(const Together&) = delete;
    /// Now all are known.
    void decide();
    /// Of a sentence on this thread.
    [[nodiscard]] static OneUnit unitOf(std::span<const Bytes> figures);

private:
    bool m_is_first;
    bool m_is_decided = false;
    Bytes m_largest;
};

/// One for all bytes of a sentence.
template <class... Args>
OneUnit unitOf(const Args&... args)
{
    std::vector<Bytes> all;
    [[maybe_unused]] const auto add = [&]<class T>([[maybe_unused]] const T& value) {
        if constexpr (kIsBytes<T>) {
            all.push_back(largestOf(value));
        }
    };
    (add(args), ...);
    return Together::unitOf(all);
}

template <class T>
decltype(auto) argument(const T& value, [[maybe_unused]] const OneUnit& unit)
{
    if constexpr (kIsBytes<T>) {
        return shown(value, unit);
    } else if constexpr (std::is_floating_point_v<T>) {
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
    [[maybe_unused]] const OneUnit unit = unitOf(args...);
    return formatted(translated({english.data(), english.size()}), argument(args, unit)...);
}

} // namespace language_detail

/// A text in the language in use. `english` is a literal, which the compiler checks against the
/// arguments; a catalogue may put them in another order ("{1} … {0}"). All `Bytes` among them get
/// one unit and the same number of decimals.
template <class... Args>
std::string say(fmt::format_string<Args...> english, Args&&... args)
{
    return language_detail::filled(english, args...);
}

/// A text, or texts, that are read together: all `Bytes` that `compose` says share the unit of the
/// largest. It is called twice and says the same both times.
template <class Compose>
auto sayTogether(const Compose& compose)
{
    language_detail::Together together;
    static_cast<void>(compose());
    together.decide();
    return compose();
}

/// As `say`, of what is counted: the first template for one, the second for any other number.
template <class... Args>
std::string sayCounted(std::int64_t count, fmt::format_string<Args...> one,
                       fmt::format_string<Args...> other, Args&&... args)
{
    return language_detail::filled(count == 1 ? one : other, args...);
}

} // namespace tidemark

/// What `say` takes; its text is a string by then.
template <class T>
requires tidemark::language_detail::kIsBytes<T>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
};

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
