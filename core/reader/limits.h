// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tidemark::reader {

/// What a file may cost. Every bound is far above what torch writes and small enough that a hostile
/// file ends in a sentence instead of eating the machine.
struct ReaderLimits {
    /// Largest file that is read into memory.
    std::uint64_t max_file_bytes = std::uint64_t{1} << 40;
    /// Longest single text the native reader takes.
    std::uint64_t max_text_bytes = std::uint64_t{16} << 20;
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
    /// Bytes of memory per byte read that the values and columns may need; real files stay below
    /// fifteen.
    std::uint32_t max_memory_ratio = 40;
    /// Below this the ratio is not looked at.
    std::uint64_t memory_floor_bytes = std::uint64_t{64} << 20;
    /// The same per byte of the file as it lies on the disk, packed or not: recorded snapshots
    /// packed by xz need 25.
    std::uint32_t max_file_memory_ratio = 100;
    /// Below this that ratio is not looked at: five million events of a loop that repeats to the
    /// byte, packed to next to nothing.
    std::uint64_t file_memory_floor_bytes = std::uint64_t{256} << 20;
    /// What the last two come to for the file in hand; forFile() sets it.
    std::uint64_t file_memory_bytes = std::numeric_limits<std::uint64_t>::max();
    /// Bytes that come out of a packed file per byte of it. Recorded snapshots reach 62 (xz), a
    /// million events of a loop that repeats to the byte 3,150.
    std::uint32_t max_unpack_ratio = 4000;
    /// Below so many unpacked bytes that ratio is not looked at.
    std::uint64_t unpack_floor_bytes = std::uint64_t{256} << 20;
    /// Longest log, given as it is or unpacked with all that it was packed in.
    std::uint64_t max_log_bytes = std::uint64_t{2} << 30;
    /// Bytes of a log per byte of the file that it is packed in: logs pack to a tenth, bars of
    /// progress to a hundredth.
    std::uint32_t max_log_ratio = 200;
    /// Below so many unpacked bytes that ratio is not looked at.
    std::uint64_t log_floor_bytes = std::uint64_t{64} << 20;
    /// Memory that reading may take, about; 0 means what the machine has available.
    std::uint64_t max_memory_bytes = 0;

    /// These limits for a file of so many bytes on the disk.
    [[nodiscard]] ReaderLimits forFile(std::uint64_t file_bytes) const
    {
        ReaderLimits result = *this;
        result.file_memory_bytes =
            std::max(file_memory_floor_bytes, file_bytes * max_file_memory_ratio);
        return result;
    }
    /// What a log in a file of so many bytes may unpack to.
    [[nodiscard]] std::uint64_t logBytes(std::uint64_t file_bytes) const
    {
        return std::min(max_log_bytes, std::max(log_floor_bytes, file_bytes * max_log_ratio));
    }
    /// Memory that values may take of which so many bytes have been read.
    [[nodiscard]] std::uint64_t valueMemory(std::uint64_t bytes) const
    {
        return std::min(file_memory_bytes, std::max(memory_floor_bytes, bytes * max_memory_ratio));
    }
};

} // namespace tidemark::reader
