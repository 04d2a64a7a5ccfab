// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::query {

struct Candidate {
    std::string text; ///< Takes the place of what is completed: "bucket:", "activation".
    std::string_view what; ///< What it is; may be empty.
    std::string_view example; ///< Of a key.
};

/// What may stand where the cursor is.
struct Completion {
    std::size_t begin = 0; ///< Bytes of the query that a candidate replaces.
    std::size_t end = 0;
    std::vector<Candidate> candidates; ///< Empty: nothing fits, or the word is complete.
};

/// Completes a key, or a value behind a key that has a few. `cursor`: a byte of the text, at most
/// its length. O(length).
Completion complete(std::string_view query, std::size_t cursor);

} // namespace tidemark::query
