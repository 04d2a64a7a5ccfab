// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/sanitizers.h"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace tidemark::test {

/// How far this process's resident memory rose above where it was when this was made. Always 0
/// under the sanitizers, which keep what is freed.
class PeakMemory {
public:
    PeakMemory()
    {
        // Forgets the highest mark so far.
        std::ofstream("/proc/self/clear_refs") << "5";
        m_start = status("VmRSS:");
    }
    [[nodiscard]] std::uint64_t growth() const
    {
        if constexpr (kSanitized) {
            return 0;
        }
        const std::uint64_t peak = status("VmHWM:");
        return peak > m_start ? peak - m_start : 0;
    }

private:
    static std::uint64_t status(std::string_view field)
    {
        std::ifstream file("/proc/self/status");
        std::string word;
        while (file >> word) {
            if (word == field) {
                std::uint64_t kibibytes = 0;
                file >> kibibytes;
                return kibibytes * 1024;
            }
        }
        return 0;
    }

    std::uint64_t m_start = 0;
};

} // namespace tidemark::test
