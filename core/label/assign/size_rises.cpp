// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/label/assign/size_rises.h"

#include <algorithm>
#include <utility>

namespace tidemark::label {

bool SizeRises::add(std::int64_t size)
{
    const std::int64_t last = std::exchange(m_last, size).value_or(size);
    if (size > last) {
        ++m_count;
        ++m_of[size - last];
    }
    m_falls += size < last ? 1 : 0;
    return size > last;
}

std::int64_t SizeRises::steadyIncrease() const
{
    constexpr std::size_t kFewest = 8;
    if (m_count < kFewest || m_falls * 10 > m_count) {
        return 0;
    }
    const auto usual =
        std::ranges::max_element(m_of, {}, [](const auto& rise) { return rise.second; });
    return usual->second * 10 >= m_count * 8 ? usual->first : 0;
}

} // namespace tidemark::label
