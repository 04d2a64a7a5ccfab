// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/content_route.h"

#include "core/base/language.h"
#include "core/reader/archive_entry.h"
#include "core/reader/archive_source.h"
#include "core/reader/content_kind.h"
#include "core/reader/file_source.h"
#include "core/reader/html_page.h"
#include "core/reader/input_bytes.h"
#include "core/reader/printable.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemark::reader {
namespace {

/// Files that are looked at in all archives together.
constexpr std::size_t kMostEntries = 64;
/// How often an archive is unpacked once more because a second reader wants a long file of it.
constexpr std::size_t kMostRepeats = 4;

/// A file that ends once the reading is to stop: what unpacks it or waits for its disk then ends,
/// too, however long it would have gone on before it asked.
class StoppableSource final : public ByteSource {
public:
    StoppableSource(std::unique_ptr<ByteSource> source, const std::stop_token& stop)
        : m_source(std::move(source))
        , m_stop(stop)
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        if (m_stop.stop_requested()) {
            return Error{ErrorCode::cancelled, say("Reading was cancelled.")};
        }
        return m_source->read(target);
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return m_source->size();
    }

private:
    std::unique_ptr<ByteSource> m_source;
    std::stop_token m_stop;
};

/// Says how many bytes were taken of a source.
class CountedSource final : public ByteSource {
public:
    CountedSource(std::unique_ptr<ByteSource> source, std::uint64_t& taken)
        : m_source(std::move(source))
        , m_taken(taken)
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        Result<std::size_t> got = m_source->read(target);
        m_taken += got.has_value() ? got.value() : 0;
        return got;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return m_source->size();
    }

private:
    std::unique_ptr<ByteSource> m_source;
    std::uint64_t& m_taken;
};

/// What a search for a snapshot may still cost.
struct SearchBudget {
    std::uint64_t bytes; ///< Of files that were looked into and are none.
    std::size_t entries = kMostEntries;
    std::size_t repeats = kMostRepeats;
};

/// Where the search for a snapshot stands.
struct Search {
    int level = 0;
    SearchBudget& left;
};

/// Says which other files the page holds.
void noteOthers(const std::vector<PageFile>& files, std::size_t read, trace::InputNotes& notes)
{
    constexpr std::size_t kNamed = 5;
    if (files.size() < 2) {
        return;
    }
    std::string names;
    std::size_t named = 0;
    for (std::size_t i = 0; i < files.size() && named < kNamed; ++i) {
        if (i != read) {
            names += (named++ == 0 ? "" : ", ") + printable(files[i].name);
        }
    }
    const std::size_t others = files.size() - 1;
    names += others > named ? ", ..." : "";
    notes.add("more-snapshots",
              say("The page has {} snapshots; this is {}, not {}.", files.size(),
                  printable(files[read].name), names),
              static_cast<std::int64_t>(others));
}

