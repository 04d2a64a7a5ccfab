// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <string>
#include <string_view>

namespace tidemark::reader {

/// A text as UTF-8: PowerShell's `>` and Notepad write UTF-16, with a byte order mark or without.
/// Anything else comes back as it is. Unpaired surrogates become U+FFFD. O(bytes).
std::string asUtf8(std::string bytes);

/// A text without the NULs at its ends, where there is anything else: a log that was cut while its
/// program had it open (logrotate's `copytruncate`) begins with a hole, one that the power left
/// ends with one. O(bytes).
std::string_view withoutHoles(std::string_view bytes);

/// Whether bytes can be no text in UTF-8 or in an encoding beside it: more than a twentieth are
/// control characters that no terminal or program writes into a log. Looks at the first 64 KiB.
bool isBinary(std::string_view bytes);

} // namespace tidemark::reader
