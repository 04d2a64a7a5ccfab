// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemark::diagnose {

/// What launchers and loggers write before each line of a process: "[rank3]:", "[1,0]<stderr>:",
/// "(WorkerDict pid=4711)", "2: ", "trainer-1  | ", a time, a level, the place in a source.
struct LinePrefix {
    std::string_view text; ///< All of it; empty: the line has none.
    std::optional<std::int64_t> rank; ///< Where the prefix names one.
    std::string writer; ///< What of it tells one process from another; empty: nothing does.
};
/// O(the prefix).
LinePrefix prefixOf(std::string_view line);

/// A line without prefix, and without what a JSON record of a log puts behind the text.
std::string_view bodyOf(std::string_view line, const LinePrefix& prefix);

} // namespace tidemark::diagnose
