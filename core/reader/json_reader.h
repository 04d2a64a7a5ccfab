// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/input_stream.h"
#include "core/reader/limits.h"
#include "core/reader/native_reader.h"
#include "core/trace/snapshot_builder.h"

#include <stop_token>

namespace tidemark::reader {

/// Reads a snapshot written as JSON, in the layout of the pickles (lists for tuples): torch's MTIA
/// backend and people's own scripts make such files. One pass, with the machine of the native
/// pickle reader; what arrived of a file that was cut off is read (End::cut_off).
///
/// Errors: damaged with the byte offset, notASnapshot, tooLarge, outOfMemory, cancelled, and those
/// of the source.
Result<NativeReading> readJson(InputStream& input, trace::SnapshotBuilder& builder,
                               const ReaderLimits& limits, ProgressSink& progress,
                               const std::stop_token& stop);

} // namespace tidemark::reader
