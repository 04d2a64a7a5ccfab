// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::report {

/// A text from a file made safe to show: valid UTF-8, and every control character (a terminal would
/// obey it) and every invalid byte replaced by U+FFFD. Line breaks and tabs become spaces.
std::string visibleText(std::string_view text);

/// What `visibleText` would replace, as \u escapes in a text of JSON that is valid UTF-8: the same
/// values for those who parse it, and harmless on a terminal. O(length).
std::string escapeJsonControls(std::string json);

/// Characters of a valid UTF-8 text, which is how wide a terminal draws it but for East Asian
/// letters.
std::size_t characterCount(std::string_view text);

/// Breaks a text at spaces into lines of at most `width` characters; a longer word stands alone.
/// At least one line.
std::vector<std::string> wrapText(std::string_view text, std::size_t width);

/// Text in which Markdown sees no mark-up. Includes what `visibleText` does.
std::string escapeMarkdown(std::string_view text);

/// For HTML and SVG, in text and in quoted attributes. Includes what `visibleText` does.
std::string escapeHtml(std::string_view text);

} // namespace tidemark::report
