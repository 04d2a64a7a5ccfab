// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/remote/far_side.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemark::remote {

/// How much of a file a copy holds: whole pieces of it, and where in the copy they end.
struct Whole {
    std::uint64_t kept = 0; ///< Bytes of the copy.
    std::uint64_t holds = 0; ///< Bytes of the file that are in them.
    bool operator==(const Whole&) const = default;
};

/// Finds the marks that the other side writes behind each piece that it packs:
///
///     zstd: piece | skippable frame "tidemark KEY 000000000008" | piece | …
///     gzip: piece | empty member with that comment | piece | …
///
/// The number is how many blocks of the file lie before it. Nothing that does not bear the key is a
/// mark. O(bytes).
class MarkFinder {
public:
    /// `before`: what the copy holds already.
    MarkFinder(Packer packer, std::string_view key, Whole before);

    /// Reads on; a mark may lie across two calls.
    void take(std::string_view bytes);
    /// What lies before the last mark, else `before`.
    [[nodiscard]] const Whole& whole() const
    {
        return m_whole;
    }

private:
    std::string m_words; ///< Before the number.
    std::size_t m_after; ///< Bytes of the mark behind the number.
    Whole m_whole;
    std::uint64_t m_at; ///< Bytes of the copy before `m_rest`.
    std::string m_rest; ///< In which a mark may begin.
};

} // namespace tidemark::remote
