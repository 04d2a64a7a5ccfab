// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/reader.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace tidemark::fuzz {

/// Whether inputs also go through the embedded interpreter: slower, so only where the environment
/// says TIDEMARK_FUZZ_CPYTHON=1.
inline bool withPython()
{
    static const bool is_wanted = std::getenv("TIDEMARK_FUZZ_CPYTHON") != nullptr;
    return is_wanted;
}

/// What unpacks to much more than it has stops early, so that one input takes milliseconds.
inline reader::ReaderLimits limits()
{
    reader::ReaderLimits result;
    result.unpack_floor_bytes = std::uint64_t{1} << 20;
    result.max_unpack_ratio = 100;
    return result;
}

inline Result<trace::Snapshot> readBy(reader::ReaderChoice choice, std::span<const std::byte> bytes)
{
    reader::ReadOptions options;
    options.reader = choice;
    options.limits = limits();
    NoProgress progress;
    Result<trace::Snapshot> result = reader::readBytes(bytes, options, progress, {});
    if (!result.has_value()
        && (!result.error().message.ends_with('.') || result.error().code == ErrorCode::internal)) {
        std::abort();
    }
    return result;
}

/// Any input ends in a snapshot or in one sentence.
inline void readWhole(std::span<const std::byte> bytes)
{
    static_cast<void>(readBy(reader::ReaderChoice::native, bytes));
    if (withPython()) {
        static_cast<void>(readBy(reader::ReaderChoice::automatic, bytes));
        static_cast<void>(readBy(reader::ReaderChoice::cpython, bytes));
    }
}

} // namespace tidemark::fuzz
