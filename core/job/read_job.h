// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/job/gather.h"
#include "core/job/job.h"
#include "core/pipeline/pipeline.h"

#include <functional>
#include <stop_token>

namespace tidemark::job {

/// Opens the snapshot of a row as far as `last`. Errors: also where only a summary is here.
using OpenRow =
    std::function<Result<diagnose::Analysis>(const RankSummary& row, pipeline::Stage last)>;

/// Opens where the snapshots of the rows are.
OpenRow rowOpener(const pipeline::Options& options, const std::stop_token& stop);

/// Says why outliers differ, by holding the first few against their median rank through
/// `core/compare`, and which fix is for the rank that decides and for the others. What cannot be
/// opened is explained by the places of its summary. Puts its sentences into the job.
void explain(Job& job, const OpenRow& open, const std::stop_token& stop);

struct ReadOptions {
    pipeline::Options open; ///< `last` is not used.
    bool keeps_curves = true; ///< Else rows have none: thousands fit into little memory.
    bool explains = true;
};

/// Called on the calling thread after rows came, at most ten times a second, and at the end.
using PublishJob = std::function<void(const Job&)>;

/// Reads the dumps side by side, a few at a time, each forgotten but for its summary; one that
/// cannot be read is a row with its error. Errors: cancelled.
Result<Job> readJob(const Gathered& dumps, const ReadOptions& options, ProgressSink& progress,
                    const std::stop_token& stop, const PublishJob& publish = {});

} // namespace tidemark::job
