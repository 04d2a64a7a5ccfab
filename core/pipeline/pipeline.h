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
#include <vector>

namespace tidemark::pipeline {

/// The last part that an analysis needs to have.
enum class Stage : std::uint8_t { curves, block_sizes, programs, diagnosis };

/// What a person says about labels.
struct RuleOptions {
    /// Those saved for the snapshot, too; before the others, so that these win.
    bool use_saved = false;
    std::filesystem::path folder; ///< Where they are when not beside it; see `saveRules`.
    std::vector<label::Correction> rules;
};

struct Options {
    reader::ReadOptions read;
    diagnose::UserInput input;
    RuleOptions rules;
    Stage last = Stage::diagnosis; ///< What comes after it stays null.
};

/// Called after each stage with what is known so far (curves are ready before the diagnosis, so a
/// window can paint early). Called on the working thread; may be empty.
using Publish = std::function<void(const diagnose::Analysis&)>;

/// A file to its finished analysis: read, replay, label, correct, curves, find the programs,
/// diagnose, in this order; block sizes and the model of the allocator beside what lies between
/// replay and diagnosis. Errors: those of the reader, cancelled, outOfMemory.
Result<diagnose::Analysis> analyze(const std::filesystem::path& file, const Options& options,
                                   ProgressSink& progress, std::stop_token stop,
                                   const Publish& publish = {});

/// A run that no file holds, and what its allocations are.
struct MadeRun {
    std::filesystem::path name; ///< In place of a file's.
    trace::Snapshot snapshot;
    std::function<label::Labels(const replay::Replay&)> labels;
    diagnose::PlannedFixes fixes{}; ///< Empty: there are none.
};
/// The same stages without reading and labelling. A run that could not be made is its error.
Result<diagnose::Analysis> analyzeMade(Result<MadeRun> run, const Options& options,
                                       ProgressSink& progress, std::stop_token stop,
                                       const Publish& publish = {});

/// The same analysis with other user input (message, capacity, GPUs): only the diagnosis is
/// computed again.
Result<diagnose::Analysis> withInput(const diagnose::Analysis& analysis, diagnose::UserInput input,
                                     ProgressSink& progress, std::stop_token stop);

/// The same analysis with other corrections instead of those it has, and other user input: labels,
/// curves, programs and diagnosis are computed again from what is in memory. Publishes after the
/// curves, with the old diagnosis. Errors: cancelled.
Result<diagnose::Analysis> withCorrections(const diagnose::Analysis& analysis,
                                           std::vector<label::Correction> rules,
                                           diagnose::UserInput input, ProgressSink& progress,
                                           std::stop_token stop, const Publish& publish = {});

} // namespace tidemark::pipeline
