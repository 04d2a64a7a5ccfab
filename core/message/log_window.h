// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include "core/message/line_prefix.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemark::diagnose {

/// The squeezed text around one place of a log, as one process wrote it: lines of other ranks in
/// between are left out, and so are the prefixes of its own.
struct Window {
    std::string text;
    std::size_t anchor = 0; ///< Offset in `text` of what stands right behind the place.
    LinePrefix prefix; ///< Of the line with the place; refers to the log.
};
/// `place` is an offset into `log`. O(its surroundings), at most some kilobytes.
Window windowAround(std::string_view log, std::size_t place);

/// Squeezed, see word_finder.h.
std::string squeezedText(std::string_view text);

/// The line that holds an offset, without its line break; at most `most` bytes around the offset.
std::string_view lineAt(std::string_view log, std::size_t place, std::size_t most = 2000);

/// A line for a person: no colours, no control characters, no prefix. Of one that is longer than
/// `most` whole words around `place`, an offset into it, with "…" where it is cut.
std::string shownLine(std::string_view line, std::size_t place = 0, std::size_t most = 240);

} // namespace tidemark::diagnose
