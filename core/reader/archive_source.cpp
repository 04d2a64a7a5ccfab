// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/archive_source.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/reader/printable.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace tidemark::reader {
namespace {

using namespace std::string_view_literals;

/// Packed bytes after which something must have come out: the largest block of any packer here has
/// 4 MiB (LZ4), and what libarchive keeps in memory meanwhile grows with the bytes it takes.
constexpr std::uint64_t kLongestSilence = std::uint64_t{8} << 20;

Error outOfMemoryError()
{
    return {ErrorCode::outOfMemory,
            say("Not enough memory to unpack this file; unpack it yourself and open the result.")};
}

/// libarchive's number of the filter for a compressed file, nothing for an archive.
std::optional<int> filterCode(ContentKind kind)
{
    switch (kind) {
    case ContentKind::gzip:
        return ARCHIVE_FILTER_GZIP;
    case ContentKind::xz:
        return ARCHIVE_FILTER_XZ;
    case ContentKind::zstd:
        return ARCHIVE_FILTER_ZSTD;
    case ContentKind::bzip2:
        return ARCHIVE_FILTER_BZIP2;
    case ContentKind::lz4:
        return ARCHIVE_FILTER_LZ4;
    default:
        return {};
    }
}

/// How the current file of a zip is packed, where that is a way which is not unpacked: the rare
/// ones reserve up to 4 GiB before the first byte, or libarchive does not know them.
std::optional<std::string> rareZipMethod(archive* reader)
{
    constexpr std::array kUsual{"uncompressed"sv, "deflation"sv, "bzip"sv, "zstd"sv};
    // "ZIP 2.0 (deflation)"
    const char* name = archive_format_name(reader);
    std::string_view method(name == nullptr ? "" : name);
    method.remove_prefix(std::min(method.find('(') + 1, method.size()));
    method = method.substr(0, method.find(')'));
    if (std::ranges::find(kUsual, method) != kUsual.end()) {
        return {};
    }
    return printable(method);
}

} // namespace

void ArchiveSource::CloseArchive::operator()(archive* opened) const
{
    archive_read_free(opened);
}

ArchiveSource::ArchiveSource(std::unique_ptr<ByteSource> packed, const ReaderLimits& limits)
    : m_owned(std::move(packed))
    , m_packed(*m_owned)
    , m_limits(limits)
    , m_feed(kFeedBytes)
{
}

ArchiveSource::~ArchiveSource() = default;

Result<std::unique_ptr<ArchiveSource>> ArchiveSource::open(std::unique_ptr<ByteSource> packed,
                                                           const ReaderLimits& limits)
{
    std::unique_ptr<ArchiveSource> source(new ArchiveSource(std::move(packed), limits));
    const Result<std::span<const std::byte>> head = source->m_packed.head();
    if (!head.has_value()) {
        return head.error();
    }
    const ContentKind kind = contentKind(head.value());
    if (!isPackedKind(kind)) {
        return unreadableKindError(kind);
    }
    if (const std::optional<Error> problem = source->prepare(kind)) {
        return *problem;
    }
    return source;
}

/// Exactly one filter or one format: libarchive on its own would unpack up to 25 levels, some of
/// them with programs it finds on the PATH.
std::optional<Error> ArchiveSource::prepare(ContentKind kind)
{
    m_kind = kind;
    m_kind_name = packedKindName(kind);
    m_archive.reset(archive_read_new());
    archive* const reader = m_archive.get();
    if (reader == nullptr) {
        return outOfMemoryError();
    }
    int status = ARCHIVE_OK;
    if (const std::optional<int> filter = filterCode(kind)) {
        status = std::min(archive_read_append_filter(reader, *filter),
                          archive_read_support_format_raw(reader));
    } else {
        status = kind == ContentKind::tar ? archive_read_support_format_tar(reader)
                                          : archive_read_support_format_zip_streamable(reader);
    }
    if (status != ARCHIVE_OK) {
        return Error{ErrorCode::notASnapshot,
                     say("The installed libarchive cannot unpack {} files; unpack it yourself and "
                         "open the result.",
                         m_kind_name)};
    }
    if (archive_read_open2(reader, this, nullptr, &ArchiveSource::feed, nullptr, nullptr)
        != ARCHIVE_OK) {
        return hasNoInput()
            ? lastError()
            : Error{ErrorCode::damaged,
                    say("This {} file is empty or damaged; copy it again from the source.",
                        m_kind_name)};
    }
    return {};
}

