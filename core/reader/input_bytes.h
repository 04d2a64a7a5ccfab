// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/limits.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>

namespace tidemark::reader {

/// What to say of zero bytes.
Error emptyError();

/// The bytes of a snapshot in memory: owned pages, or a view of somebody else's bytes.
///
/// A file is copied into private pages rather than mapped: what was checked is then what is read,
/// even when the file changes or is cut off meanwhile (a mapped file would end the process with
/// SIGBUS). The pages go back to the system while they are consumed, so the copy does not add to
/// the peak.
class InputBytes {
public:
    InputBytes() = default;
    InputBytes(InputBytes&& other) noexcept;
    InputBytes& operator=(InputBytes&& other) noexcept;
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;
    ~InputBytes();

    /// Reads a regular file whole. O(size). Errors: cannotOpen, empty, tooLarge, outOfMemory,
    /// cancelled.
    static Result<InputBytes> fromFile(const std::filesystem::path& path, const Limits& limits,
                                       ProgressSink& progress, const std::stop_token& stop);
    /// Zeroed pages of its own. Error: outOfMemory.
    static Result<InputBytes> allocate(std::size_t size);
    /// Looks at bytes that must outlive this object.
    static InputBytes view(std::span<const std::byte> bytes);

    [[nodiscard]] std::span<const std::byte> bytes() const
    {
        return m_bytes;
    }
    /// Owned pages only; empty for a view.
    [[nodiscard]] std::span<std::byte> writableBytes()
    {
        return m_owned.first(m_bytes.size());
    }
    /// Forgets what lies behind `size`.
    void shrink(std::size_t size)
    {
        m_bytes = m_bytes.first(size);
    }
    /// Gives whole pages before `offset` back to the system; they read as zero from then on.
    void releaseBefore(std::size_t offset);

private:
    std::span<std::byte> m_owned{};
    std::span<const std::byte> m_bytes{};
    std::size_t m_released = 0;
};

} // namespace tidemark::reader
