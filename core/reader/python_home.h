// SPDX-License-Identifier: GPL-3.0-or-later
// SPDX-FileCopyrightText: 2026 Tidemark contributors
#pragma once

#include <filesystem>
#include <string_view>

namespace tidemark::reader {

/// Prefix of the standard library that the embedded Python uses: the program's own prefix where it
/// carries one (an unpacked AppImage, an installation below /usr), else /usr. `library_folder` is
/// its place below the prefix, such as "lib/python3.11".
std::filesystem::path pythonHome(std::string_view library_folder);

/// Whether a standard library lies there.
bool hasPythonLibrary(const std::filesystem::path& home, std::string_view library_folder);

} // namespace tidemark::reader