Result<trace::Snapshot> readPage(const SourceOpener& open, const Reading& reading)
{
    Result<std::unique_ptr<ByteSource>> source = open();
    if (!source.has_value()) {
        return source.error();
    }
    const Result<InputBytes> input = InputBytes::fromSource(
        *source.value(), reading.options.limits.file_memory_bytes, reading.progress, reading.stop);
    if (!input.has_value()) {
        return input.error();
    }
    const std::span<const std::byte> bytes = input.value().bytes();
    const std::vector<PageFile> files =
        findPageFiles({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (files.empty()) {
        return Error{ErrorCode::notASnapshot,
                     say("This web page has no memory snapshot; open the snapshot itself, or a "
                         "page from torch's _memory_viz.py.")};
    }
    std::optional<Error> first_error;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Result<InputBytes> decoded = decodeBase64(files[i]);
        if (!decoded.has_value()) {
            return decoded.error();
        }
        const SourceOpener open_file = [&]() -> Result<std::unique_ptr<ByteSource>> {
            return std::unique_ptr<ByteSource>(
                std::make_unique<MemorySource>(decoded.value().bytes()));
        };
        const ContentKind kind = contentKind(decoded.value().bytes());
        Result<trace::Snapshot> snapshot = kind == ContentKind::pickle
            ? readPickle(open_file, "html", reading)
            : Result<trace::Snapshot>(unreadableKindError(kind));
        if (snapshot.has_value()) {
            trace::Snapshot result = std::move(snapshot).value();
            noteOthers(files, i, result.notes);
            return result;
        }
        if (snapshot.error().code != ErrorCode::notASnapshot) {
            return snapshot;
        }
        first_error = first_error ? first_error : snapshot.error();
    }
    return *first_error;
}

/// The kind of what a source holds, from its first bytes.
Result<ContentKind> kindOf(const SourceOpener& open)
{
    const Result<std::unique_ptr<ByteSource>> source = open();
    if (!source.has_value()) {
        return source.error();
    }
    std::array<std::byte, kContentHead> head{};
    std::size_t filled = 0;
    while (filled < head.size()) {
        const Result<std::size_t> got = source.value()->read(std::span(head).subspan(filled));
        if (!got.has_value()) {
            return got.error();
        }
        if (got.value() == 0) {
            break;
        }
        filled += got.value();
    }
    if (filled == 0) {
        return emptyError();
    }
    return contentKind(std::span(head).first(filled));
}

/// One entry of an archive as a source that owns it.
class EntrySource final : public ByteSource {
public:
    explicit EntrySource(std::unique_ptr<ArchiveSource> archive)
        : m_archive(std::move(archive))
    {
    }
    Result<std::size_t> read(std::span<std::byte> target) override
    {
        return m_archive->read(target);
    }
    /// What an archive claims is nothing to reserve memory by.
    [[nodiscard]] std::optional<std::uint64_t> size() const override
    {
        return {};
    }

private:
    std::unique_ptr<ArchiveSource> m_archive;
};

Result<std::unique_ptr<ArchiveSource>> openArchive(const SourceOpener& open,
                                                   const ReaderLimits& limits)
{
    Result<std::unique_ptr<ByteSource>> packed = open();
    if (!packed.has_value()) {
        return packed.error();
    }
    return ArchiveSource::open(std::move(packed).value(), limits);
}

Error tooMuchToSearch()
{
    return {ErrorCode::tooLarge,
            say("The archive has too many large files; unpack it yourself and open the snapshot.")};
}

/// Opens the entry with this number from the beginning of the archive.
Result<std::unique_ptr<ByteSource>> openEntry(const SourceOpener& open, std::size_t index,
                                              const ReaderLimits& limits, SearchBudget& left)
{
    if (left.repeats == 0) {
        return tooMuchToSearch();
    }
    --left.repeats;
    Result<std::unique_ptr<ArchiveSource>> archive = openArchive(open, limits);
    if (!archive.has_value()) {
        return archive.error();
    }
    for (std::size_t i = 0; i <= index; ++i) {
        const Result<bool> has_entry = archive.value()->nextEntry();
        if (!has_entry.has_value()) {
            return has_entry.error();
        }
        if (!has_entry.value()) {
            return Error{ErrorCode::damaged,
                         say("The archive changed while reading; open it again.")};
        }
    }
    return std::unique_ptr<ByteSource>(std::make_unique<EntrySource>(std::move(archive).value()));
}

bool hasEntry(ArchiveSource& archive)
{
    const Result<bool> next = archive.nextEntry();
    return next.has_value() && next.value();
}

bool isArchiveOfFiles(ContentKind kind)
{
    return kind == ContentKind::zip || kind == ContentKind::tar;
}

/// How much an error of one file in an archive tells of what the archive was opened for: nothing
/// for a file that was never meant as a snapshot; 0: it is no matter of that file, and ends all.
int weightOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::empty:
        return 1;
    case ErrorCode::notASnapshot:
        return 2;
    case ErrorCode::damaged:
        return 3;
    case ErrorCode::tooLarge:
        return 4;
    case ErrorCode::refused:
        return 5;
    default:
        return 0;
    }
}

/// The files of an archive that came before its snapshot.
class SkippedFiles {
public:
    void add(std::string name, Error error)
    {
        const bool is_telling = m_names.empty() || weightOf(error.code) > weightOf(m_error.code);
        if (is_telling) {
            m_telling = m_names.size();
            m_error = std::move(error);
        }
        m_names.push_back(std::move(name));
    }
    [[nodiscard]] bool isEmpty() const
    {
        return m_names.empty();
    }
    /// Nothing where all of them are of other kinds.
    void addNote(trace::InputNotes& notes) const
    {
        if (isEmpty() || weightOf(m_error.code) <= weightOf(ErrorCode::notASnapshot)) {
            return;
        }
        notes.add(
            "skipped-files",
            say("Skipped {}, earlier in the archive: {}", m_names[m_telling], m_error.message),
            static_cast<std::int64_t>(m_names.size()));
    }
    /// Of an archive in which none is a snapshot.
    [[nodiscard]] Error error() const
    {
        return {
            m_error.code,
            m_telling == 0
                ? say("No readable memory snapshot in this archive; the first file, {}, says: {}",
                      m_names[m_telling], m_error.message)
                : say("No readable memory snapshot in this archive; one file, {}, says: {}",
                      m_names[m_telling], m_error.message)};
    }
    /// Of a compressed file, which holds but one.
    [[nodiscard]] const Error& onlyError() const
    {
        return m_error;
    }

private:
    std::vector<std::string> m_names;
    std::size_t m_telling = 0;
    Error m_error;
};

