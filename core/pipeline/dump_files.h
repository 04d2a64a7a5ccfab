// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

namespace tidemark::pipeline {

/// Whether a file's name is one that snapshots have: its ending, not hidden, no rules file of ours.
bool isDumpName(const std::filesystem::path& file);

struct DumpFile {
    std::filesystem::path file;
    std::uint64_t size = 0;
    std::int64_t time = 0; ///< Of its last change, in the clock of std::filesystem.
};

struct DumpFiles {
    std::vector<DumpFile> files; ///< By name.
    bool is_cut = false; ///< There was more, or it lay deeper, than is looked at.
    std::size_t unreadable = 0; ///< Folders.
};

inline constexpr int kDeepestFolder = 8; ///< Below the one that was named.
inline constexpr std::size_t kMostEntries = 200'000; ///< Files and folders that are looked at.

/// The files of a folder, and of those below it, that are named as dumps are and not empty. Links
/// and what is hidden are passed over. The nearest first where there are too many. Errors:
/// cannotOpen if the folder itself cannot be read, cancelled. O(entries · log).
Result<DumpFiles> findDumps(const std::filesystem::path& folder, const std::stop_token& stop = {});

} // namespace tidemark::pipeline
