// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#include "core/pipeline/pipeline.h"

#include "core/diagnose/diagnose.h"

#include <new>

namespace tidemark::pipeline {
namespace {

using diagnose::Analysis;

/// Runs one stage after the other; each adds its part and publishes.
Result<Analysis> runStages(Analysis analysis, const Options& options, ProgressSink& progress,
                           const std::stop_token& stop, const Publish& publish)
{
    const auto publishNow = [&] {
        ++analysis.generation;
        if (publish) {
            publish(analysis);
        }
    };
    Result<trace::Snapshot> snapshot = reader::read(analysis.file, options.read, progress, stop);
    if (!snapshot.has_value()) {
        return snapshot.error();
    }
    analysis.snapshot = std::make_shared<const trace::Snapshot>(std::move(snapshot).value());
    Result<replay::Replay> replay = replay::run(*analysis.snapshot, progress, stop);
    if (!replay.has_value()) {
        return replay.error();
    }
    analysis.replay = std::make_shared<const replay::Replay>(std::move(replay).value());
    analysis.block_sizes = std::make_shared<const std::vector<replay::BlockSizes>>(
        replay::blockSizeBounds(*analysis.snapshot, *analysis.replay));
    Result<label::Labels> labels =
        label::apply(*analysis.snapshot, *analysis.replay, progress, stop);
    if (!labels.has_value()) {
        return labels.error();
    }
    analysis.labels = std::make_shared<const label::Labels>(std::move(labels).value());
    analysis.curves =
        std::make_shared<const curves::Curves>(curves::build(analysis.replay, *analysis.labels));
    publishNow();
    if (options.last == Stage::curves) {
        return analysis;
    }
    Result<diagnose::Diagnosis> diagnosis = diagnose::run(analysis, progress, stop);
    if (!diagnosis.has_value()) {
        return diagnosis.error();
    }
    analysis.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis).value());
    publishNow();
    return analysis;
}

} // namespace

Result<Analysis> analyze(const std::filesystem::path& file, const Options& options,
                         ProgressSink& progress, std::stop_token stop, const Publish& publish)
{
    Analysis analysis;
    analysis.file = file;
    analysis.input = options.input;
    try {
        return runStages(std::move(analysis), options, progress, stop, publish);
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::outOfMemory,
                     "This machine has not enough free memory to open the file; close other "
                     "programs or use a "
                     "machine with more memory.",
                     {}};
    }
}

Result<Analysis> withInput(const Analysis& analysis, diagnose::UserInput input,
                           ProgressSink& progress, std::stop_token stop)
{
    Analysis changed = analysis;
    changed.input = std::move(input);
    ++changed.generation;
    Result<diagnose::Diagnosis> diagnosis = diagnose::run(changed, progress, stop);
    if (!diagnosis.has_value()) {
        return diagnosis.error();
    }
    changed.diagnosis = std::make_shared<const diagnose::Diagnosis>(std::move(diagnosis).value());
    return changed;
}

} // namespace tidemark::pipeline
