// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/reader/limits.h"
#include "core/reader/value_machine.h"

#include <cstdint>
#include <optional>

namespace tidemark::reader {

/// Bytes of memory that can be had without swapping; 0 where the system does not tell.
std::uint64_t availableMemory();

/// Looks after the memory of one native reading: the system ends a process that takes too much, so
/// that is seen before.
class MemoryWatch {
public:
    MemoryWatch(const ValueMachine& machine, const ReaderLimits& limits)
        : m_machine(machine)
        , m_limits(limits)
    {
    }

    /// To be asked about once per half a megabyte; `bytes` of the stream have arrived. tooLarge for
    /// a stream that needs out of proportion much, outOfMemory where the machine has no more.
    std::optional<Error> problem(std::uint64_t bytes);

private:
    [[nodiscard]] bool hasMemory(std::uint64_t bytes, std::uint64_t needed);

    const ValueMachine& m_machine;
    const ReaderLimits& m_limits;
    std::uint64_t m_next_look = 0;
};

} // namespace tidemark::reader
