// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/text_encoding.h"

#include "core/reader/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tidemark::reader {
namespace {

constexpr std::size_t kLooked = std::size_t{1} << 16;

enum class ByteOrder : std::uint8_t { little, big };

/// UTF-16 by its mark, or by its letters: of English text every other byte is 0.
std::optional<ByteOrder> orderOf(std::string_view bytes)
{
    if (bytes.starts_with("\xff\xfe")) {
        return ByteOrder::little;
    }
    if (bytes.starts_with("\xfe\xff")) {
        return ByteOrder::big;
    }
    const std::size_t pairs = std::min(bytes.size(), kLooked) / 2;
    if (pairs < 8) {
        return std::nullopt;
    }
    std::size_t even = 0;
    std::size_t odd = 0;
    for (std::size_t i = 0; i < pairs; ++i) {
        even += bytes[2 * i] == '\0' ? 1U : 0U;
        odd += bytes[2 * i + 1] == '\0' ? 1U : 0U;
    }
    if (odd * 10 > pairs * 8 && even * 10 < pairs) {
        return ByteOrder::little;
    }
    return even * 10 > pairs * 8 && odd * 10 < pairs ? std::optional(ByteOrder::big) : std::nullopt;
}

std::string fromUtf16(std::string_view bytes, ByteOrder order)
{
    static constexpr std::uint32_t kReplacement = 0xfffd;
    const auto unitAt = [&](std::size_t i) {
        const auto first = static_cast<unsigned char>(bytes[2 * i]);
        const auto second = static_cast<unsigned char>(bytes[2 * i + 1]);
        return order == ByteOrder::little ? first | std::uint32_t{second} << 8U
                                          : second | std::uint32_t{first} << 8U;
    };
    std::string text;
    text.reserve(bytes.size() / 2);
    const std::size_t units = bytes.size() / 2;
    for (std::size_t i = 0; i < units; ++i) {
        const std::uint32_t unit = unitAt(i);
        const bool is_high = unit >= 0xd800 && unit < 0xdc00;
        const std::uint32_t next = is_high && i + 1 < units ? unitAt(i + 1) : 0;
        if (is_high && next >= 0xdc00 && next < 0xe000) {
            appendUtf8(text, 0x10000 + ((unit - 0xd800) << 10U) + (next - 0xdc00));
            ++i;
        } else if (unit >= 0xd800 && unit < 0xe000) {
            appendUtf8(text, kReplacement);
        } else if (unit != 0xfeff) { // the mark
            appendUtf8(text, unit);
        }
    }
    return text;
}

} // namespace

std::string asUtf8(std::string bytes)
{
    const std::optional<ByteOrder> order = orderOf(bytes);
    return order ? fromUtf16(bytes, *order) : std::move(bytes);
}

std::string_view withoutHoles(std::string_view bytes)
{
    static constexpr std::string_view kHole("\0", 1);
    const std::size_t first = bytes.find_first_not_of(kHole);
    return first == std::string_view::npos
        ? bytes
        : bytes.substr(first, bytes.find_last_not_of(kHole) + 1 - first);
}

bool isBinary(std::string_view bytes)
{
    bytes = bytes.substr(0, kLooked);
    // Tabs, line and page breaks, backspaces, bells and terminal codes stand in logs.
    const auto is_odd = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x07 || (byte >= 0x0e && byte < 0x20 && byte != 0x1b);
    };
    const auto odd = static_cast<std::size_t>(std::ranges::count_if(bytes, is_odd));
    return odd * 20 > bytes.size();
}

} // namespace tidemark::reader