std::ptrdiff_t ArchiveSource::feed(archive* reader, void* self, const void** bytes)
{
    auto& source = *static_cast<ArchiveSource*>(self);
    try {
        const Result<std::size_t> got = source.fill();
        if (got.has_value()) {
            *bytes = source.m_feed.data();
            return static_cast<std::ptrdiff_t>(got.value());
        }
        source.m_packed_error = got.error();
    } catch (const std::bad_alloc&) {
        // No exception may pass through libarchive, which is C.
        source.m_is_out_of_memory = true;
    }
    archive_set_error(reader, EIO, "no more packed bytes");
    return -1;
}

Result<std::size_t> ArchiveSource::fill()
{
    if (m_packed_bytes - m_packed_at_output > kLongestSilence) {
        return Error{
            ErrorCode::damaged,
            say("This {} file is damaged: it is endless and empty; copy it again from the source.",
                m_kind_name),
            m_packed_bytes};
    }
    Result<std::size_t> got = m_packed.read(m_feed);
    if (got.has_value()) {
        m_packed_bytes += got.value();
    }
    return got;
}

bool ArchiveSource::hasNoInput() const
{
    return m_packed_error || m_is_out_of_memory;
}

Error ArchiveSource::lastError() const
{
    if (m_packed_error) {
        return *m_packed_error;
    }
    if (m_is_out_of_memory || archive_errno(m_archive.get()) == ENOMEM) {
        return outOfMemoryError();
    }
    const char* said = archive_error_string(m_archive.get());
    return {ErrorCode::damaged,
            said == nullptr
                ? say("This {} file is damaged or truncated; copy it again from the source.",
                      m_kind_name)
                : say("This {} file is damaged or truncated ({}); copy it again from the source.",
                      m_kind_name, printable(said)),
            m_packed_bytes};
}

std::optional<Error> ArchiveSource::countUnpacked(std::uint64_t bytes)
{
    m_unpacked_bytes += bytes;
    m_packed_at_output = m_packed_bytes;
    const bool is_fine = m_unpacked_bytes <= m_limits.unpack_floor_bytes
        || m_unpacked_bytes / m_limits.max_unpack_ratio < m_packed_bytes;
    if (is_fine) {
        return {};
    }
    return Error{ErrorCode::tooLarge,
                 say("This {} file unpacks to more than {}× its size, unlike a snapshot; if it is "
                     "one, unpack it yourself and open the result.",
                     m_kind_name,
                     formatCount(static_cast<std::int64_t>(m_limits.max_unpack_ratio))),
                 m_packed_bytes};
}

std::optional<Error> ArchiveSource::nextBlock()
{
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(m_archive.get(), &bytes, &size, &offset);
    if (status == ARCHIVE_EOF) {
        m_is_in_entry = false;
        if (hasNoInput()) {
            m_error = lastError();
        }
        return m_error;
    }
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
        if (status == ARCHIVE_FATAL) {
            m_error = lastError();
        }
        return lastError();
    }
    const auto at = static_cast<std::uint64_t>(offset);
    if (offset < 0 || at < m_entry_offset) {
        return lastError();
    }
    m_zeroes = at - m_entry_offset;
    m_entry_offset = at + size;
    m_block = {static_cast<const std::byte*>(bytes), size};
    if (status == ARCHIVE_WARN) {
        // A check sum that does not agree; the bytes are there.
        m_entry_error = lastError();
    }
    if (const std::optional<Error> problem = countUnpacked(m_zeroes + size)) {
        m_error = problem;
        return problem;
    }
    return {};
}

