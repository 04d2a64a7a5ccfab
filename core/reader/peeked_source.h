// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/byte_source.h"
#include "core/reader/content_kind.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tidemark::reader {

/// A source whose first bytes can be looked at before they are read, which is how one finds out
/// what to read it with. Looks at `source`, which must outlive it.
class PeekedSource final : public ByteSource {
public:
    explicit PeekedSource(ByteSource& source);

    /// The first `kContentHead` bytes, all of them where there are fewer; may be called at any time
    /// before the first read(). An error only where not one byte came before it; one that comes
    /// later is given by the read() that reaches it.
    Result<std::span<const std::byte>> head();

    Result<std::size_t> read(std::span<std::byte> target) override;
    /// What the source says.
    [[nodiscard]] std::optional<std::uint64_t> size() const override;

private:
    ByteSource* m_source;
    std::array<std::byte, kContentHead> m_head{};
    std::size_t m_head_size = 0;
    std::size_t m_head_read = 0;
    bool m_is_peeked = false;
    bool m_is_at_end = false;
    std::optional<Error> m_error;
};

} // namespace tidemark::reader
