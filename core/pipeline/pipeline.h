// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/diagnose/analysis.h"
#include "core/reader/reader.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>

namespace tidemark::pipeline {

/// The last part that an analysis needs to have.
enum class Stage : std::uint8_t { curves, diagnosis };

struct Options {
    reader::ReadOptions read;
    diagnose::UserInput input;
    Stage last = Stage::diagnosis; ///< What comes after it stays null.
};

/// Called after each stage with what is known so far (curves are ready before the diagnosis, so a
/// window can paint early). Called on the working thread; may be empty.
using Publish = std::function<void(const diagnose::Analysis&)>;

/// A file to its finished analysis: read, replay, label, curves, diagnose, in this order. Errors:
/// those of the reader, cancelled, outOfMemory.
Result<diagnose::Analysis> analyze(const std::filesystem::path& file, const Options& options,
                                   ProgressSink& progress, std::stop_token stop,
                                   const Publish& publish = {});

/// The same analysis with other user input (message, capacity, GPUs): only the diagnosis is
/// computed again.
Result<diagnose::Analysis> withInput(const diagnose::Analysis& analysis, diagnose::UserInput input,
                                     ProgressSink& progress, std::stop_token stop);

} // namespace tidemark::pipeline
