// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>

namespace tidemark::reader {

/// What a file may cost. Every bound is far above what torch writes and small enough that a hostile
/// file ends in a sentence instead of eating the machine.
struct Limits {
    /// Largest file that is read into memory.
    std::uint64_t max_file_bytes = std::uint64_t{1} << 40;
    /// Longest single text the native reader takes.
    std::uint64_t max_text_bytes = std::uint64_t{1} << 30;
    /// Containers inside containers. Snapshots use about ten levels.
    std::uint32_t max_nesting = 64;
    /// A memo index may run ahead of the number of entries stored so far by this much. Every
    /// pickler numbers them one after another; a larger step would only make the reader reserve
    /// memory.
    std::uint32_t max_memo_gap = 1024;
    /// Dictionary keys that are not texts. Such keys are hashed without a secret, so many of them
    /// can be made to collide; torch writes none.
    std::uint32_t max_other_keys = 4096;
    /// Entries of `device_traces`, and distinct devices named by segments.
    std::uint32_t max_devices = 4096;
    /// Bytes of memory per byte of file that the values may need; real files stay below fifteen.
    std::uint32_t max_memory_ratio = 40;
    /// Below this the ratio is not looked at.
    std::uint64_t memory_floor_bytes = std::uint64_t{64} << 20;
    /// Bytes that come out of a packed file per byte of it. Recorded snapshots reach 62 (xz), a
    /// million events of a loop that repeats to the byte 3,150.
    std::uint32_t max_unpack_ratio = 4000;
    /// Below so many unpacked bytes that ratio is not looked at.
    std::uint64_t unpack_floor_bytes = std::uint64_t{1} << 30;
    /// Memory that reading may take, about; 0 means what the machine has available.
    std::uint64_t max_memory_bytes = 0;
};

} // namespace tidemark::reader
