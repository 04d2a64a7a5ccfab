// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/input_stream.h"
#include "core/reader/limits.h"
#include "core/trace/snapshot_builder.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace tidemark::reader {

/// How a native reading ended.
struct NativeReading {
    enum class End : std::uint8_t {
        complete,
        cut_off, ///< The bytes end too early; what came before that was read.
        declined, ///< Left to another reader; what is in the builder is of no use.
    };
    End end = End::complete;
    std::uint64_t offset = 0; ///< Where the stream ended or the reader gave up.
    std::string reason; ///< Of `declined`, to be put after "because".
    int protocol = 0;
    std::uint64_t events = 0;
    std::optional<std::int32_t> cut_device; ///< Of `cut_off`, inside a trace; −1: host memory.
};

/// Reads the pickle at the start of `input` in one pass, straight into columns, and gives the bytes
/// back while going on. Nothing the file asks for is ever run; see ValueMachine for what is
/// checked. Besides its columns it needs eight bytes per memo number and one copy of each distinct
/// text and stack.
///
/// Declines whatever is damaged, hostile or unusual: the scanner then finds the words for it, or
/// another reader reads it. Errors: notASnapshot, tooLarge, outOfMemory, cancelled, and those of
/// the source.
Result<NativeReading> readPickleNatively(InputStream& input, trace::SnapshotBuilder& builder,
                                         const ReaderLimits& limits, ProgressSink& progress,
                                         const std::stop_token& stop);

} // namespace tidemark::reader
