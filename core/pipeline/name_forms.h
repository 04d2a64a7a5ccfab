// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tidemark::pipeline {

// How paths, machines and their addresses are written in texts.

constexpr bool isSlash(char c)
{
    return c == '/' || c == '\\';
}
/// Of a word; letters beyond ASCII are.
bool isWord(char c);
/// Of a machine's or a user's name.
bool isOfMachine(char c);
/// What stands between slashes, the empty ones, too; views of `path`.
std::vector<std::string_view> partsOf(std::string_view path);
/// "C:"
bool isDrive(std::string_view word);
/// Ends a path in a text.
bool endsPath(char c);
bool looksLikePath(std::string_view token);
/// ".py" and others that files of this field have.
bool isFileEnding(std::string_view ending);
/// The host of "gpu7_Nov_28_10_15_00.pickle" and of "gpu7_4711.1795800869.pickle", which PyTorch's
/// tutorials and its profiler write; else nothing.
std::string_view hostInName(std::string_view file);
/// Of the IP address that the text begins with; 0: there is none.
std::size_t addressLength(std::string_view text);

} // namespace tidemark::pipeline