Result<std::size_t> ArchiveSource::read(std::span<std::byte> target)
{
    while (m_block.empty() && m_zeroes == 0) {
        if (m_error) {
            return *m_error;
        }
        if (m_entry_error) {
            return *m_entry_error;
        }
        if (!m_is_in_entry) {
            return std::size_t{0};
        }
        if (std::optional<Error> problem = nextBlock()) {
            m_entry_error = std::move(problem);
        }
    }
    if (m_zeroes > 0) {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(target.size(), m_zeroes));
        std::fill_n(target.begin(), size, std::byte{0});
        m_zeroes -= size;
        return size;
    }
    const std::size_t size = std::min(target.size(), m_block.size());
    std::memcpy(target.data(), m_block.data(), size);
    m_block = m_block.subspan(size);
    return size;
}

/// libarchive's own skipping would not count what it unpacks on the way.
void ArchiveSource::skipRest()
{
    while (m_is_in_entry && !m_error) {
        if (nextBlock()) {
            break; // Where it is the trouble of this entry alone, the next may be sound.
        }
    }
    leaveEntry();
}

void ArchiveSource::leaveEntry()
{
    m_block = {};
    m_zeroes = 0;
    m_entry_offset = 0;
    m_entry_error = {};
    m_is_in_entry = false;
}

std::optional<Error> ArchiveSource::enter(archive_entry* entry)
{
    if (m_kind == ContentKind::zip) {
        if (const std::optional<std::string> method = rareZipMethod(m_archive.get())) {
            return Error{ErrorCode::notASnapshot,
                         say("This zip file uses {}, which is not supported; unpack it yourself "
                             "and open the result.",
                             *method)};
        }
    }
    const char* name = archive_entry_pathname(entry);
    m_entry_name = name == nullptr ? "" : name;
    m_entry_size = {};
    if (archive_entry_size_is_set(entry) != 0 && archive_entry_size(entry) >= 0) {
        m_entry_size = static_cast<std::uint64_t>(archive_entry_size(entry));
    }
    m_is_in_entry = true;
    m_has_entered = true;
    return {};
}

Result<bool> ArchiveSource::nextEntry()
{
    // A compressed file has one entry, however long; nobody needs to unpack it to its end.
    m_is_at_end = m_is_at_end || (m_has_entered && filterCode(m_kind));
    while (!m_is_at_end && !m_error) {
        skipRest();
        if (m_error) {
            break;
        }
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(m_archive.get(), &entry);
        if (status == ARCHIVE_EOF && !hasNoInput()) {
            m_is_at_end = true;
        } else if (status != ARCHIVE_OK && status != ARCHIVE_WARN) {
            m_error = lastError();
        } else if (archive_entry_is_encrypted(entry) == 1) {
            m_error =
                Error{ErrorCode::notASnapshot,
                      say("This {} file has a password; unpack it yourself and open the result.",
                          m_kind_name)};
        } else {
            m_packed_at_output = m_packed_bytes;
            m_error = enter(entry);
            if (!m_error && archive_entry_filetype(entry) == AE_IFREG) {
                return true;
            }
        }
    }
    m_entry_name.clear();
    m_entry_size = {};
    if (m_error) {
        return *m_error;
    }
    leaveEntry();
    return false;
}

std::string_view ArchiveSource::entryName() const
{
    return m_entry_name;
}

std::uint64_t ArchiveSource::packedBytes() const
{
    return m_packed_bytes;
}

std::optional<std::uint64_t> ArchiveSource::packedSize() const
{
    return m_packed.size();
}

std::optional<std::uint64_t> ArchiveSource::size() const
{
    return m_entry_size;
}

} // namespace tidemark::reader
