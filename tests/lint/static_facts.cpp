// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors

// The list of facts about our tools in CONTRIBUTING.md, as far as a compiler can check it. It
// compiles with every compiler the project supports. A line that fails after an upgrade of the
// tools marks a rule that can be relaxed or one that must be written down.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <version>

namespace {

static_assert(__cplusplus >= 202002L, "C++20 is the language of the project");
static_assert(CHAR_BIT == 8);
static_assert(sizeof(std::size_t) == 8, "addresses and sizes need 64 bits");
static_assert(std::endian::native == std::endian::little,
              "pickles and our columns are little-endian");
static_assert(FMT_VERSION >= 90000);

#ifdef __cpp_lib_expected
#error "std::expected is here in the language mode we use: Result<T> can become an alias of it"
#endif
#ifdef __cpp_lib_format
#error "<format> is here: fmt can go"
#endif

// Works with both compilers.
struct Sample {
    std::int64_t bytes = 0;
    std::uint32_t id = 0;
    friend constexpr auto operator<=>(const Sample&, const Sample&) = default;
};
static_assert(Sample{.bytes = 1, .id = 2} < Sample{.bytes = 2, .id = 1});

constexpr std::int64_t largest(std::span<const Sample> samples)
{
    return std::ranges::max_element(samples, {}, &Sample::bytes)->bytes;
}
constexpr std::array kSamples{Sample{.bytes = 3}, Sample{.bytes = 7}, Sample{.bytes = 5}};
static_assert(largest(kSamples) == 7, "ranges algorithms take projections and spans");

consteval int onlyAtCompileTime(int value)
{
    return value * 2;
}
static_assert(onlyAtCompileTime(21) == 42);

enum class Kind { first, second };
constexpr bool isFirst(Kind kind)
{
    using enum Kind;
    return kind == first;
}
static_assert(isFirst(Kind::first) && !isFirst(Kind::second));

template <class T>
concept Sized = requires(const T& value)
{
    {
        value.size()
        } -> std::convertible_to<std::size_t>;
};
static_assert(Sized<std::string> && !Sized<int>);

static_assert(std::bit_cast<std::uint64_t>(1.0) == 0x3ff0'0000'0000'0000U);
static_assert(std::constructible_from<std::jthread, void (*)(std::stop_token)>);

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const
    {
        return std::hash<std::string_view>{}(text);
    }
};
using TextMap = std::unordered_map<std::string, int, TextHash, std::equal_to<>>;
static_assert(requires(const TextMap& map) { map.find(std::string_view("no copy is made")); });

} // namespace
