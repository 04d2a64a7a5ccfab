// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/reader.h"

#include "core/base/format.h"
#include "core/reader/content_kind.h"
#include "core/reader/cpython_reader.h"
#include "core/reader/html_page.h"
#include "core/reader/input_bytes.h"
#include "core/reader/pickle_reader.h"
#include "core/reader/pickle_scanner.h"
#include "core/reader/printable.h"
#include "core/trace/snapshot_builder.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tidemark::reader {
namespace {

/// What one call works with.
struct Reading {
    const ReadOptions& options;
    PickleReader& reader;
    ProgressSink& progress;
    const std::stop_token& stop;
    std::uint64_t file_bytes = 0;
};

Result<std::unique_ptr<PickleReader>> makeReader(ReaderChoice choice)
{
    if (choice == ReaderChoice::native) {
        return Error{ErrorCode::badArgument,
                     "This version has no native reader; choose cpython or auto instead."};
    }
    return makeCPythonReader();
}

/// Memory that can be had without swapping; 0 where the system does not tell.
std::uint64_t availableMemory()
{
    std::ifstream info("/proc/meminfo");
    std::string word;
    while (info >> word) {
        if (word == "MemAvailable:") {
            std::uint64_t kibibytes = 0;
            info >> kibibytes;
            return kibibytes * 1024;
        }
    }
    return 0;
}

/// The system ends a process that takes too much memory, so that is found out beforehand.
std::optional<Error> memoryProblem(const PickleScan& scan, const Limits& limits)
{
    const std::uint64_t available =
        limits.max_memory_bytes != 0 ? limits.max_memory_bytes : availableMemory();
    if (available == 0 || scan.memory_bytes <= available) {
        return {};
    }
    const auto text = [](std::uint64_t bytes) {
        return formatBytes({static_cast<std::int64_t>(bytes)});
    };
    return Error{
        ErrorCode::outOfMemory,
        fmt::format(
            "Reading this snapshot takes about {} of memory and {} are available; close other "
            "programs, use a larger machine, or record fewer events (max_entries).",
            text(scan.memory_bytes), text(available))};
}

Result<trace::Snapshot> readPickle(InputBytes input, std::string_view route, const Reading& reading)
{
    const Limits& limits = reading.options.limits;
    const Result<PickleScan> scan =
        scanPickle(input.bytes(), limits, reading.progress, reading.stop);
    if (!scan.has_value()) {
        return scan.error();
    }
    if (const std::optional<Error> problem = memoryProblem(scan.value(), limits)) {
        return *problem;
    }
    // What follows the pickle (HTML pages pad it with zeroes) is not for Python's eyes.
    input.shrink(scan.value().stop_offset + 1);
    trace::SnapshotBuilder builder;
    builder.format() = {std::string(route), scan.value().protocol,
                        std::string(reading.reader.name())};
    builder.setFileBytes(reading.file_bytes);
    const Result<Done> done =
        reading.reader.read(input, builder, limits, reading.progress, reading.stop);
    if (!done.has_value()) {
        return done.error();
    }
    return std::move(builder).finish();
}

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

Result<trace::Snapshot> readPage(const InputBytes& input, const Reading& reading)
{
    const std::span<const std::byte> bytes = input.bytes();
    const std::vector<PageFile> files =
        findPageFiles({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (files.empty()) {
        return Error{ErrorCode::notASnapshot,
                     "This web page holds no memory snapshot; open the snapshot file itself, or a "
                     "page that torch's "
                     "_memory_viz.py made."};
    }
    std::optional<Error> first_error;
    for (std::size_t i = 0; i < files.size(); ++i) {
        Result<InputBytes> decoded = decodeBase64(files[i]);
        if (!decoded.has_value()) {
            return decoded.error();
        }
        const ContentKind kind = contentKind(decoded.value().bytes());
        Result<trace::Snapshot> snapshot = kind == ContentKind::pickle
            ? readPickle(std::move(decoded).value(), "html", reading)
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

Result<trace::Snapshot> readInput(InputBytes input, const Reading& reading)
{
    const ContentKind kind = contentKind(input.bytes());
    switch (kind) {
    case ContentKind::pickle:
        return readPickle(std::move(input), "pickle", reading);
    case ContentKind::old_pickle: {
        // Such files have no header, so what breaks their rules is most likely something else.
        Result<trace::Snapshot> snapshot = readPickle(std::move(input), "pickle", reading);
        if (!snapshot.has_value() && snapshot.error().code == ErrorCode::damaged) {
            return unreadableKindError(ContentKind::binary);
        }
        return snapshot;
    }
    case ContentKind::html:
        return readPage(input, reading);
    default:
        return unreadableKindError(kind);
    }
}

/// `open` gives the bytes; everything that can go wrong with memory on this thread ends here.
template <class Open>
Result<trace::Snapshot> readFrom(const Open& open, const ReadOptions& options,
                                 ProgressSink& progress, const std::stop_token& stop)
{
    const Result<std::unique_ptr<PickleReader>> reader = makeReader(options.reader);
    if (!reader.has_value()) {
        return reader.error();
    }
    try {
        progress.report("opening", 0.0);
        Result<InputBytes> input = open();
        if (!input.has_value()) {
            return input.error();
        }
        const Reading reading{options, *reader.value(), progress, stop,
                              input.value().bytes().size()};
        return readInput(std::move(input).value(), reading);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::outOfMemory,
                     "There is not enough memory to read this snapshot; close other programs or "
                     "use a larger "
                     "machine."};
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
    return readFrom([&] { return InputBytes::fromFile(path, options.limits, progress, stop); },
                    options, progress, stop);
}

Result<trace::Snapshot> readBytes(std::span<const std::byte> bytes, const ReadOptions& options,
                                  ProgressSink& progress, std::stop_token stop)
{
    return readFrom(
        [&]() -> Result<InputBytes> {
            if (bytes.empty()) {
                return emptyError();
            }
            return InputBytes::view(bytes);
        },
        options, progress, stop);
}

PythonInfo pythonInfo()
{
    return cpythonInfo();
}

} // namespace tidemark::reader
