// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/memory_watch.h"

#include "core/base/format.h"
#include "core/base/language.h"

#include <algorithm>
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

bool MemoryWatch::hasMemory(std::uint64_t bytes, std::uint64_t needed)
{
    constexpr std::uint64_t kLookStep = std::uint64_t{64} << 20;
    constexpr std::uint64_t kReserve = std::uint64_t{256} << 20;
    if (m_limits.max_memory_bytes != 0) {
        return needed <= m_limits.max_memory_bytes;
    }
    if (bytes < m_next_look) {
        return true;
    }
    m_next_look = bytes + kLookStep;
    const std::uint64_t available = availableMemory();
    return available == 0 || available > kReserve;
}

std::optional<Error> MemoryWatch::problem(std::uint64_t bytes)
{
    constexpr std::uint64_t kColumnsPerEvent = 40;
    const std::uint64_t needed =
        m_machine.memoryBytes() + m_machine.entryCount() * kColumnsPerEvent;
    if (!hasMemory(bytes, needed)) {
        return Error{ErrorCode::outOfMemory,
                     say("Not enough memory for this snapshot's events; close other programs, use "
                         "a larger machine, or record fewer events (max_entries).")};
    }
    if (needed > m_limits.valueMemory(bytes)) {
        return Error{ErrorCode::tooLarge,
                     say("The first {} of the snapshot already need {} of memory, far more than "
                         "a file of this size can; Tidemark refuses it.",
                         Bytes{static_cast<std::int64_t>(bytes)},
                         Bytes{static_cast<std::int64_t>(needed)})};
    }
    return {};
}

} // namespace tidemark::reader
