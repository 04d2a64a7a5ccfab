// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/job/unpack.h"

#include "core/base/language.h"
#include "core/base/new_file.h"
#include "core/pipeline/dump_files.h"
#include "core/reader/archive_source.h"
#include "core/reader/file_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <ostream>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace tidemark::job {
namespace fs = std::filesystem;

namespace {

using reader::ArchiveSource;
using reader::ContentKind;

Error cancelled()
{
    return {ErrorCode::cancelled, say("Cancelled."), {}};
}

Error cannotUnpack(const std::string& why)
{
    return {
        ErrorCode::cannotWrite,
        say("The archive cannot be unpacked ({}); unpack it yourself and open its folder.", why),
        {}};
}

ContentKind kindOf(reader::ByteSource& source)
{
    std::array<std::byte, reader::kContentHead> head{};
    std::size_t size = 0;
    while (size < head.size()) {
        const Result<std::size_t> got = source.read(std::span(head).subspan(size));
        if (!got.has_value() || got.value() == 0) {
            break;
        }
        size += got.value();
    }
    return size == 0 ? ContentKind::binary : reader::contentKind(std::span(head).first(size));
}

bool holdsFiles(ContentKind kind)
{
    return kind == ContentKind::tar || kind == ContentKind::zip;
}

/// The archive in a file, or in what the file is packed of; null: it holds no files.
Result<std::unique_ptr<ArchiveSource>> openArchive(const fs::path& file,
                                                   const reader::ReaderLimits& limits)
{
    const Result<std::unique_ptr<reader::FileSource>> source =
        reader::FileSource::open(file, limits);
    if (!source.has_value()) {
        return source.error();
    }
    const ContentKind kind = kindOf(*source.value()->again());
    if (!reader::isPackedKind(kind)) {
        return std::unique_ptr<ArchiveSource>();
    }
    const auto open = [&] { return ArchiveSource::open(source.value()->again(), limits); };
    if (holdsFiles(kind)) {
        return open();
    }
    // What it is packed of is looked at first, then read from its beginning.
    Result<std::unique_ptr<ArchiveSource>> packed = open();
    Result<bool> has_one = packed.has_value() ? packed.value()->nextEntry() : packed.error();
    if (!has_one.has_value()) {
        return has_one.error();
    }
    if (!has_one.value() || !holdsFiles(kindOf(*packed.value()))) {
        return std::unique_ptr<ArchiveSource>();
    }
    packed = open();
    has_one = packed.has_value() ? packed.value()->nextEntry() : packed.error();
    if (!has_one.has_value()) {
        return has_one.error();
    }
    return ArchiveSource::open(std::move(packed).value(), limits);
}

/// What may be written: most of what is free, so that other programs go on.
std::uint64_t roomIn(const fs::path& folder)
{
    std::error_code error;
    const fs::space_info space = fs::space(folder, error);
    constexpr std::uint64_t kPart = 10; // A tenth stays free.
    return error ? 0 : space.available - space.available / kPart;
}

class Unpacker {
public:
    Unpacker(ArchiveSource& archive, fs::path folder, std::uint64_t room, std::stop_token stop)
        : m_archive(archive)
        , m_folder(std::move(folder))
        , m_room(room)
        , m_stop(std::move(stop))
        , m_block(std::size_t{1} << 18)
    {
    }

