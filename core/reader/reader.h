// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/growing_file.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/limits.h"
#include "core/trace/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace tidemark::reader {

/// Which program turns a pickle into columns.
enum class ReaderChoice : std::uint8_t {
    automatic, ///< The native one and, where it declines, CPython.
    cpython, ///< The embedded Python interpreter, about three times slower.
    native, ///< Our own alone; what it declines is an error.
};

/// "auto", "cpython" or "native", as on the command line; nothing for any other word.
std::optional<ReaderChoice> readerChoiceFromName(std::string_view name);

struct ReadOptions {
    ReaderChoice reader = ReaderChoice::automatic;
    ReaderLimits limits{};
    /// Of the file that this is a copy of, packed or cut off, which is told instead of the copy's
    /// own size; 0: it is no copy.
    std::uint64_t original_bytes = 0;
    bool is_arriving =
        false; ///< The rest of the file is on its way: that it is cut off is no loss.
    /// Who writes the file just now: it is read while it grows, from where it is until it is
    /// complete, and nothing of it is missing. Null: it is all there.
    std::shared_ptr<const GrowingFile> growing{};
};

/// Reads one snapshot: a pickle as `torch.cuda.memory._dump_snapshot` and torch's C++ route write
/// it, the same layout as JSON, or an HTML page of torch's `_memory_viz.py`. What it is shows from
/// its first bytes, never from its name. Nothing that the file asks for is ever run: the native
/// reader knows no way to, and before CPython sees a pickle it is checked opcode by opcode.
///
/// Synchronous, from any thread; several callers wait for each other. Progress stages, in this
/// order: "opening" (what is it), "reading" (bytes into columns); by CPython "opening" (bytes into
/// memory), "checking" (the opcodes), "reading" (bytes into values), "decoding" (values into
/// columns). A stop is answered within about 0.1 s.
///
/// Errors, each one sentence: cannotOpen, empty, notASnapshot, damaged and refused (both with the
/// byte offset), tooLarge, outOfMemory, badArgument, cancelled.
///
/// What is odd but can be read stands in `Snapshot::notes`: unknown-keys, unknown-actions,
/// wrong-type, missing-values, segment-sum-mismatch, forward-frames, fx-fields,
/// internal-metadata, no-segments, segments-from-trace, no-traces, more-snapshots, skipped-files,
/// second-reader, cut-off, and what `SnapshotBuilder` adds.
Result<trace::Snapshot> read(const std::filesystem::path& path, const ReadOptions& options,
                             ProgressSink& progress, std::stop_token stop);

/// The same for bytes that are in memory already.
Result<trace::Snapshot> readBytes(std::span<const std::byte> bytes, const ReadOptions& options,
                                  ProgressSink& progress, std::stop_token stop);

/// The embedded interpreter, for `--version`. Does not start it. Empty where none is embedded.
struct PythonInfo {
    std::string version; ///< "3.11.2".
    std::string library; ///< Path of the libpython that is loaded.
    std::string home; ///< Prefix its standard library is taken from.
};
PythonInfo pythonInfo();

} // namespace tidemark::reader
