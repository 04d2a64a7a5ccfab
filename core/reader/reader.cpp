// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"

#include "core/base/language.h"
#include "core/reader/content_route.h"
#include "core/reader/cpython_reader.h"
#include "core/reader/file_source.h"
#include "core/reader/growing_source.h"
#include "core/trace/lacking_segments.h"

#include <algorithm>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

namespace tidemark::reader {
namespace {

Error outOfMemory()
{
    return {ErrorCode::outOfMemory,
            say("Not enough memory to read this snapshot; close other programs or use a larger "
                "machine.")};
}

/// Everything that can go wrong with memory on this thread ends here.
Result<trace::Snapshot> readFrom(const SourceOpener& open, std::uint64_t file_bytes,
                                 const ReadOptions& options, ProgressSink& progress,
                                 const std::stop_token& stop)
{
    try {
        progress.report("opening", 0.0);
        ReadOptions own = options;
        own.limits = options.limits.forFile(file_bytes);
        const std::uint64_t told = options.original_bytes > 0 ? options.original_bytes : file_bytes;
        Result<trace::Snapshot> snapshot = readContent(open, {own, progress, stop, told});
        if (snapshot.has_value()) {
            trace::fillLackingSegments(snapshot.value());
        }
        return snapshot;
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    } catch (const std::system_error& error) {
        // No stack for another thread.
        if (error.code() == std::errc::resource_unavailable_try_again) {
            return outOfMemory();
        }
        throw;
    }
}

Result<std::unique_ptr<FileSource>> openFile(const std::filesystem::path& path,
                                             const ReadOptions& options)
{
    if (options.growing != nullptr) {
        Result<std::unique_ptr<FileSource>> growing =
            FileSource::open(options.growing->path(), options.limits);
        if (growing.has_value()) {
            return growing;
        } // It has become complete meanwhile.
    }
    return FileSource::open(path, options.limits);
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
    const Result<std::unique_ptr<FileSource>> file = openFile(path, options);
    if (!file.has_value()) {
        return file.error();
    }
    const SourceOpener open = [&]() -> Result<std::unique_ptr<ByteSource>> {
        std::unique_ptr<FileSource> again = file.value()->again();
        if (options.growing != nullptr) {
            return std::unique_ptr<ByteSource>(
                std::make_unique<GrowingSource>(std::move(again), *options.growing));
        }
        return std::unique_ptr<ByteSource>(std::move(again));
    };
    const std::uint64_t there = file.value()->size().value_or(0);
    const std::uint64_t size =
        options.growing == nullptr ? there : std::max(there, options.growing->size());
    return readFrom(open, size, options, progress, stop);
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