    Result<Done> unpack()
    {
        for (;;) {
            if (m_stop.stop_requested()) {
                return cancelled();
            }
            const Result<bool> has_next = m_archive.nextEntry();
            if (!has_next.has_value()) {
                return has_next.error();
            }
            if (!has_next.value()) {
                return Done{};
            }
            const fs::path name = inertPath(m_archive.entryName());
            if (name.empty() || !pipeline::isDumpName(name)) {
                continue;
            }
            if (++m_files > pipeline::kMostEntries) {
                return cannotUnpack(say("it has too many files"));
            }
            const Result<Done> written = write(m_folder / name);
            if (!written.has_value()) {
                return written;
            }
        }
    }

private:
    /// What does not come wholly leaves nothing.
    Result<Done> write(const fs::path& path)
    {
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        if (error || fs::is_directory(path, error)) {
            return Done{}; // A file and a folder of one name: the first stays.
        }
        Result<NewFile> file = NewFile::create(path);
        if (!file.has_value()) {
            return cannotUnpack(file.error().message);
        }
        for (;;) {
            const Result<std::size_t> got = m_archive.read(m_block);
            if (!got.has_value()) {
                return got.error();
            }
            if (m_stop.stop_requested()) {
                return cancelled();
            }
            if (got.value() > m_room) {
                return cannotUnpack(say("there is not enough disk space"));
            }
            if (got.value() == 0) {
                const Result<Done> done = file.value().commit();
                return done.has_value() ? done : cannotUnpack(done.error().message);
            }
            m_room -= got.value();
            file.value().stream().write(reinterpret_cast<const char*>(m_block.data()),
                                        static_cast<std::streamsize>(got.value()));
        }
    }

    ArchiveSource& m_archive;
    fs::path m_folder;
    std::uint64_t m_room;
    std::stop_token m_stop;
    std::vector<std::byte> m_block;
    std::size_t m_files = 0;
};

} // namespace

ScratchFolder::ScratchFolder(fs::path path)
    : m_path(std::move(path))
{
}

ScratchFolder::~ScratchFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

Result<std::shared_ptr<const ScratchFolder>> ScratchFolder::create()
{
    std::error_code error;
    std::string pattern = (fs::temp_directory_path(error) / "tidemark-XXXXXX").string();
    if (error || ::mkdtemp(pattern.data()) == nullptr) {
        return cannotUnpack(error ? error.message() : std::generic_category().message(errno));
    }
    return std::shared_ptr<const ScratchFolder>(new ScratchFolder(pattern));
}

fs::path inertPath(std::string_view name)
{
    constexpr std::size_t kLongestPart = 200;
    constexpr std::size_t kMostParts = 8;
    std::vector<std::string> parts{""};
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '/' || c == '\\') {
            parts.emplace_back();
        } else {
            parts.back() += byte < 0x20 || byte >= 0x7f ? '_' : c;
        }
    }
    std::erase_if(
        parts, [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
    if (std::ranges::any_of(parts, [](const std::string& part) { return part[0] == '.'; })) {
        return {};
    }
    fs::path path;
    const std::size_t first = parts.size() > kMostParts ? parts.size() - kMostParts : 0;
    for (std::size_t i = first; i < parts.size(); ++i) {
        const std::size_t size = parts[i].size(); // The end of a name says what it is.
        path /= parts[i].substr(size > kLongestPart ? size - kLongestPart : 0);
    }
    return path;
}

bool isArchive(const fs::path& file)
{
    const Result<std::unique_ptr<ArchiveSource>> archive = openArchive(file, {});
    return archive.has_value() && archive.value() != nullptr;
}

Result<Unpacked> unpackDumps(const fs::path& archive, const UnpackOptions& options,
                             const std::stop_token& stop)
{
    const Result<std::unique_ptr<ArchiveSource>> source = openArchive(archive, options.limits);
    if (!source.has_value()) {
        return source.error();
    }
    if (source.value() == nullptr) {
        return Error{ErrorCode::notASnapshot, say("The archive's format is not supported."), {}};
    }
    Result<std::shared_ptr<const ScratchFolder>> folder = ScratchFolder::create();
    if (!folder.has_value()) {
        return folder.error();
    }
    const fs::path& path = folder.value()->path();
    const Result<Done> done =
        Unpacker(*source.value(), path, options.most_bytes.value_or(roomIn(path)), stop).unpack();
    if (done.has_value()) {
        return Unpacked{std::move(folder).value(), {}};
    }
    const bool is_damage = done.error().code == ErrorCode::damaged;
    const auto came = pipeline::findDumps(path);
    if (!is_damage || !came.has_value() || came.value().files.empty()) {
        return done.error();
    }
    return Unpacked{std::move(folder).value(), done.error().message};
}

} // namespace tidemark::job
