// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace tidemark::pipeline {

// What a person says about a snapshot is kept beside it, or, where its folder cannot be written to,
// in a folder of the user's. Corrections and bookmarks share these ways.

struct SavedPlaces {
    std::filesystem::path beside; ///< "run.pickle.tidemark-rules.json".
    /// In the user's folder, named after the snapshot's absolute path and its size, and after the
    /// beginning of a long name; empty without a folder.
    std::filesystem::path away;
};

/// `folder` may be empty. `ending` begins with a dot.
SavedPlaces savedPlaces(const std::filesystem::path& snapshot, const std::filesystem::path& folder,
                        std::string_view ending);

/// The newer one of both, of which either may be missing; empty without any.
std::filesystem::path newerOf(const SavedPlaces& places);

/// Which files are read: what lies beside a snapshot is opened without being asked for, and a pipe
/// there would be waited for for ever.
enum class Accepts : std::uint8_t { regular_files, pipes_too };

/// Up to `most` bytes of a file; more are left out, so a caller that asks for one more than it
/// takes can tell. Errors: cannotOpen, which calls the file `what`: "rules file".
Result<std::string> readSavedFile(const std::filesystem::path& file, std::size_t most,
                                  Accepts accepts, std::string_view what);

/// Keeps programs that save in a folder at the same moment apart, as long as it lives; not where
/// the file system knows no locks, nor where somebody does not give theirs back.
class FolderLock {
public:
    explicit FolderLock(const std::filesystem::path& folder);
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    ~FolderLock();

private:
    int m_fd;
};

struct SavedWhere {
    std::filesystem::path file; ///< Empty: no file is left.
    bool is_beside = true;
};

/// How a kind of file is written and told from others.
struct SavedKind {
    std::string_view what; ///< "corrections", for errors.
    std::string empty; ///< The text of a file that holds none.
    /// Whether a file is one of the kind. What is not is kept under the ending ".damaged".
    std::function<bool(const std::filesystem::path&)> is_sound;
};

/// Writes a text beside the snapshot, else into the folder. Errors: cannotWrite.
Result<SavedWhere> writeSaved(const SavedPlaces& places, std::string_view text,
                              const SavedKind& kind);
/// Removes both; where one cannot be removed an empty one in the folder takes its place. Errors:
/// cannotWrite.
Result<SavedWhere> removeSaved(const SavedPlaces& places, const SavedKind& kind);

} // namespace tidemark::pipeline
