// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/pickle_opcodes.h"

#include <cstdint>
#include <string_view>

namespace tidemark::reader {

// What CPython 3.11 on a 64-bit machine needs, measured by sys.getsizeof (plus 16 for containers,
// and rounded) and by the resident memory of the process. For snapshots the sum is about what
// reading takes; for files made to need much it is at least half of that.

/// For a new value of this kind with these bytes behind its opcode. `has_escapes`: a backslash in
/// them can stand for a character.
std::uint64_t memoryOf(ValueKind kind, std::string_view bytes, bool has_escapes = false);

inline constexpr std::uint64_t kMemoryPerListItem = 9;
inline constexpr std::uint64_t kMemoryPerDictItem = 34;
inline constexpr std::uint64_t kMemoryPerSetItem = 64;
inline constexpr std::uint64_t kMemoryPerMemoEntry = 16;
inline constexpr std::uint64_t kMemoryPerStackEntry = 16;

} // namespace tidemark::reader
