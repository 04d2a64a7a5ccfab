// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/utf8.h"

#include <cstddef>
#include <cstring>

namespace tidemark::reader {
namespace {

struct Form {
    std::size_t length = 0; ///< 0: no lead byte.
    unsigned char second_low = 0x80;
    unsigned char second_high = 0xbf;
};

/// Table 3-7 of the Unicode standard, with the surrogates left in.
Form formOf(unsigned char lead)
{
    if (lead < 0x80) {
        return {1};
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        return {2};
    }
    if (lead == 0xe0) {
        return {3, 0xa0};
    }
    if (lead > 0xe0 && lead <= 0xef) {
        return {3};
    }
    if (lead == 0xf0) {
        return {4, 0x90};
    }
    if (lead > 0xf0 && lead <= 0xf3) {
        return {4};
    }
    if (lead == 0xf4) {
        return {4, 0x80, 0x8f};
    }
    return {};
}

std::size_t asciiPrefix(std::string_view bytes)
{
    constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
    std::size_t at = 0;
    while (bytes.size() - at >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        if ((word & kHighBits) != 0) {
            break;
        }
        at += sizeof word;
    }
    while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) {
        ++at;
    }
    return at;
}

bool isSurrogateAt(std::string_view bytes, std::size_t at)
{
    return static_cast<unsigned char>(bytes[at]) == 0xed
        && static_cast<unsigned char>(bytes[at + 1]) >= 0xa0;
}

} // namespace

Utf8 checkUtf8(std::string_view bytes)
{
    Utf8 result = Utf8::valid;
    std::size_t at = asciiPrefix(bytes);
    while (at < bytes.size()) {
        const Form form = formOf(static_cast<unsigned char>(bytes[at]));
        if (form.length == 0 || form.length > bytes.size() - at) {
            return Utf8::invalid;
        }
        for (std::size_t i = 1; i < form.length; ++i) {
            const auto c = static_cast<unsigned char>(bytes[at + i]);
            const bool fits =
                i == 1 ? c >= form.second_low && c <= form.second_high : (c & 0xc0U) == 0x80U;
            if (!fits) {
                return Utf8::invalid;
            }
        }
        if (form.length == 3 && isSurrogateAt(bytes, at)) {
            result = Utf8::with_surrogates;
        }
        at += form.length;
    }
    return result;
}

std::string replaceSurrogates(std::string_view bytes)
{
    std::string result;
    result.reserve(bytes.size());
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t length = formOf(static_cast<unsigned char>(bytes[at])).length;
        if (length == 3 && isSurrogateAt(bytes, at)) {
            result += '?';
        } else {
            result += bytes.substr(at, length);
        }
        at += length;
    }
    return result;
}

void appendUtf8(std::string& text, std::uint32_t code_point)
{
    const auto tail = [&](unsigned shift) {
        text += static_cast<char>(0x80U | ((code_point >> shift) & 0x3fU));
    };
    if (code_point < 0x80) {
        text += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        text += static_cast<char>(0xc0U | (code_point >> 6U));
        tail(0);
    } else if (code_point < 0x10000) {
        text += static_cast<char>(0xe0U | (code_point >> 12U));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xf0U | (code_point >> 18U));
        tail(12);
        tail(6);
        tail(0);
    }
}

} // namespace tidemark::reader
