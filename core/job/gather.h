// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/job/dump_names.h"

#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace tidemark::job {

/// A folder that is removed with the last of what lies in it.
class ScratchFolder;

/// One file of a job: a snapshot, or what `summary --json` wrote of one.
struct Dump {
    std::filesystem::path file; ///< Here, to be read.
    std::string shown; ///< For people: the path as it was named or as it stands in its folder.
    DumpName name;
    bool is_summary = false; ///< Told by what is in it.
    std::shared_ptr<const ScratchFolder>
        unpacked; ///< Holds `file` where an archive did; else null.
};

/// The files that belong to what was named.
struct Gathered {
    std::vector<Dump> dumps; ///< Of one job, by rank and moment.
    std::vector<std::string> notes; ///< Sentences: what was left out, and why.
};

/// Finds the dumps of a job in what a person names: folders (searched through, links not
/// followed), archives of several dumps, single files, or a manifest
///
///     {"tidemark-job": 1, "ranks": [{"file": "a/x.pickle", "rank": 3, "moment": "step 9",
///                                    "host": "node2", "coordinates": {"pp": 1}}, …]}
///
/// whose paths are relative to it; what it leaves out, names say. Of several jobs in a folder the
/// newest is taken, with a note on the others. A `job.json` that is no manifest is passed over.
/// Errors: cannotOpen where a path cannot be read or holds no dump, damaged for a broken manifest.
Result<Gathered> gather(std::span<const std::filesystem::path> paths, const std::stop_token& stop);

/// A file that stands for one of another folder, such as the copy of a far one.
struct FileOfFolder {
    std::filesystem::path file; ///< Here.
    std::string path; ///< From its folder.
    std::int64_t time = 0; ///< Of its last change, in any unit.
};

/// As above, of the files of one folder that are listed already.
Result<Gathered> gather(std::span<const FileOfFolder> files, const std::string& folder,
                        const std::stop_token& stop);

/// By rank, host and moment; what has no rank last.
void sortDumps(std::vector<Dump>& dumps);

} // namespace tidemark::job
