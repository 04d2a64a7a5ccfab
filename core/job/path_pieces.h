// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::job {

/// Letters or digits without a separator between.
struct PathPiece {
    std::string text; ///< Lowered.
    bool is_number = false;
    char before = 0; ///< The separator in front; 0: none, or it is the first.
    bool is_glued = false;
};

/// The pieces of one part of a path.
std::vector<PathPiece> piecesOf(std::string_view part);

/// The path without ".pickle", ".gz" and the like.
std::string_view withoutEndings(std::string_view path);

/// None: it has more digits than a number here has.
std::optional<std::uint64_t> numberOf(std::string_view digits);

/// "nov" is 11; 0: it is none.
std::size_t monthOf(std::string_view word);

/// How many pieces from `i` on say when: seconds since 1970 ("1795800869.62", "time1795800869"),
/// "20261127-173400", "2026-11-27T17:34", "Nov_27_17_34_00", a folder "17-34-00". 0: none.
std::size_t timePieces(std::span<const PathPiece> pieces, std::size_t i);

} // namespace tidemark::job
