// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/short_text.h"

#include <cstddef>

namespace tidemark {

std::string shortName(std::string_view name)
{
    constexpr std::size_t kLongest = 4096;
    if (name.size() <= kLongest) {
        return std::string(name);
    }
    std::size_t end = kLongest;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return std::string(name.substr(0, end)) + "…";
}

} // namespace tidemark
