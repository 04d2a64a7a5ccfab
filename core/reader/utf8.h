// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::reader {

enum class Utf8 : std::uint8_t {
    valid,
    with_surrogates, ///< Valid but for surrogates written as three bytes each (U+D800 to U+DFFF).
    invalid,
};

/// O(length). The rules of Python's decoder with the error handler "surrogatepass", which pickle
/// uses: no overlong forms, nothing above U+10FFFF.
Utf8 checkUtf8(std::string_view bytes);

/// Each surrogate becomes "?". Requires that the text is not invalid.
std::string replaceSurrogates(std::string_view bytes);

/// Adds a code point below 0x110000, surrogates as three bytes.
void appendUtf8(std::string& text, std::uint32_t code_point);

} // namespace tidemark::reader
