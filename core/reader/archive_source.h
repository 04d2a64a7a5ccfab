// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/reader/byte_source.h"
#include "core/reader/content_kind.h"
#include "core/reader/limits.h"
#include "core/reader/peeked_source.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct archive;
struct archive_entry;

namespace tidemark::reader {

/// Unpacks one level of a compressed file or an archive (`isPackedKind`) while it is read, in one
/// pass and without a file on the disk:
///
///     open(packed, limits) -> nextEntry() -> read() ... -> nextEntry() -> ... -> false
///
/// A compressed file has one entry, an archive one per regular file in it; an entry that is packed
/// itself (a gzip file in a zip, the tar in a tar.gz) is for another ArchiveSource. No program is
/// started and no name found inside is used as a path.
///
/// Memory: a few MiB, and the window that the packer chose (xz: what was unpacked so far, at most
/// 4 GiB; zstd: 128 MiB). What unpacks to more than `ReaderLimits::max_unpack_ratio` times the
/// packed bytes ends in tooLarge.
///
/// Where the packed bytes are damaged or end too early, up to one block of the packer that belongs
/// before that place is not given: 64 KiB of gzip and xz, 128 KiB of zstd, 900 KB of bzip2, 4 MiB
/// of LZ4. The check sums of xz, zstd, bzip2 and zip are compared; that of gzip is not.
class ArchiveSource final : public ByteSource {
public:
    /// Looks at the first bytes of `packed`. Errors: notASnapshot for bytes of any other kind,
    /// damaged, outOfMemory, and those of `packed`.
    static Result<std::unique_ptr<ArchiveSource>> open(std::unique_ptr<ByteSource> packed,
                                                       const ReaderLimits& limits);
    ~ArchiveSource() override;

    /// Goes to the next regular file, the first one at the beginning; false after the last. Errors:
    /// as read(), and notASnapshot for an archive with a password or a zip that is not stored or
    /// packed by deflate, bzip2 or zstd.
    Result<bool> nextEntry();
    /// As the archive has it, any bytes; show it through printable() only. Empty where there is
    /// none.
    [[nodiscard]] std::string_view entryName() const;
    /// Bytes taken from `packed` so far, for progress.
    [[nodiscard]] std::uint64_t packedBytes() const;
    /// What `packed` says of its own size.
    [[nodiscard]] std::optional<std::uint64_t> packedSize() const;

    /// Bytes of the current entry. After an error every call gives the same one.
    Result<std::size_t> read(std::span<std::byte> target) override;
    /// What the archive claims of the current entry: nothing to reserve memory by.
    [[nodiscard]] std::optional<std::uint64_t> size() const override;

private:
    struct CloseArchive {
        void operator()(archive* opened) const;
    };
    /// Bytes handed to the unpacker at a time.
    static constexpr std::size_t kFeedBytes = std::size_t{128} << 10;

    ArchiveSource(std::unique_ptr<ByteSource> packed, const ReaderLimits& limits);

    [[nodiscard]] std::optional<Error> prepare(ContentKind kind);
    /// What libarchive calls for more packed bytes.
    static std::ptrdiff_t feed(archive* reader, void* self, const void** bytes);
    [[nodiscard]] Result<std::size_t> fill();
    /// Makes the next unpacked bytes `m_block`, or leaves it empty at the end of the entry.
    [[nodiscard]] std::optional<Error> nextBlock();
    [[nodiscard]] std::optional<Error> countUnpacked(std::uint64_t bytes);
    void skipRest();
    void leaveEntry();
    [[nodiscard]] std::optional<Error> enter(archive_entry* entry);
    /// Whether feed() failed, which libarchive sometimes takes for the end of the file.
    [[nodiscard]] bool hasNoInput() const;
    [[nodiscard]] Error lastError() const;

    std::unique_ptr<ByteSource> m_owned;
    PeekedSource m_packed;
    ReaderLimits m_limits;
    std::vector<std::byte> m_feed;
    std::uint64_t m_packed_bytes = 0;
    std::uint64_t m_unpacked_bytes = 0;
    /// `m_packed_bytes` when something came out last.
    std::uint64_t m_packed_at_output = 0;
    ContentKind m_kind = ContentKind::binary;
    std::string_view m_kind_name;
    std::string m_entry_name;
    std::optional<std::uint64_t> m_entry_size;
    /// Unpacked bytes not yet read, after so many zeroes of a file with holes.
    std::span<const std::byte> m_block;
    std::uint64_t m_zeroes = 0;
    std::uint64_t m_entry_offset = 0;
    bool m_is_in_entry = false;
    bool m_has_entered = false;
    bool m_is_at_end = false;
    /// The error of `m_packed`, which libarchive cannot pass on.
    std::optional<Error> m_packed_error;
    bool m_is_out_of_memory = false;
    /// Comes once `m_block` is read.
    std::optional<Error> m_entry_error;
    /// Ends everything.
    std::optional<Error> m_error;
    /// Declared last, as closing it may still use the rest.
    std::unique_ptr<archive, CloseArchive> m_archive;
};

} // namespace tidemark::reader
