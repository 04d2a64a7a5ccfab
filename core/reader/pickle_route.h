// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/byte_source.h"
#include "core/reader/reader.h"
#include "core/trace/snapshot.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

namespace tidemark::reader {

/// What one reading works with.
struct Reading {
    const ReadOptions& options;
    ProgressSink& progress;
    const std::stop_token& stop;
    std::uint64_t file_bytes = 0; ///< To be told: of the file itself, packed or not.
};

/// Gives the same bytes from their beginning, each time it is called: a second reader needs them
/// again.
using SourceOpener = std::function<Result<std::unique_ptr<ByteSource>>()>;

/// One pickle, by the reader that is asked for: automatically the native one and, where it
/// declines, CPython behind the scanner. `route` is what Format::route will say.
Result<trace::Snapshot> readPickle(const SourceOpener& open, std::string_view route,
                                   const Reading& reading);

/// One JSON text in the layout of the pickles; always by the native reader.
Result<trace::Snapshot> readJsonContent(const SourceOpener& open, const Reading& reading);

} // namespace tidemark::reader
