// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/ascii.h"
#include "core/base/language.h"
#include "core/label/modules/tensor_guesses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tidemark::label {
namespace {

struct ElementName {
    std::string_view name;
    std::int64_t bytes;
};
/// Longer names before those they contain.
constexpr std::array<ElementName, 17> kElements{{{"complex128", 16},
                                                 {"complex64", 8},
                                                 {"bfloat16", 2},
                                                 {"float64", 8},
                                                 {"float32", 4},
                                                 {"float16", 2},
                                                 {"float8_e4m3fn", 1},
                                                 {"float8_e5m2", 1},
                                                 {"uint8", 1},
                                                 {"int64", 8},
                                                 {"int32", 4},
                                                 {"int16", 2},
                                                 {"int8", 1},
                                                 {"double", 8},
                                                 {"half", 2},
                                                 {"bool", 1},
                                                 {"long", 8}}};

bool isWordChar(char c)
{
    return isLetter(c) || isDigit(c) || c == '_';
}

const ElementName* elementIn(std::string_view text)
{
    for (const ElementName& element : kElements) {
        for (std::size_t at = text.find(element.name); at != std::string_view::npos;
             at = text.find(element.name, at + 1)) {
            const std::size_t end = at + element.name.size();
            const bool is_word = (at == 0 || !isWordChar(text[at - 1]))
                && (end == text.size() || !isWordChar(text[end]));
            if (is_word) {
                return &element;
            }
        }
    }
    return nullptr;
}

/// The numbers of the first "[8, 128]" or "(8, 128)"; empty where anything else stands in it.
std::vector<std::int64_t> numbersIn(std::string_view text)
{
    const std::size_t open = text.find_first_of("[(");
    const std::size_t close =
        open == std::string_view::npos ? open : text.find_first_of("])", open);
    std::vector<std::int64_t> numbers;
    if (close == std::string_view::npos) {
        return numbers;
    }
    std::string_view list = text.substr(open + 1, close - open - 1);
    while (!list.empty()) {
        if (list.front() == ' ' || list.front() == ',' || list.front() == 'x') {
            list.remove_prefix(1);
            continue;
        }
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), number);
        if (error != std::errc() || number <= 0) {
            return {};
        }
        numbers.push_back(number);
        list.remove_prefix(static_cast<std::size_t>(end - list.data()));
    }
    return numbers;
}

} // namespace

std::string TensorGuess::shapeText() const
{
    return fmt::format("{}", fmt::join(shape, " × "));
}

std::optional<TensorGuess> tensorInText(std::string_view text, std::int64_t bytes)
{
    const ElementName* const element = elementIn(text);
    std::vector<std::int64_t> shape = numbersIn(text);
    if (element == nullptr || shape.empty()) {
        return std::nullopt;
    }
    std::int64_t left = bytes / element->bytes;
    bool fits = bytes % element->bytes == 0;
    for (const std::int64_t size : shape) {
        fits = fits && left % size == 0;
        left /= size;
    }
    if (!fits || left != 1) {
        return std::nullopt;
    }
    TensorGuess guess;
    guess.shape = std::move(shape);
    guess.dtype = element->name;
    guess.reason = say("The file says so.");
    guess.is_exact = true;
    return guess;
}

} // namespace tidemark::label
