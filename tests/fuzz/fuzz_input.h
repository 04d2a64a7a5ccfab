// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/reader.h"

#include <cstddef>
#include <cstdlib>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

namespace tidemark::fuzz {

/// Whether inputs that pass the native checks also go through the interpreter and the decoding:
/// slower, so only where the environment says TIDEMARK_FUZZ_CPYTHON=1.
inline bool withPython()
{
    static const bool is_wanted = std::getenv("TIDEMARK_FUZZ_CPYTHON") != nullptr;
    return is_wanted;
}

/// Any input ends in a snapshot or in one sentence.
inline void readWhole(std::span<const std::byte> bytes)
{
    NoProgress progress;
    const Result<trace::Snapshot> result = reader::readBytes(bytes, {}, progress, {});
    if (!result.has_value() && !result.error().message.ends_with('.')) {
        std::abort();
    }
}

} // namespace tidemark::fuzz
