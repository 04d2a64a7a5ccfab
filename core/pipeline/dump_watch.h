// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tidemark::pipeline {

/// Whether a file's name is one that snapshots have: its ending, not hidden, no rules file of ours.
bool isDumpName(const std::filesystem::path& file);

/// Finds the snapshots that have been written into a folder. A dump is written in place by
/// PyTorch, so it counts as complete when its size and time are the same in two looks:
///
///     look 1   look 2   look 3   look 4
///     –        10 MB    80 MB    80 MB → complete
///
class DumpWatch {
public:
    /// Files that are there in the first look are known, and not reported until they change.
    explicit DumpWatch(std::filesystem::path folder);

    /// The files that have become complete since the look before, the oldest first. Errors:
    /// cannotOpen if the folder cannot be read. O(files in the folder · log).
    Result<std::vector<std::filesystem::path>> look();

private:
    struct Stamp {
        std::uintmax_t size = 0;
        std::filesystem::file_time_type time;
        bool operator==(const Stamp&) const = default;
    };
    struct Seen {
        Stamp stamp;
        bool is_reported = false;
    };

    std::filesystem::path m_folder;
    std::map<std::filesystem::path, Seen> m_seen;
    bool m_is_first = true;
};

} // namespace tidemark::pipeline