Result<trace::Snapshot> readContent(const SourceOpener& open, const Reading& reading,
                                    const Search& search);

Result<trace::Snapshot> readPacked(const SourceOpener& open, ContentKind kind,
                                   const Reading& reading, const Search& search)
{
    const ReaderLimits& limits = reading.options.limits;
    const Result<std::unique_ptr<ArchiveSource>> archive = openArchive(open, limits);
    if (!archive.has_value()) {
        return archive.error();
    }
    SkippedFiles skipped;
    for (std::size_t i = 0;; ++i) {
        if (reading.stop.stop_requested()) {
            return Error{ErrorCode::cancelled, say("Reading was cancelled.")};
        }
        const Result<bool> has_entry = archive.value()->nextEntry();
        if (!has_entry.has_value()) {
            return has_entry.error();
        }
        if (!has_entry.value()) {
            break;
        }
        if (search.left.entries == 0) {
            return Error{ErrorCode::notASnapshot,
                         say("No memory snapshot in the archive's first {} files; unpack it "
                             "yourself and open the snapshot.",
                             kMostEntries)};
        }
        if (search.left.bytes == 0) {
            return tooMuchToSearch();
        }
        --search.left.entries;
        const std::string name = printable(archive.value()->entryName());
        const SourceOpener again = [&] { return openEntry(open, i, limits, search.left); };
        ArchiveEntry entry(*archive.value(), again);
        std::uint64_t taken = 0;
        const SourceOpener open_entry = [&]() -> Result<std::unique_ptr<ByteSource>> {
            Result<std::unique_ptr<ByteSource>> source = entry.open();
            if (!source.has_value()) {
                return source;
            }
            return std::unique_ptr<ByteSource>(
                std::make_unique<CountedSource>(std::move(source).value(), taken));
        };
        Result<trace::Snapshot> snapshot =
            readContent(open_entry, reading, {search.level + 1, search.left});
        if (snapshot.has_value()) {
            trace::Snapshot result = std::move(snapshot).value();
            const bool has_more = isArchiveOfFiles(kind) && hasEntry(*archive.value());
            if (i > 0 || has_more) {
                result.notes.add(
                    "more-snapshots",
                    say("The archive has several files; this is {}, the first snapshot.", name));
            }
            skipped.addNote(result.notes);
            return result;
        }
        if (weightOf(snapshot.error().code) == 0) {
            return snapshot;
        }
        search.left.bytes -= std::min(search.left.bytes, taken);
        skipped.add(name, snapshot.error());
    }
    if (skipped.isEmpty()) {
        return Error{ErrorCode::empty, say("The archive is empty; create it again.")};
    }
    return isArchiveOfFiles(kind) ? skipped.error() : skipped.onlyError();
}

Result<trace::Snapshot> readContent(const SourceOpener& open, const Reading& reading,
                                    const Search& search)
{
    const Result<ContentKind> kind = kindOf(open);
    if (!kind.has_value()) {
        return kind.error();
    }
    switch (kind.value()) {
    case ContentKind::pickle:
        return readPickle(open, "pickle", reading);
    case ContentKind::old_pickle: {
        // Such files have no header, so what breaks their rules is most likely something else.
        Result<trace::Snapshot> snapshot = readPickle(open, "pickle", reading);
        if (!snapshot.has_value() && snapshot.error().code == ErrorCode::damaged) {
            return unreadableKindError(ContentKind::binary);
        }
        return snapshot;
    }
    case ContentKind::html:
        return readPage(open, reading);
    case ContentKind::json:
        return readJsonContent(open, reading);
    default:
        return isPackedKind(kind.value()) && search.level < kDeepestPacking
            ? readPacked(open, kind.value(), reading, search)
            : Result<trace::Snapshot>(unreadableKindError(kind.value()));
    }
}

} // namespace

Result<trace::Snapshot> readContent(const SourceOpener& open, const Reading& reading)
{
    const SourceOpener open_stoppable = [&]() -> Result<std::unique_ptr<ByteSource>> {
        Result<std::unique_ptr<ByteSource>> source = open();
        if (!source.has_value()) {
            return source;
        }
        return std::unique_ptr<ByteSource>(
            std::make_unique<StoppableSource>(std::move(source).value(), reading.stop));
    };
    SearchBudget left{reading.options.limits.unpack_floor_bytes * 4};
    return readContent(open_stoppable, reading, {0, left});
}

} // namespace tidemark::reader
