// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/printable.h"

#include <algorithm>
#include <cstddef>

namespace tidemark::reader {

std::string printable(std::string_view text)
{
    constexpr std::size_t kLongest = 80;
    std::string result(text.substr(0, kLongest));
    std::ranges::replace_if(
        result, [](char c) { return c < ' ' || c > '~'; }, '?');
    if (text.size() > kLongest) {
        result += "...";
    }
    return result;
}

} // namespace tidemark::reader
