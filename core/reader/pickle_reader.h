// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/reader/input_bytes.h"
#include "core/reader/limits.h"
#include "core/trace/snapshot_builder.h"

#include <stop_token>
#include <string_view>

namespace tidemark::reader {

/// What turns a pickle into columns. Each way of doing so stands behind this.
class PickleReader {
public:
    virtual ~PickleReader() = default;
    /// As on the command line and in `Format::reader`.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// Reads the pickle at the start of `input`, which scanPickle() has accepted, and gives its
    /// pages back while going on. From any thread. Errors: notASnapshot, damaged, tooLarge,
    /// outOfMemory, internal, cancelled.
    virtual Result<Done> read(InputBytes& input, trace::SnapshotBuilder& builder,
                              const ReaderLimits& limits, ProgressSink& progress,
                              const std::stop_token& stop) = 0;
};

} // namespace tidemark::reader
