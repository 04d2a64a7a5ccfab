// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/reader/native_reader.h"

#include "core/base/language.h"
#include "core/reader/decoder_sink.h"
#include "core/reader/pickle_program.h"
#include "core/reader/snapshot_decoder.h"

namespace tidemark::reader {
Result<NativeReading> readPickleNatively(InputStream& input, trace::SnapshotBuilder& builder,
                                         const ReaderLimits& limits, ProgressSink& progress,
                                         const std::stop_token& stop)
{
    NativeStore store;
    SnapshotDecoder decoder(store, builder, limits, progress, stop);
    if (input.expectedSize() != 0) {
        decoder.setInputBytes(input.expectedSize());
    }
    DecoderSink sink(decoder, store, builder);
    ValueMachine machine(store, sink, limits);
    PickleProgram program(input, store, machine, limits, progress, stop);
    const PickleProgram::End end = program.run();
    NativeReading reading;
    reading.protocol = program.protocol();
    reading.offset = program.offset();
    const auto declined = [&](const char* reason) {
        reading.end = NativeReading::End::declined;
        reading.reason = translated(reason);
        return reading;
    };
    if (end == PickleProgram::End::cancelled) {
        return Error{ErrorCode::cancelled, say("Reading was cancelled.")};
    }
    if (end == PickleProgram::End::no_memory) {
        return program.error();
    }
    if (end == PickleProgram::End::declined) {
        return declined(program.reason());
    }
    const std::optional<Error> problem = input.error();
    if (end == PickleProgram::End::cut_off && problem && problem->code != ErrorCode::damaged) {
        return *problem;
    }
    const bool is_cut = end == PickleProgram::End::cut_off;
    const Slot root = is_cut ? machine.salvage() : machine.root();
    if (root.isAbsent()) {
        return declined(is_cut ? toSay("it is cut off before any data") : machine.reason());
    }
    decoder.setInputBytes(reading.offset);
    const Result<Done> done = decoder.finish(NativeStore::nodeOf(root));
    if (!done.has_value()) {
        if (is_cut && done.error().code == ErrorCode::notASnapshot) {
            return declined(toSay("it is cut off before any data"));
        }
        return done.error();
    }
    reading.end = is_cut ? NativeReading::End::cut_off : NativeReading::End::complete;
    reading.events = machine.entryCount();
    reading.cut_device = machine.cutDevice();
    return reading;
}

} // namespace tidemark::reader
