// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/job/dump_names.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tidemark::job {

/// One job among the dumps of a folder.
struct JobChoice {
    std::string group; ///< DumpName::group.
    std::vector<std::size_t> dumps; ///< Indices, by rank, host and moment.
    /// Of each rank the one that was written last, by rank; empty where no dump has a rank.
    std::vector<std::size_t> last;
    std::size_t others = 0; ///< Jobs that were not chosen.
};

/// The job that was written to last; jobs that name ranks before those that do not, then the one
/// of most files. `times`: when each was written, in any unit. O(names · log names).
JobChoice chooseJob(std::span<const DumpName> names, std::span<const std::int64_t> times);

/// "Newest job of FOLDER: …; 2 others are skipped." Requires others.
std::string othersNote(const JobChoice& choice, const std::string& folder);

/// For a folder that is opened at once: `JobChoice::last` of the job that its newest dump is of,
/// where that has two ranks or more; else empty. `paths` and `times` as above.
JobChoice newestRanks(std::span<const std::string> paths, std::span<const std::int64_t> times);

} // namespace tidemark::job
