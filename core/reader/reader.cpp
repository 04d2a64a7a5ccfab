// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"

#include "core/reader/content_kind.h"
#include "core/reader/cpython_reader.h"
#include "core/reader/file_source.h"
#include "core/reader/html_page.h"
#include "core/reader/input_bytes.h"
#include "core/reader/pickle_route.h"
#include "core/reader/printable.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tidemark::reader {
namespace {

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
              fmt::format("The page holds {} files; {} is shown, not {}.", files.size(),
                          printable(files[read].name), names),
              static_cast<std::int64_t>(others));
}

Result<trace::Snapshot> readPage(const SourceOpener& open, const Reading& reading)
{
    Result<std::unique_ptr<ByteSource>> source = open();
    if (!source.has_value()) {
        return source.error();
    }
    const Result<InputBytes> input =
        InputBytes::fromSource(*source.value(), reading.progress, reading.stop);
    if (!input.has_value()) {
        return input.error();
    }
    const std::span<const std::byte> bytes = input.value().bytes();
    const std::vector<PageFile> files =
        findPageFiles({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (files.empty()) {
        return Error{ErrorCode::notASnapshot,
                     "This web page holds no memory snapshot; open the snapshot file itself, or a "
                     "page that torch's _memory_viz.py made."};
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

Result<trace::Snapshot> readContent(const SourceOpener& open, const Reading& reading)
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
        return unreadableKindError(kind.value());
    }
}

/// Everything that can go wrong with memory on this thread ends here.
Result<trace::Snapshot> readFrom(const SourceOpener& open, std::uint64_t file_bytes,
                                 const ReadOptions& options, ProgressSink& progress,
                                 const std::stop_token& stop)
{
    try {
        progress.report("opening", 0.0);
        return readContent(open, {options, progress, stop, file_bytes});
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::outOfMemory,
                     "There is not enough memory to read this snapshot; close other programs or "
                     "use a larger machine."};
    }
}

} // namespace

std::optional<ReaderChoice> readerChoiceFromName(std::string_view name)
{
    if (name == "auto") {
        return ReaderChoice::automatic;
    }
    if (name == "cpython") {
        return ReaderChoice::cpython;
    }
    if (name == "native") {
        return ReaderChoice::native;
    }
    return {};
}

Result<trace::Snapshot> read(const std::filesystem::path& path, const ReadOptions& options,
                             ProgressSink& progress, std::stop_token stop)
{
    const Result<std::unique_ptr<FileSource>> file = FileSource::open(path, options.limits);
    if (!file.has_value()) {
        return file.error();
    }
    const SourceOpener open = [&]() -> Result<std::unique_ptr<ByteSource>> {
        return std::unique_ptr<ByteSource>(file.value()->again());
    };
    return readFrom(open, file.value()->size().value_or(0), options, progress, stop);
}

Result<trace::Snapshot> readBytes(std::span<const std::byte> bytes, const ReadOptions& options,
                                  ProgressSink& progress, std::stop_token stop)
{
    if (bytes.empty()) {
        return emptyError();
    }
    const SourceOpener open = [&]() -> Result<std::unique_ptr<ByteSource>> {
        return std::unique_ptr<ByteSource>(std::make_unique<MemorySource>(bytes));
    };
    return readFrom(open, bytes.size(), options, progress, stop);
}

PythonInfo pythonInfo()
{
    return cpythonInfo();
}

} // namespace tidemark::reader
