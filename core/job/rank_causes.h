// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/compare/difference.h"
#include "core/job/job.h"

#include <cstddef>
#include <string>

namespace tidemark::job {

/// Why an outlier differs from its median rank, as one sentence about it ("Its batches hold 3 × as
/// many tokens …"), from their difference, whose A is the median rank; empty: nothing explains
/// enough of it.
std::string causeOf(const Job& job, const Outlier& outlier, const diagnose::Analysis& median,
                    const diagnose::Analysis& odd, const compare::Difference& difference);

/// The same from dimensions and places of the two summaries.
std::string causeOfSummaries(const Job& job, const Outlier& outlier);

/// Whether every rank may hold the whole optimizer state, as far as summaries tell.
bool mayBeReplicated(const Job& job);

/// Says so where `analysis`, of one of them, proves it. Requires `mayBeReplicated`.
void addReplicated(Job& job, const diagnose::Analysis& analysis, std::size_t device);

} // namespace tidemark::job
