// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/arrivals.h"
#include "core/base/result.h"
#include "core/pipeline/dump_files.h"

#include <filesystem>
#include <vector>

namespace tidemark::pipeline {

/// Finds the snapshots that have been written into a folder or those below it, when they are
/// complete: jobs write a folder for each step, some for each rank.
class DumpWatch {
public:
    /// Files that are there in the first look are known, and not reported until they change; with
    /// `takes_existing` they are reported, too.
    explicit DumpWatch(std::filesystem::path folder, bool takes_existing = false);

    /// The files that have become complete since the look before, the oldest first. Errors:
    /// cannotOpen if the folder cannot be read. O(files · log).
    Result<std::vector<std::filesystem::path>> look();

private:
    std::filesystem::path m_folder;
    Arrivals m_arrivals;
};

} // namespace tidemark::pipeline
