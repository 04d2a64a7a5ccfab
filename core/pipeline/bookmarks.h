// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/base/result.h"
#include "core/pipeline/saved_file.h"
#include "core/replay/replay.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::pipeline {

/// A moment that a person marked, with what they wrote about it. At most one per moment.
struct Bookmark {
    std::size_t device = 0; ///< Its index in the file.
    StateId state; ///< May lie behind the end of a shorter trace; such ones are kept.
    std::string note; ///< UTF-8, one line or several; may be empty.
    friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

/// Longest note, in bytes; what is longer is cut off at a character.
inline constexpr std::size_t kLongestNote = 4000;

/// By device and state, one per moment, notes no longer than allowed. O(n log n).
void tidyBookmarks(std::vector<Bookmark>& list);

/// `{"tidemark-bookmarks": 1, "bookmarks": [{"device": 0, "event": 4092, "note": "…"}]}`; `event`
/// is the one that the marked state follows, −1 for the start.
std::string bookmarksText(std::span<const Bookmark> list);
/// Errors: badArgument, a sentence that says what is wrong.
Result<std::vector<Bookmark>> parseBookmarks(std::string_view text);

/// One list of what two programs made of `base`: nothing is lost that one of them wrote. A mark
/// that one took out stays where the other changed its note; two notes on one moment become both.
std::vector<Bookmark> mergedBookmarks(std::span<const Bookmark> base,
                                      std::span<const Bookmark> ours,
                                      std::span<const Bookmark> theirs);

struct SavedBookmarks {
    std::filesystem::path file; ///< Empty: there is none.
    std::vector<Bookmark> list;
    std::string problem; ///< A sentence where there is a file that cannot be used.
};
/// Reads the newer one of both places (see saved_file.h).
SavedBookmarks loadBookmarks(const std::filesystem::path& snapshot,
                             const std::filesystem::path& folder);

struct BookmarksSaved {
    SavedWhere where;
    std::vector<Bookmark> list; ///< As it was saved: with what another program added meanwhile.
};
/// Writes the list beside the snapshot, else into the folder; an empty one removes the file.
/// `known` is what the caller last read or saved: what another program changed since is merged.
/// Errors: cannotWrite.
Result<BookmarksSaved> saveBookmarks(const std::filesystem::path& snapshot,
                                     const std::filesystem::path& folder,
                                     std::span<const Bookmark> list,
                                     std::span<const Bookmark> known);

} // namespace tidemark::pipeline
