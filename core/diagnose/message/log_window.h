// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::diagnose {

/// What a launcher writes before each line of one of its processes: "[rank3]:", "[1,0]<stderr>:",
/// "(WorkerDict pid=4711)", "2: ".
struct LinePrefix {
    std::string_view text; ///< Empty: the line has none.
    std::optional<std::int64_t> rank; ///< Where the prefix is one of a rank.
};
LinePrefix prefixOf(std::string_view line);

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

} // namespace tidemark::diagnose
