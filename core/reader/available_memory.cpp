// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/available_memory.h"

#include <fstream>
#include <string>

namespace tidemark::reader {

std::uint64_t availableMemory()
{
    std::ifstream info("/proc/meminfo");
    std::string word;
    while (info >> word) {
        if (word == "MemAvailable:") {
            std::uint64_t kibibytes = 0;
            info >> kibibytes;
            return kibibytes * 1024;
        }
    }
    return 0;
}

} // namespace tidemark::reader
