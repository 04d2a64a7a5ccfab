// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tidemark::label {

/// One line of Python's tracebacks: `File "/me/model.py", line 41, in forward`.
struct TracebackLine {
    std::string_view name;
    std::string_view file;
    std::int64_t line = 0;
};

/// In the order of the text, outermost first; all else in it is passed over. Views point into the
/// text. O(characters).
std::vector<TracebackLine> tracebackLines(std::string_view text);

} // namespace tidemark::label
