// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/base/column.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace tidemark {

void preferLargePages(void* memory, std::size_t bytes)
{
    constexpr std::size_t kWorthwhile = std::size_t{4} << 20; // two large pages of most machines
    if (memory == nullptr || bytes < kWorthwhile) {
        return;
    }
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t to_page = (page - begin % page) % page;
    // A system without large pages refuses, which changes nothing.
    (void)madvise(static_cast<std::byte*>(memory) + to_page, (bytes - to_page) / page * page,
                  MADV_HUGEPAGE);
}

} // namespace tidemark
