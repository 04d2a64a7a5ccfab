// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>

namespace tidemark {

/// The name of a function or a file for other programs: what lies beyond 4,096 bytes is cut off, at
/// the border of a character, and an ellipsis put there. Names of C++ templates take a few thousand
/// bytes; a file may hold one of megabytes, once, in a stack that is shown a thousand times.
std::string shortName(std::string_view name);

/// The same for people, on one line that is quickly laid out: at most 300 characters, of which at
/// most four in a row are combining marks; line breaks become one sign. Of a path give what
/// `shortenPath` leaves.
std::string shownName(std::string_view name);

} // namespace tidemark
