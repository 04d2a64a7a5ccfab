// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/diagnose/analysis.h"
#include "core/label/program/program_evidence.h"
#include "core/label/program/program_roles.h"

#include <memory>
#include <utility>

namespace tidemark::test {

/// An analysis with its replay and block sizes.
inline diagnose::Analysis replayedAnalysis(trace::Snapshot snapshot)
{
    NoProgress progress;
    diagnose::Analysis analysis;
    analysis.snapshot = std::make_shared<const trace::Snapshot>(std::move(snapshot));
    analysis.replay = std::make_shared<const replay::Replay>(
        replay::run(*analysis.snapshot, progress, {}).value());
    analysis.block_sizes = std::make_shared<const std::vector<replay::BlockSizes>>(
        replay::blockSizeBounds(*analysis.snapshot, *analysis.replay));
    return analysis;
}

/// The same with these labels, and the curves, programs and roles that follow from them.
inline diagnose::Analysis withLabels(diagnose::Analysis analysis, label::Labels labels)
{
    analysis.inferred = std::make_shared<const label::Labels>(std::move(labels));
    analysis.labels = analysis.inferred;
    analysis.curves =
        std::make_shared<const curves::Curves>(curves::build(analysis.replay, *analysis.labels));
    analysis.programs = std::make_shared<const std::vector<program::Program>>(
        label::findPrograms(*analysis.snapshot, *analysis.replay, *analysis.labels));
    if (auto told = label::withRolesOf(*analysis.programs, *analysis.snapshot, *analysis.replay,
                                       *analysis.labels, {})) {
        analysis.labels = std::make_shared<const label::Labels>(*std::move(told));
    }
    return analysis;
}

/// All that an opened file shows before its diagnosis, but how far the model of the allocator
/// repeats it.
inline diagnose::Analysis labelledAnalysis(trace::Snapshot snapshot)
{
    NoProgress progress;
    diagnose::Analysis analysis = replayedAnalysis(std::move(snapshot));
    label::Labels labels = label::apply(*analysis.snapshot, *analysis.replay, progress, {}).value();
    return withLabels(std::move(analysis), std::move(labels));
}

} // namespace tidemark::test
