// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tidemark::reader {

/// What a file is by its first bytes; names and endings are never looked at.
enum class ContentKind : std::uint8_t {
    pickle, ///< Begins with the PROTO opcode: protocol 2 and later.
    old_pickle, ///< Could be protocol 0 or 1, which have no header; the opcodes must tell.
    html,
    json,
    gzip,
    zip,
    xz,
    zstd,
    bzip2,
    lz4,
    tar,
    seven_zip,
    torch_checkpoint, ///< A zip as torch.save writes it.
    text,
    binary,
};

/// So many bytes are enough for contentKind().
inline constexpr std::size_t kContentHead = 512;

/// Levels of packing that are looked into: a gzip file in a tar in an xz file.
inline constexpr int kDeepestPacking = 3;

/// O(1): looks at the first few hundred bytes.
ContentKind contentKind(std::span<const std::byte> bytes);

/// Whether ArchiveSource unpacks it. Not 7-Zip: its lists can be packed a thousandfold, and
/// libarchive keeps them in memory before it gives any file, so that a few kilobytes could ask for
/// gigabytes.
bool isPackedKind(ContentKind kind);

/// "gzip", "Zstandard"... for a sentence; of a packed kind or seven_zip.
std::string_view packedKindName(ContentKind kind);

/// Why a file of this kind is not opened and what to do; of a packed kind, why not this deep inside
/// others. Not for pickle, old_pickle, html and json.
Error unreadableKindError(ContentKind kind);

} // namespace tidemark::reader
