// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/read_job.h"

#include <string>
#include <vector>

namespace tidemark::cli {

/// Whether what is named is a job, where one run or two are meant otherwise: a folder, a manifest,
/// or more than two files.
bool namesJob(const std::vector<std::string>& names);

/// Whether what could not be opened is the folder of a job on another machine; asks there.
bool isFarJob(const std::vector<std::string>& names);

/// Gathers and reads the ranks of a job; progress is told on a terminal. Errors: those of
/// `gatherInputs` and `job::readJob`.
Result<job::Job> readNamedJob(const std::vector<std::string>& names,
                              const job::ReadOptions& options);

} // namespace tidemark::cli
