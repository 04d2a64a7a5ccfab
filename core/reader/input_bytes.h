// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/byte_source.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>

namespace tidemark::reader {

/// The bytes of a snapshot in memory: owned pages, or a view of somebody else's bytes.
///
/// A file is copied into private pages rather than mapped, for the reasons InputStream has. The
/// pages go back to the system while they are consumed, so the copy does not add to the peak.
class InputBytes {
public:
    InputBytes() = default;
    InputBytes(InputBytes&& other) noexcept;
    InputBytes& operator=(InputBytes&& other) noexcept;
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;
    ~InputBytes();

    /// Reads all there is, if that is no more than `most` bytes. O(size). Errors: tooLarge,
    /// outOfMemory, cancelled, and those of the source; but a source that ends damaged gives what
    /// came before.
    static Result<InputBytes> fromSource(ByteSource& source, std::uint64_t most,
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
    /// Room for `size` bytes, keeping what is there.
    [[nodiscard]] bool grow(std::size_t size);

    std::span<std::byte> m_owned{};
    std::span<const std::byte> m_bytes{};
    std::size_t m_released = 0;
};

} // namespace tidemark::reader
