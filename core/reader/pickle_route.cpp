// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/pickle_route.h"

#include "core/base/format.h"
#include "core/base/language.h"
#include "core/reader/cpython_reader.h"
#include "core/reader/input_bytes.h"
#include "core/reader/json_reader.h"
#include "core/reader/memory_watch.h"
#include "core/reader/native_reader.h"
#include "core/reader/pickle_reader.h"
#include "core/reader/pickle_scanner.h"
#include "core/trace/cut_trace.h"
#include "core/trace/snapshot_builder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace tidemark::reader {
namespace {

/// The system ends a process that takes too much memory, so that is found out beforehand.
std::optional<Error> memoryProblem(const PickleScan& scan, const ReaderLimits& limits)
{
    const std::uint64_t available =
        limits.max_memory_bytes != 0 ? limits.max_memory_bytes : availableMemory();
    if (available == 0 || scan.memory_bytes <= available) {
        return {};
    }
    const auto text = [](std::uint64_t bytes) {
        return formatBytes({static_cast<std::int64_t>(bytes)});
    };
    return Error{ErrorCode::outOfMemory,
                 say("Reading this snapshot needs about {} of memory, {} is available; close other "
                     "programs, use a larger machine, or record fewer events (max_entries).",
                     text(scan.memory_bytes), text(available))};
}

/// What to say of a file that `declined` is about in a program that embeds no interpreter.
Error noInterpreter(const NativeReading& declined)
{
    return {ErrorCode::badArgument,
            say("Only Python can read this file, because {} (byte {}), and this program has none "
                "built in; use the Debian package's tidemark-cli.",
                declined.reason, declined.offset),
            declined.offset};
}

/// `declined`: what another reader said of the file, if one was asked before.
Result<trace::Snapshot> readByCPython(const SourceOpener& open, std::string_view route,
                                      const Reading& reading,
                                      const std::optional<NativeReading>& declined)
{
    const std::unique_ptr<PickleReader> reader = makeCPythonReader();
    if (reader == nullptr && !declined) {
        return Error{ErrorCode::badArgument,
                     say("This program has no Python built in; choose the reader native or auto.")};
    }
    const ReaderLimits& limits = reading.options.limits;
    Result<std::unique_ptr<ByteSource>> source = open();
    if (!source.has_value()) {
        return source.error();
    }
    Result<InputBytes> input = InputBytes::fromSource(
        *source.value(), reading.options.limits.file_memory_bytes, reading.progress, reading.stop);
    if (!input.has_value()) {
        return input.error();
    }
    const Result<PickleScan> scan =
        scanPickle(input.value().bytes(), limits, reading.progress, reading.stop);
    if (!scan.has_value()) {
        return scan.error();
    }
    if (reader == nullptr) {
        return noInterpreter(*declined);
    }
    if (declined && reading.options.reader == ReaderChoice::native) {
        return Error{ErrorCode::badArgument,
                     say("The native reader cannot read this file, because {} (byte {}); choose "
                         "the reader cpython or auto.",
                         declined->reason, declined->offset),
                     declined->offset};
    }
    if (const std::optional<Error> problem = memoryProblem(scan.value(), limits)) {
        return *problem;
    }
    // What follows the pickle (HTML pages pad it with zeroes) is not for Python's eyes.
    input.value().shrink(scan.value().stop_offset + 1);
    trace::SnapshotBuilder builder;
    builder.format() = {std::string(route), scan.value().protocol, std::string(reader->name())};
    builder.setFileBytes(reading.file_bytes);
    if (declined) {
        builder.notes().add("second-reader",
                            say("CPython read this file, because {} (byte {}): slower and with "
                                "more memory, same result.",
                                declined->reason, declined->offset));
    }
    const Result<Done> done =
        reader->read(input.value(), builder, limits, reading.progress, reading.stop);
    if (!done.has_value()) {
        return done.error();
    }
    return std::move(builder).finish();
}

/// Comes first, and instead of what a whole file would be said to lack.
void noteCutOff(const NativeReading& native, const trace::CutTrace& cut, bool is_arriving,
                trace::InputNotes& notes)
{
    std::string text = is_arriving
        ? say("Still arriving: {} bytes with {} events so far.", native.offset, native.events)
        : say("The file is cut off at byte {}, after {} events. The part before is shown; how much "
              "is missing is unknown.",
              native.offset, native.events);
    text += ' '
        + say("Totals and peaks cover only the part that arrived, without older memory freed in "
              "the missing part.");
    if (cut.blocks > 0) {
        text += ' '
            + say("Final blocks without an allocation event count as allocated later ({} blocks).",
                  cut.blocks);
    }
    if (!is_arriving) {
        text += ' ' + say("Copy the file again for the whole.");
    }
    trace::InputNotes all;
    all.add(is_arriving ? trace::kArriving : trace::kCutOff, text);
    for (const trace::InputNote& note : notes.all()) {
        if (note.code != "no-traces" && note.code != "no-segments") {
            all.add(note.code, note.text, note.count);
        }
    }
    notes = std::move(all);
}

Result<trace::Snapshot> finished(trace::SnapshotBuilder& builder, const NativeReading& native,
                                 std::string_view route, const Reading& reading)
{
    builder.format() = {std::string(route), native.protocol, "native"};
    builder.setFileBytes(reading.file_bytes);
    Result<trace::Snapshot> snapshot = std::move(builder).finish();
    if (!snapshot.has_value() || native.end != NativeReading::End::cut_off) {
        return snapshot;
    }
    if (std::ranges::all_of(snapshot.value().devices, &trace::Device::isEmpty)) {
        return Error{ErrorCode::damaged,
                     say("The file is cut off at byte {}, before any data to show; copy it again.",
                         native.offset),
                     native.offset};
    }
    trace::CutTrace cut;
    for (trace::Device& device : snapshot.value().devices) {
        if (device.index == native.cut_device) {
            cut = trace::endWithTrace(device);
        }
    }
    noteCutOff(native, cut, reading.options.is_arriving, snapshot.value().notes);
    return snapshot;
}

Result<std::unique_ptr<InputStream>> openStream(const SourceOpener& open, const Reading& reading)
{
    Result<std::unique_ptr<ByteSource>> source = open();
    if (!source.has_value()) {
        return source.error();
    }
    return InputStream::open(std::move(source).value(), reading.options.limits.max_file_bytes);
}

Result<trace::Snapshot> readAutomatically(const SourceOpener& open, std::string_view route,
                                          const Reading& reading)
{
    const ReaderLimits& limits = reading.options.limits;
    std::optional<NativeReading> declined;
    {
        Result<std::unique_ptr<InputStream>> stream = openStream(open, reading);
        if (!stream.has_value()) {
            return stream.error();
        }
        trace::SnapshotBuilder builder;
        const Result<NativeReading> native =
            readPickleNatively(*stream.value(), builder, limits, reading.progress, reading.stop);
        if (!native.has_value()) {
            return native.error();
        }
        if (native.value().end != NativeReading::End::declined) {
            return finished(builder, native.value(), route, reading);
        }
        declined = native.value();
    }
    return readByCPython(open, route, reading, declined);
}

} // namespace

Result<trace::Snapshot> readPickle(const SourceOpener& open, std::string_view route,
                                   const Reading& reading)
{
    return reading.options.reader == ReaderChoice::cpython
        ? readByCPython(open, route, reading, std::nullopt)
        : readAutomatically(open, route, reading);
}

Result<trace::Snapshot> readJsonContent(const SourceOpener& open, const Reading& reading)
{
    Result<std::unique_ptr<InputStream>> stream = openStream(open, reading);
    if (!stream.has_value()) {
        return stream.error();
    }
    trace::SnapshotBuilder builder;
    const Result<NativeReading> native =
        readJson(*stream.value(), builder, reading.options.limits, reading.progress, reading.stop);
    return native.has_value() ? finished(builder, native.value(), "json", reading) : native.error();
}

} // namespace tidemark::reader
