// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tidemark::reader {

/// Bytes that come in order, from wherever: a file, a compressed file, memory. Used by one thread.
class ByteSource {
public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    /// Writes the next bytes to the start of `target` and says how many; 0 only at the end. May
    /// wait for a disk. Errors: cannotOpen when the disk fails, damaged when packed bytes make no
    /// sense or end too early (what came before is good), tooLarge when they unpack to more than a
    /// snapshot can.
    virtual Result<std::size_t> read(std::span<std::byte> target) = 0;
    /// Bytes in all, where that is known beforehand; a file can turn out shorter or longer.
    [[nodiscard]] virtual std::optional<std::uint64_t> size() const = 0;
};

} // namespace tidemark::reader
